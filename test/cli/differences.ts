import { operations } from '../../src/protocol/operations.js';
import { signRequest } from '../../src/server/index.js';
import { testPrivateKey } from '../support/service.js';

/** The service behind the proxy. */
export type Pass = (request: Request) => Promise<Response>;

export interface Difference {
  name: string;
  /** A row that has to show it. */
  row: string;
  /** What the proxy does with a request, and with what comes back. */
  plant(pass: Pass): Pass;
}

export const isPrivate = (request: Request): boolean => new URL(request.url).pathname.startsWith('/v2/pr/');
export const isAt = (request: Request, path: string): boolean => new URL(request.url).pathname === path;

/** Changes the answers that it is meant for; their JSON is handed over parsed. */
export function answering(
  // biome-ignore lint/suspicious/noExplicitAny: what the service answers.
  change: (body: any, response: Response, request: Request) => Response | null,
): Difference['plant'] {
  return (pass) => async (request) => {
    const response = await pass(request);
    const text = await response.clone().text();
    return (text === '' ? null : change(JSON.parse(text), response, request)) ?? response;
  };
}

export function asking(
  change: (request: Request, body: string) => Request | Response | Promise<Request>,
): Difference['plant'] {
  return (pass) => async (request) => {
    const body = await request.clone().text();
    const changed = await change(request, body);
    return changed instanceof Response ? changed : pass(changed);
  };
}

/** From its parts: the port's requests are no `Request` that another can be made of. */
export function withBody({ url, method, headers }: Request, body: string): Request {
  return new Request(url, { method, headers, ...(body === '' ? {} : { body }) });
}

function withUrl(request: Request, change: (url: URL) => void, body: string): Request {
  const url = new URL(request.url);
  change(url);
  const { method, headers } = request;
  return new Request(url, { method, headers, ...(body === '' ? {} : { body }) });
}

function withHeader(request: Request, body: string, [name, value]: [string, string]): Request {
  const changed = withBody(request, body);
  changed.headers.set(name, value);
  return changed;
}

function withoutHeader(request: Request, body: string, name: string): Request {
  const changed = withBody(request, body);
  changed.headers.delete(name);
  return changed;
}

/** Ways in which a service can be almost right. */
export const differences: readonly Difference[] = [
  {
    name: 'an update answers another version',
    row: 'version -1 creates an entry',
    plant: answering(({ version }, response, request) =>
      request.method === 'PATCH' && response.ok ? Response.json({ version: version + 1 }) : null,
    ),
  },
  {
    name: 'a value is written in another way than it came',
    row: 'the value is as it was written, to the letter',
    plant: asking((request, body) => {
      try {
        return withBody(request, JSON.stringify(JSON.parse(body)));
      } catch {
        return request;
      }
    }),
  },
  {
    name: 'every version is accepted',
    row: 'another version is not',
    plant: asking((request, body) =>
      isPrivate(request) ? withBody(request, body.replace(/"version":\d+/, '"version":-1')) : request,
    ),
  },
  {
    name: 'two updates at once may both count',
    row: '8 updates of one version at once',
    plant: asking((request, body) => withBody(request, body.replace('{"n":4},"version":2', '{"n":4},"version":-1'))),
  },
  {
    name: 'a mismatch does not say what is stored',
    row: 'another version is not',
    plant: answering(({ currentValue, ...body }, response) =>
      body.code === 'version_mismatch' ? new Response(JSON.stringify(body), response) : null,
    ),
  },
  {
    name: 'a write is repeated where it comes again',
    row: 'forced once more, it overwrites nothing, for the game',
    plant: asking((request, body) => withoutHeader(request, body, 'Idempotency-Key')),
  },
  {
    name: 'a mismatch does not say that the write was never carried out',
    row: 'the same value by another device is another write, for the player',
    plant: answering(({ carriedOut, ...body }, response) =>
      carriedOut === false ? new Response(JSON.stringify(body), response) : null,
    ),
  },
  {
    name: 'the game is shown what the devices keep',
    row: 'the game is not',
    plant: answering((body, response, request) =>
      isPrivate(request) && Array.isArray(body)
        ? new Response(JSON.stringify(body.map((entry) => ({ ...entry, times: {} }))), response)
        : null,
    ),
  },
  {
    name: 'the private key is not looked at',
    row: 'another key',
    plant: asking((request, body) =>
      isPrivate(request) ? withHeader(request, body, ['Authorization', `Bearer ${testPrivateKey}`]) : request,
    ),
  },
  {
    name: 'an unknown user has an empty collection',
    row: 'a user whom nobody knows',
    plant: answering(({ code }, _, request) =>
      code === 'user_not_found' && request.method === 'GET' ? Response.json([]) : null,
    ),
  },
  {
    name: 'a missing env means Development',
    row: 'no env',
    plant: asking((request, body) =>
      isPrivate(request) && new URL(request.url).search === ''
        ? withUrl(request, (url) => url.searchParams.set('env', '0'), body)
        : request,
    ),
  },
  {
    name: 'a slash at the end is another address',
    row: 'a slash behind the key',
    plant: asking((request) =>
      new URL(request.url).pathname.endsWith('/') ? Response.json({ code: 'not_found' }, { status: 404 }) : request,
    ),
  },
  {
    name: 'a signed request does not need its nonce',
    row: 'no Service-Nonce',
    plant: (pass) => async (request) =>
      isAt(request, operations.authenticate.path) && !request.headers.has('Service-Nonce')
        ? Response.json({})
        : pass(request),
  },
  {
    name: 'a replay is accepted',
    row: 'the second time',
    plant: (pass) => {
      let last: Response | undefined;
      return async (request) => {
        const response = await pass(request);
        if (isAt(request, operations.authenticate.path) && response.ok) last = response.clone();
        const isReplay = response.status === 401 && (await response.clone().text()).includes('nonce_reused');
        return isReplay && last !== undefined ? last.clone() : response;
      };
    },
  },
  {
    name: 'timestamps are not looked at',
    row: 'one that is 5 minutes late',
    plant: asking(async (request, body) => {
      if (!isAt(request, operations.authenticate.path) || body === '') return request;
      const nonce = request.headers.get('Service-Nonce') ?? '';
      const { headers } = await signRequest({ privateKey: testPrivateKey, body, nonce: nonce.padEnd(32, 'x') });
      return new Request(request.url, { method: 'POST', headers, body });
    }),
  },
  {
    name: 'an unknown game can be told from a wrong signature',
    row: 'a game that there is not',
    plant: asking((request, body) =>
      isAt(request, operations.authenticate.path) && body.includes('11111111-1111')
        ? Response.json({ code: 'not_found' }, { status: 404 })
        : request,
    ),
  },
  {
    name: 'a wrong signature and a missing one look different',
    row: 'no Service-Signature',
    plant: answering((body, response, request) =>
      body.code === 'invalid_signature' && !request.headers.has('Service-Signature')
        ? new Response(JSON.stringify({ ...body, detail: 'A header is missing.' }), response)
        : null,
    ),
  },
  {
    name: 'the private API can be called by a page',
    row: 'the private API for a page of http://localhost:5173',
    plant: (pass) => async (request) => {
      const response = await pass(request);
      if (isPrivate(request)) response.headers.set('Access-Control-Allow-Origin', '*');
      return response;
    },
  },
  {
    name: 'a failure is plain JSON',
    row: 'a guest of no environment',
    plant: answering((body, { status, headers }) =>
      status < 400
        ? null
        : Response.json(body, { status, headers: { 'X-Request-Id': headers.get('X-Request-Id') ?? '' } }),
    ),
  },
  {
    name: 'a failure has the id of another request',
    row: 'an empty body',
    plant: answering((body, response) =>
      response.status < 400 ? null : new Response(JSON.stringify({ ...body, requestId: 'another' }), response),
    ),
  },
  {
    name: 'a refresh gives the same token for ever',
    row: 'a refresh token gives the next one',
    plant: (pass) => async (request) => {
      const sent = await request.clone().text();
      const response = await pass(request);
      if (!isAt(request, '/v2/auth/refresh') || !response.ok) return response;
      return Response.json({ ...(await response.json()), refreshToken: JSON.parse(sent).refresh_token });
    },
  },
  {
    name: 'a sign-out ends nothing',
    row: 'the access token of a session that ended',
    plant: asking((request) => (isAt(request, '/v2/auth/sign-out') ? new Response(null, { status: 204 }) : request)),
  },
  {
    name: 'the published keys are those of another service',
    row: 'they verify an access token, which says whose it is',
    plant: answering(({ keys }) => {
      if (!Array.isArray(keys)) return null;
      const [{ x, y, ...key }] = keys;
      return Response.json({ keys: [{ ...key, x: y, y: x }] });
    }),
  },
  {
    name: 'Local and Cloud are the wrong way round',
    row: 'Local: the name is linked to the second account',
    plant: asking((request, body) =>
      isAt(request, '/v2/auth/conflict')
        ? withBody(request, body.replace('"choice":"local"', '"choice":"cloud"'))
        : request,
    ),
  },
  {
    name: 'a wrong password says more for a name that is known',
    row: 'a wrong password',
    plant: answering((body, response) =>
      body.code === 'invalid_credentials' ? Response.json({ ...body, code: 'wrong_password' }, response) : null,
    ),
  },
];

/** The one that takes half a minute to see. */
export const lateDifference: Difference = {
  name: 'an old refresh token is honoured for ever',
  row: 'a refresh token 31 s after its successor was used',
  plant: (pass) => {
    let last: Response | undefined;
    return async (request) => {
      const response = await pass(request);
      if (isAt(request, '/v2/auth/refresh') && response.ok) last = response.clone();
      const isOld = response.status === 401 && (await response.clone().text()).includes('refresh_token_reused');
      return isOld && last !== undefined ? last.clone() : response;
    };
  },
};
