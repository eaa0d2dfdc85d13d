import { signRequest } from '../../src/server/index.js';
import { testPrivateKey } from '../support/service.js';
import { instead } from './account-differences.js';
import { answering, asking, type Difference, isAt, type Pass } from './differences.js';

const isSigned = (request: Request): boolean => isAt(request, '/v2/auth/server');
const isNobodys = (body: string): boolean => body.includes('"Nobody-');
const usagePath = '/v2/auth/account/usage';

/** Refuses signed requests by their ids. */
function refusing(isRefused: (ids: { custom_user_id: string; device_id: string }) => boolean): Difference['plant'] {
  const refusal = () => Response.json({ code: 'invalid_request', status: 400 }, { status: 400 });
  return asking((request, body) => {
    const isWhole = isSigned(request) && body.startsWith('{') && body.endsWith('}');
    return isWhole && isRefused({ custom_user_id: 'none', ...JSON.parse(body) }) ? refusal() : request;
  });
}

/** Takes signed requests that should be refused for their ids. */
function taking(isTaken: (ids: { custom_user_id: string; device_id: string }) => boolean): Difference['plant'] {
  return (pass) => async (request) => {
    const body = await request.clone().text();
    const response = await pass(request);
    const isRefused = isSigned(request) && /"code":"invalid_request"/.test(await response.clone().text());
    return isRefused && isTaken(JSON.parse(body)) ? Response.json({}) : response;
  };
}

/** Whose refresh is refused after a revocation gets a session that was opened as it was under way. */
function surviving(revokes: (body: string) => boolean, path: string, again: SignInAgain): Difference['plant'] {
  return (pass: Pass) => {
    let signIn = '';
    let survivor: Response | undefined;
    return async (request) => {
      const body = await request.clone().text();
      const response = await pass(request);
      if (isAt(request, path) && response.ok) signIn = body;
      if (revokes(body) && response.ok) survivor = await pass(await again(new URL(path, request.url), signIn, body));
      const isEnded = isAt(request, '/v2/auth/refresh') && response.status === 401;
      return isEnded && survivor?.ok === true ? survivor.clone() : response;
    };
  };
}

type SignInAgain = (url: URL, signIn: string, revocation: string) => Promise<Request>;

const json = { 'Content-Type': 'application/json' };

/** Ways in which a service can be almost right about what is seen of it from outside. */
export const outsideDifferences: readonly Difference[] = [
  {
    name: 'its health cannot be read',
    row: '/health: the store takes writes',
    plant: (pass) => async (request) =>
      new URL(request.url).pathname === '/health' ? Response.json({ status: 'fine' }) : pass(request),
  },
  {
    name: 'a custom id needs six characters',
    row: 'a custom_user_id of 1 character',
    plant: refusing(({ custom_user_id }) => custom_user_id.length === 1),
  },
  {
    name: "the game's own device id needs six characters",
    row: 'a device_id of 1 character',
    plant: refusing(({ device_id }) => device_id.length === 1),
  },
  {
    name: "the game's own device id may have 64 characters",
    row: 'a device_id of 128 characters',
    plant: refusing(({ device_id }) => device_id.length === 128),
  },
  {
    name: 'a custom id may be empty',
    row: 'a custom_user_id of nothing',
    plant: taking(({ custom_user_id }) => custom_user_id === ''),
  },
  {
    name: "the game's own device id may be empty",
    row: 'a device_id of nothing',
    plant: taking(({ device_id }) => device_id === ''),
  },
  {
    name: 'an account may have nothing at all',
    row: 'what a new account holds',
    plant: answering((body, response, request) =>
      isAt(request, usagePath) ? Response.json({ ...body, snapshots: { used: 0, limit: 0 } }, response) : null,
    ),
  },
  {
    name: 'a session is told other limits than the account has',
    row: 'the limits that its session was told are those',
    plant: answering((body, response, request) =>
      isAt(request, '/v2/auth/guest') && body.limits !== undefined
        ? Response.json({ ...body, limits: { ...body.limits, entries: 2_001 } }, response)
        : null,
    ),
  },
  {
    name: 'nobody counts what an account holds',
    row: 'an entry in a collection of its own is counted',
    plant: answering(({ values, ...body }, response, request) =>
      isAt(request, usagePath) ? Response.json({ ...body, values: { ...values, used: 0 } }, response) : null,
    ),
  },
  {
    name: 'the game is told other limits than the player',
    row: 'the game is told the same as the player',
    plant: answering(({ devices, ...body }, response, request) =>
      request.url.includes('/v2/pr/') && devices !== undefined
        ? Response.json({ ...body, devices: { ...devices, limit: 51 } }, response)
        : null,
    ),
  },
  {
    name: 'a name that nobody has is told from a wrong password',
    row: 'a name that nobody has',
    plant: (pass) => async (request) => {
      const body = await request.clone().text();
      const response = await pass(request);
      if (!isAt(request, '/v2/auth/name') || !isNobodys(body)) return response;
      return Response.json({ ...(await response.json()), detail: 'There is no such name.' }, response);
    },
  },
  {
    name: 'whoever asks for a code learns which names there are',
    row: 'a code for a name that nobody has',
    plant: asking((request, body) =>
      isAt(request, '/v2/auth/reset/request') && isNobodys(body)
        ? Response.json({ code: 'not_found', status: 404 }, { status: 404 })
        : request,
    ),
  },
  {
    name: 'whoever tries a code learns which names there are',
    row: 'the same for a name that nobody has',
    plant: (pass) => async (request) => {
      const body = await request.clone().text();
      const response = await pass(request);
      if (!isAt(request, '/v2/auth/reset') || !isNobodys(body)) return response;
      return Response.json({ ...(await response.json()), title: 'There is no such name.' }, response);
    },
  },
  {
    name: 'any code sets a new password',
    row: 'a new password by a code of nobody',
    plant: instead('invalid_credentials', (request) => isAt(request, '/v2/auth/reset'), {}),
  },
  {
    name: 'a code that has set a new password sets another one',
    row: 'the code once more, with another password',
    plant: (pass) => {
      const used = new Set<string>();
      return async (request) => {
        if (!isAt(request, '/v2/auth/reset')) return pass(request);
        const { code } = JSON.parse(await request.clone().text());
        const response = await pass(request);
        if (response.ok) used.add(code);
        return used.has(code) ? new Response(null, { status: 204 }) : response;
      };
    },
  },
  {
    name: 'whoever has used a code stays out',
    row: 'the session by the new password goes on',
    plant: (pass) => {
      let isUsed = false;
      return async (request) => {
        if (isUsed && isAt(request, '/v2/auth/account') && request.method === 'GET') {
          return Response.json({ code: 'unauthorized', status: 401 }, { status: 401 });
        }
        const response = await pass(request);
        if (isAt(request, '/v2/auth/reset') && response.ok) isUsed = true;
        return response;
      };
    },
  },
  {
    name: 'a refresh outlives the password that changes meanwhile',
    row: 'a new password during refreshes and sign-ins by the former one',
    plant: surviving(
      (body) => body.includes('"new_password":"new password'),
      '/v2/auth/name',
      async (url, signIn, revocation) => {
        const password = JSON.parse(revocation).new_password;
        const body = JSON.stringify({ ...JSON.parse(signIn), password });
        return new Request(url, { method: 'POST', headers: json, body });
      },
    ),
  },
  {
    name: 'a refresh outlives a sign-out everywhere',
    row: 'a sign-out everywhere during refreshes',
    plant: surviving(
      (body) => body.includes('"everywhere":true'),
      '/v2/auth/server',
      async (url, body) => {
        const { headers } = await signRequest({ privateKey: testPrivateKey, body });
        return new Request(url, { method: 'POST', headers, body });
      },
    ),
  },
  {
    name: 'a page that is refused is not told why',
    row: "the player's endpoints for a page of nobody",
    plant: answering(({ detail, ...body }, response) =>
      body.code === 'origin_not_allowed' ? new Response(JSON.stringify(body), response) : null,
    ),
  },
  {
    name: 'what a page may not read does not say how to let it in',
    row: 'what such a page may not read says how to let it in',
    plant: answering(({ detail, ...body }, response, request) =>
      body.code === 'unauthorized' && request.headers.get('Origin') === 'https://savepoint-check.invalid'
        ? new Response(JSON.stringify(body), response)
        : null,
    ),
  },
  {
    name: 'a sandboxed frame may ask, and not read',
    row: "the player's endpoints for a sandboxed frame (Origin: null)",
    plant: (pass) => async (request) =>
      request.method === 'OPTIONS' && request.headers.get('Origin') === 'null'
        ? new Response(null, { status: 204, headers: { 'Access-Control-Allow-Origin': 'null' } })
        : pass(request),
  },
];
