import { envParameter } from '../../protocol/addresses.js';
import { linkMethods } from '../../protocol/conflict.js';
import { type FailureCode, failures } from '../../protocol/failures.js';
import { operatorDefaults } from '../../protocol/gaps/operators.js';
import { signingDefaults } from '../../protocol/gaps/signing.js';
import { sizes } from '../../protocol/gaps/sizes.js';
import * as names from '../../protocol/headers.js';
import { mediaTypes, signedHeaders } from '../../protocol/headers.js';
import { keyForm } from '../../protocol/idempotency-key.js';
import { type OperationName, operations } from '../../protocol/operations.js';
import { accountLists } from '../stores/operator-requests.js';
import type { Authorization, OperationDescription } from './description.js';
import { descriptions } from './operations.js';
import { answerDescriptions, jsonSchemas, type SchemaName } from './schemas.js';

let written: string | undefined;

/** The OpenAPI 3.1 document as text. It is made when it is first asked for, of the schemas that check the requests. */
export function openApiText(): string {
  written ??= JSON.stringify(openApiDocument());
  return written;
}

export function openApiDocument() {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Player accounts and cloud saves',
      version: '2.0.0',
      description: about,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: Object.values(tags),
    paths: pathItems(),
    components: {
      schemas: jsonSchemas(),
      securitySchemes,
      headers: {
        RequestId: { description: "The request's id, as the log has it.", schema: { type: 'string', format: 'uuid' } },
        RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
      },
    },
  };
}

const about = `The private profile API, the server-to-server authentication endpoint, the player's own requests, and the operators'.
One slash at the end of an address is accepted. A member of a body that is not named here is ignored.
Failures are RFC 9457 problems; \`code\` says which one. Lengths of text count UTF-16 code units.`;

const tags = {
  game: { name: 'game', description: "For the game's back end." },
  player: { name: 'player', description: "For the player's client." },
  operator: { name: 'operator', description: 'For whoever runs the service, and helps players.' },
  service: { name: 'service', description: 'About the service itself.' },
};

const securitySchemes = {
  gamePrivateKey: { type: 'http', scheme: 'bearer', description: "The game's private key." },
  operatorKey: { type: 'http', scheme: 'bearer', description: "An operator's key." },
  playerToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: "A player's access token." },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: signedHeaders.signature,
    description: 'HMAC-SHA-256 over timestamp, nonce and body, each followed by a newline, as 64 hex digits.',
  },
};

const securityOf: { readonly [kind in Authorization]: readonly object[] } = {
  none: [],
  key: [{ gamePrivateKey: [] }],
  signature: [{ signature: [] }],
  player: [{ playerToken: [] }],
  'maybe-player': [{}, { playerToken: [] }],
  operator: [{ operatorKey: [] }],
};

/** Every path with its methods. */
function pathItems() {
  const items: { [path: string]: { [method: string]: object } } = {};
  for (const name of Object.keys(operations) as OperationName[]) {
    const { method, path } = operations[name];
    // `:key` as `{key}`.
    const template = path.replace(/:(\w+)/g, '{$1}');
    items[template] = { ...items[template], [method.toLowerCase()]: describe(name) };
  }
  return items;
}

function describe(name: OperationName) {
  const description = descriptions[name];
  const { summary, description: text, authorization, takes } = description;
  const parameters = [...pathParameters(name), ...otherParameters(name)];
  return {
    operationId: name,
    summary,
    description: text,
    tags: [tagOf(name)],
    security: securityOf[authorization],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(takes === undefined ? {} : { requestBody: { required: true, content: contentOf(mediaTypes.json, takes) } }),
    responses: responsesOf(description, operations[name].path),
  };
}

function tagOf(name: OperationName): string {
  const { authorization } = descriptions[name];
  if (authorization === 'key' || authorization === 'signature') return tags.game.name;
  if (authorization === 'operator') return tags.operator.name;
  return name === 'readPublicKeys' || name === 'readApiDocument' ? tags.service.name : tags.player.name;
}

function pathParameters(operation: OperationName): object[] {
  const found = [...operations[operation].path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return found.map((name) => ({
    name,
    in: 'path',
    description: pathDescriptions[name],
    required: true,
    schema: pathSchema(operation, name),
  }));
}

const pathDescriptions: { readonly [name: string]: string } = {
  game: "The game's id.",
  user: "The user's id, as an answer has it.",
  collection: "The collection's name; at most 128 bytes of UTF-8.",
  key: "The entry's key; at most 128 bytes of UTF-8.",
  method: 'The login method.',
  snapshot: "The snapshot's id, as the list has it.",
  choice: "The choice's id, as the player has it.",
  device: "The device's name, as the list has it.",
  id: "The key's id, as the list has it.",
  platform: 'The name of the platform.',
};

function pathSchema(operation: OperationName, name: string): object {
  if (name === 'game' || name === 'user' || name === 'id') return { type: 'string', format: 'uuid' };
  if (operation === 'peek') return { type: 'string', enum: ['name', 'identity', 'social', 'recovery'] };
  if (name === 'method') return { type: 'string', enum: [...linkMethods] };
  // The limit counts bytes of UTF-8, of which no character has less than one.
  return { type: 'string', minLength: 1, maxLength: sizes.entryNameBytes };
}

function otherParameters(operation: OperationName): object[] {
  const environment = {
    name: envParameter,
    in: 'query',
    description: 'The environment: 0 Development, 1 Stage, 2 Production.',
    required: true,
    schema: { type: 'integer', enum: [0, 1, 2] },
  };
  const condition = {
    name: names.ifNoneMatch,
    in: 'header',
    description: 'With `*` the entry is only created: where there is one, it is a mismatch.',
    schema: { type: 'string', enum: ['*'] },
  };
  const writeName = {
    name: names.idempotencyKey,
    in: 'header',
    description:
      'The name of the write, `<device>:<write>`: what has it is carried out once, however often it is sent.',
    schema: { type: 'string', pattern: keyForm.source },
  };
  const removedVersion = {
    name: 'version',
    in: 'query',
    description: 'The version that is to be removed.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  };
  switch (operation) {
    case 'readUserCollection':
    case 'readUserUsage':
    case 'listCollections':
    case 'readCollection':
      return [environment];
    case 'updateUserEntry':
    case 'updateEntry':
      return [environment, condition, writeName];
    case 'addSnapshot':
      return [writeName];
    case 'readAuditLog':
      return pageParameters();
    case 'listPlatforms':
    case 'savePlatform':
    case 'tryPlatform':
      return [environment];
    case 'removePlatform':
      return [environment, removedVersion];
    case 'readCounts':
      return [environment, ...dayParameters()];
    case 'readWebhooks':
      return pageParameters();
    case 'listConflicts':
    case 'listChoices':
      return [environment, ...pageParameters()];
    case 'listPlayers':
      return [environment, ...searchParameters(), ...pageParameters()];
    case 'listPlayerEntries':
    case 'readPlayerTimeline':
    case 'readPlayerAudit':
      return [environment, ...pageParameters()];
    case 'updatePlayerEntry':
      return [environment, condition];
    case 'authenticate':
      return signedParameters();
    default:
      return operations[operation].path.startsWith('/v2/admin/games/:game/players/') ? [environment] : [];
  }
}

/** Which list of players, or who. */
function searchParameters(): object[] {
  const text = { type: 'string', minLength: 1, maxLength: operatorDefaults.operatorSearchLength };
  const asked = (name: string, description: string, schema: object = text) => ({
    name,
    in: 'query',
    description,
    schema,
  });
  return [
    asked('list', 'Which players, and what orders them, the latest first; `newest` by default.', {
      type: 'string',
      enum: [...accountLists],
    }),
    asked('id', 'Whose user id this is.'),
    asked('name', 'Whose name this is, in any spelling that is taken for the same.'),
    asked('custom', "Whose id of the game's own this is."),
    asked('method', 'Who has `subject` at `provider`.', { type: 'string', enum: ['identity', 'social'] }),
    asked('provider', 'With `method`: the issuer of ID tokens, or the social platform.'),
    asked('subject', "With `method`: the player's id there."),
  ];
}

/** Which days. */
function dayParameters(): object[] {
  const { countedDays, countedMaxDays } = operatorDefaults;
  const day = (name: string, description: string) => ({
    name,
    in: 'query',
    description,
    schema: { type: 'string', format: 'date' },
  });
  return [
    day('from', `The first day in UTC, at most ${countedMaxDays} days with the last one; ${countedDays} by default.`),
    day('to', 'The last day; today by default.'),
  ];
}

/** Which page of a list. */
function pageParameters(): object[] {
  const { operatorCursorLength, operatorPageItems, operatorPageMaxItems } = operatorDefaults;
  return [
    {
      name: 'limit',
      in: 'query',
      description: `How many items the page may have; ${operatorPageItems} by default.`,
      schema: { type: 'integer', minimum: 1, maximum: operatorPageMaxItems },
    },
    {
      name: 'cursor',
      in: 'query',
      description: 'Where the page begins: the `cursor` of the page before it.',
      schema: { type: 'string', minLength: 1, maxLength: operatorCursorLength },
    },
  ];
}

function signedParameters(): object[] {
  const { nonceLength } = signingDefaults;
  const text = (pattern?: string) => ({ type: 'string', ...(pattern === undefined ? {} : { pattern }) });
  const header = { in: 'header', required: true };
  return [
    {
      ...header,
      name: signedHeaders.timestamp,
      description: 'When it was signed, in ms since 1970.',
      schema: text('^\\d{13}$'),
    },
    {
      ...header,
      name: signedHeaders.nonce,
      description: 'Of this one request; the next has another one.',
      schema: text(`^[A-Za-z0-9_-]{${nonceLength}}$`),
    },
    {
      ...header,
      name: signedHeaders.forwardedFor,
      description: "The player's address, from which the country is known.",
      required: false,
      schema: text(),
    },
  ];
}

function contentOf(mediaType: string, schemas: readonly SchemaName[]) {
  const references = schemas.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return { [mediaType]: { schema: references.length === 1 ? references[0] : { anyOf: references } } };
}

function responsesOf({ gives, refuses }: OperationDescription, path: string) {
  const headers = { [names.requestId]: { $ref: '#/components/headers/RequestId' } };
  const good =
    gives === undefined
      ? { 204: { description: 'It is done.', headers } }
      : { 200: { description: answerDescriptions[gives], headers, content: contentOf(mediaTypes.json, [gives]) } };
  // An address that holds a parameter can hold an escape that nobody can decode.
  const ofAddress: FailureCode[] = path.includes('/:') ? ['invalid_key'] : [];
  const codes: FailureCode[] = [...new Set([...refuses, ...ofAddress, 'internal', 'unavailable'] as const)];
  const statuses = [...new Set(codes.map((code) => failures[code].status))];
  const refused = statuses.map((status) => {
    const its = codes.filter((code) => failures[code].status === status);
    return [status, refusal(status, its, headers)] as const;
  });
  return { ...good, ...Object.fromEntries(refused) };
}

function refusal(status: number, codes: readonly FailureCode[], headers: object) {
  const isTemporary = status === failures.rate_limited.status || status === failures.unavailable.status;
  const retry = isTemporary ? { [names.retryAfter]: { $ref: '#/components/headers/RetryAfter' } } : {};
  const schema = {
    allOf: [
      { $ref: '#/components/schemas/Problem' },
      { properties: { status: { const: status }, code: { enum: codes } } },
    ],
  };
  return {
    description: codes.map((code) => `\`${code}\`: ${failures[code].title}`).join('\n'),
    headers: { ...headers, ...retry },
    content: { [mediaTypes.problem]: { schema } },
  };
}
