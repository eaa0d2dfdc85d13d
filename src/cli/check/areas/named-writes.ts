import * as names from '../../../protocol/headers.js';
import { bearer, jsonType } from '../../wire.js';
import type { Answer } from '../ask.js';
import { atOnce } from '../at-once.js';
import { type Area, answers, type Check, check, refuses } from '../contract.js';
import { fact, has, is, listAt, member } from '../facts.js';
import { asPlayer, type Headers, patch, post, read } from '../requests.js';
import type { World } from '../world.js';

const collection = 'savepoint-check-named';

interface NamedWrite {
  value: string;
  version: number;
  /** The header Idempotency-Key; none if left out. */
  key?: string;
  /** More members of the body, with a comma before them. */
  more?: string;
  creates?: boolean;
}

/** One of the two ways to the same entries. */
interface Wire {
  name: string;
  /** The entry's key, so that the wires have one each. */
  entry: string;
  send(call: { headers: Headers; body: string; entry: string }): (world: World) => Promise<Answer>;
}

function headersOf({ key, creates = false }: NamedWrite): Headers {
  return [
    ...(key === undefined ? [] : [[names.idempotencyKey, key] as const]),
    ...(creates ? [[names.ifNoneMatch, '*'] as const] : []),
  ];
}

const privateWire: Wire = {
  name: 'for the game',
  entry: 'game',
  send: ({ headers, body, entry }) =>
    patch({
      rest: `${collection}/${entry}`,
      headers: ({ privateKey }) => [bearer(privateKey), jsonType, ...headers],
      body,
    }),
};

const playersWire: Wire = {
  name: 'for the player',
  entry: 'player',
  send:
    ({ headers, body, entry }) =>
    async (world) =>
      world.toBase({
        method: 'PATCH',
        path: `/v2/cl/games/${world.gameId}/collections/${collection}/${entry}?env=${world.environment}`,
        headers: [bearer(world.said('guest').accessToken), jsonType, ...headers],
        body,
      }),
};

function ledgerChecks({ name, entry, send }: Wire): Check[] {
  const write = (named: NamedWrite) =>
    send({
      headers: headersOf(named),
      body: `{"value":${named.value},"version":${named.version}${named.more ?? ''}}`,
      entry,
    });
  const gap = (what: string, ...rest: [Parameters<typeof check>[2], Parameters<typeof check>[3]]): Check =>
    check('gap', `${what}, ${name}`, ...rest);
  return [
    gap(
      'a named write creates an entry',
      answers(200, has('version', 0)),
      write({ value: '{"n":1}', version: -1, key: 'check-a:1', creates: true }),
    ),
    gap(
      'the same once more (a lost answer)',
      answers(200, has('version', 0)),
      write({ value: '{"n":1}', version: -1, key: 'check-a:1', creates: true }),
    ),
    gap(
      'the same value by another device is another write',
      refuses('version_mismatch', has('carriedOut', false), has('currentVersion', 0)),
      write({ value: '{"n":1}', version: 4, key: 'check-b:1' }),
    ),
    gap(
      'a mismatch of a write without a name says nothing of it',
      refuses(
        'version_mismatch',
        fact('no carriedOut', ({ json }) => member(json, 'carriedOut') === undefined, 'it has carriedOut'),
      ),
      write({ value: '{"n":1}', version: 4 }),
    ),
    gap(
      'a named write on the stored version',
      answers(200, has('version', 1)),
      write({ value: '{"n":2}', version: 0, key: 'check-b:2' }),
    ),
    gap(
      'a named write that is forced',
      answers(200, has('version', 2)),
      write({ value: '{"n":3}', version: -1, key: 'check-c:1' }),
    ),
    gap(
      'forced once more, it overwrites nothing',
      answers(200, has('version', 2)),
      write({ value: '{"n":9}', version: -1, key: 'check-c:1' }),
    ),
    gap(
      'an earlier write once more, though the entry has moved on',
      answers(200, has('version', 1)),
      write({ value: '{"n":2}', version: 0, key: 'check-b:2' }),
    ),
    atOnce(
      'gap',
      `8 repeats of one write at once, ${name}`,
      { good: 8, status: 200, otherwise: 'version_mismatch' },
      write({ value: '{"n":4}', version: 2, key: 'check-d:1' }),
    ),
    gap(
      'they counted once',
      answers(200, has('version', 4)),
      write({ value: '{"n":5}', version: 3, key: 'check-a:2' }),
    ),
    gap('a name that is none', refuses('invalid_request'), write({ value: '{"n":6}', version: 4, key: 'check a:1' })),
  ];
}

const times = '{"n":1700000000000,"a.b":5}';

/** Writes with a name, of which each counts once; and what stands beside a value for players alone. */
export const namedWrites: Area = {
  name: 'Writes by name',
  checks: [
    ...ledgerChecks(privateWire),
    ...ledgerChecks(playersWire),
    check(
      'gap',
      'times beside a value',
      answers(200, has('version', 0)),
      playersWire.send({ headers: [], body: `{"value":{"n":1},"version":-1,"times":${times}}`, entry: 'times' }),
    ),
    check(
      'gap',
      'the player is shown them',
      answers(
        200,
        fact('times', ({ json }) => timesOf(json) === times, 'the times are others'),
      ),
      async (world) =>
        world.toBase({
          path: `/v2/cl/games/${world.gameId}/collections/${collection}?env=${world.environment}`,
          headers: [bearer(world.said('guest').accessToken)],
        }),
    ),
    check(
      'gap',
      'the game is not',
      answers(
        200,
        fact('no times', ({ json }) => timesOf(json) === undefined, 'there are times'),
      ),
      read({ rest: collection }),
    ),
    check(
      'gap',
      'times that are no numbers',
      refuses('invalid_request'),
      playersWire.send({ headers: [], body: '{"value":{},"version":0,"times":{"n":"1"}}', entry: 'times' }),
    ),
    check('gap', 'a snapshot by name', answers(200, is('id', 'text')), snapshot('{"n":1}'), { remember: 'snapshot' }),
    check(
      'gap',
      'the same once more',
      answers(
        200,
        fact('the same id', ({ json }, { said }) => member(json, 'id') === said('snapshot').id, 'it has another id'),
      ),
      snapshot('{"n":2}'),
    ),
    check(
      'gap',
      'it is kept once',
      answers(
        200,
        fact('one of reason mismatch', ({ json }) => mismatchesIn(json) === 1, 'there are none, or several'),
      ),
      asPlayer('guest', 'account/snapshots'),
    ),
  ],
};

function snapshot(value: string): (world: World) => Promise<Answer> {
  const entry = { collection, key: 'lost', value: JSON.parse(value) as object };
  return post('account/snapshots', () => entry, { as: 'guest', headers: [[names.idempotencyKey, 'check-a:3']] });
}

function timesOf(json: unknown): string | undefined {
  const entry = Array.isArray(json) ? json.find((one) => member(one, 'key') === 'times') : undefined;
  return JSON.stringify(member(entry, 'times'));
}

function mismatchesIn(json: unknown): number {
  return listAt(json, 'snapshots').filter((one) => member(one, 'reason') === 'mismatch').length;
}
