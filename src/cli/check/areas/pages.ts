import { operations } from '../../../protocol/operations.js';
import { bearer } from '../../wire.js';
import { type Area, answers, type Check, check, refuses } from '../contract.js';
import { fact, header, is } from '../facts.js';
import { read } from '../requests.js';

const allow = 'Access-Control-Allow-Origin';
/** One that some deployments allow, and one that none should. */
const origins = ['http://localhost:5173', 'https://savepoint-check.invalid'] as const;

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
      refuses('origin_not_allowed', header(allow, null)),
      (world) => world.toAuth({ method: 'OPTIONS', path: '/v2/auth/guest', headers: preflight(origins[1], 'POST') }),
    ),
    check('gap', 'the OpenAPI document', answers(200, is('openapi', 'text')), (world) =>
      world.toBase({ path: operations.readApiDocument.path }),
    ),
  ],
};

/** For the page that the caller has named. */
export function pagesOf(origin: string): Area {
  return {
    name: `Pages of ${origin}`,
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
        (world) => world.toAuth({ method: 'OPTIONS', path: '/v2/auth/guest', headers: preflight(origin, 'POST') }),
      ),
      check('gap', 'a failure can be read', refuses('unauthorized', header(allow, origin)), (world) =>
        world.toAuth({ path: '/v2/auth/account', headers: [['Origin', origin]] }),
      ),
    ],
  };
}

function preflight(origin: string, method: string): readonly (readonly [string, string])[] {
  return [
    ['Origin', origin],
    ['Access-Control-Request-Method', method],
    ['Access-Control-Request-Headers', 'authorization, content-type'],
  ];
}
