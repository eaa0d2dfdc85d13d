import { operations } from '../../../protocol/operations.js';
import { bearer } from '../../wire.js';
import type { Answer } from '../ask.js';
import { type Area, answers, type Check, check, compare, refuses } from '../contract.js';
import { fact, header, is } from '../facts.js';
import { read } from '../requests.js';
import type { World } from '../world.js';

const allow = 'Access-Control-Allow-Origin';
/** One that some deployments allow, and one that none should. */
const origins = ['http://localhost:5173', 'https://savepoint-check.invalid'] as const;

const accountPath = '/v2/auth/account';

function preflightOf(origin: string): (world: World) => Promise<Answer> {
  return (world) => world.toAuth({ method: 'OPTIONS', path: '/v2/auth/guest', headers: preflight(origin, 'POST') });
}

/** A read that is refused for want of a token, by a page. */
function readOf(origin: string): (world: World) => Promise<Answer> {
  return (world) => world.toAuth({ path: accountPath, headers: [['Origin', origin]] });
}

/** For whoever sees the answer without a browser. */
const saysWhy = fact(
  'with a detail',
  (answer, world) => is('detail', 'text').wrong(answer, world) === null,
  'it does not say why',
);

const sandboxedPage = 'null';

/** Whoever sandboxes a frame has this origin: a service lets them in only where it was told to, and then to read too. */
const sandboxed: Check = {
  spec: 'gap',
  what: "the player's endpoints for a sandboxed frame (Origin: null)",
  expected: '403 origin_not_allowed and nothing to read, or both allowed on purpose',
  async look(world) {
    const asked = await preflightOf(sandboxedPage)(world);
    const readable = await readOf(sandboxedPage)(world);
    const isAllowed = asked.status === 204;
    const origin = isAllowed ? sandboxedPage : null;
    const expected = isAllowed
      ? answers(204, header(allow, origin))
      : refuses('origin_not_allowed', header(allow, origin));
    const finding = compare(expected, asked, world);
    if (!finding.holds) return finding;
    return {
      ...compare(refuses('unauthorized', header(allow, origin)), readable, world),
      note: isAllowed ? 'allowed here: any page can be shown in such a frame' : 'refused here',
    };
  },
};

/** What pages may call: the player's endpoints where that is allowed, and never those that need the private key. */
export const pages: Area = {
  name: 'Pages',
  checks: [
    ...origins.flatMap((origin): Check[] => [
      check(
        'gap',
        `the private API for a page of ${origin}`,
        answers(200, header(allow, null)),
        read({ headers: ({ privateKey }) => [bearer(privateKey), ['Origin', origin]] }),
      ),
      check(
        'gap',
        `a preflight there for ${origin}`,
        refuses('method_not_allowed', header(allow, null)),
        read({ method: 'OPTIONS', headers: () => preflight(origin, 'PATCH') }),
      ),
      check(
        'gap',
        `signed requests for a page of ${origin}`,
        refuses('method_not_allowed', header(allow, null)),
        (world) =>
          world.toAuth({ method: 'OPTIONS', path: operations.authenticate.path, headers: preflight(origin, 'POST') }),
      ),
    ]),
    check(
      'gap',
      "the player's endpoints for a page of nobody",
      refuses('origin_not_allowed', header(allow, null), saysWhy),
      preflightOf(origins[1]),
    ),
    check(
      'gap',
      'what such a page may not read says how to let it in',
      refuses('unauthorized', header(allow, null), saysWhy),
      readOf(origins[1]),
    ),
    sandboxed,
    check('gap', 'the OpenAPI document', answers(200, is('openapi', 'text')), (world) =>
      world.toBase({ path: operations.readApiDocument.path }),
    ),
  ],
};

/** For the page that the caller has named, or for those that a wildcard stands for. */
export function pagesOf(named: string): Area {
  const origin = named.replace('*', label);
  return {
    name: `Pages of ${named}`,
    checks: [
      check(
        'gap',
        'a preflight',
        answers(
          204,
          header(allow, origin),
          fact(
            'POST allowed',
            ({ headers }) => String(headers['access-control-allow-methods']).includes('POST'),
            'POST is not allowed',
          ),
        ),
        preflightOf(origin),
      ),
      check('gap', 'a failure can be read', refuses('unauthorized', header(allow, origin)), readOf(origin)),
      ...(named.includes('*') ? besideWildcard(named) : []),
    ],
  };
}

/** A sub-domain that nobody has. */
const label = 'savepoint-check';

/** What a wildcard must not stand for. */
function besideWildcard(wildcard: string): Check[] {
  return [
    check(
      'gap',
      'a sub-domain of a sub-domain',
      refuses('origin_not_allowed', header(allow, null)),
      preflightOf(wildcard.replace('*', `${label}.${label}`)),
    ),
    check(
      'gap',
      'another domain that ends in the same letters',
      refuses('origin_not_allowed', header(allow, null)),
      preflightOf(wildcard.replace('*.', `${label}-`)),
    ),
  ];
}

function preflight(origin: string, method: string): readonly (readonly [string, string])[] {
  return [
    ['Origin', origin],
    ['Access-Control-Request-Method', method],
    ['Access-Control-Request-Headers', 'authorization, content-type'],
  ];
}
