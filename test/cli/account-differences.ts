import { answering, asking, type Difference, isAt, isPrivate, type Pass, withBody } from './differences.js';

const done = (): Response => new Response(null, { status: 204 });
const refused = (code: string): RegExp => new RegExp(`"code":"${code}"`);

/** Answers in the place of a refusal. */
export function instead(code: string, where: (request: Request) => boolean, answer: object): Difference['plant'] {
  return answering((body, _, request) => (body.code === code && where(request) ? Response.json(answer) : null));
}

/** The last good answer of an address comes again where there should be a refusal. */
function lastGoodFor(code: string, path: string): Difference['plant'] {
  return (pass: Pass) => {
    let last: Response | undefined;
    return async (request) => {
      const response = await pass(request);
      if (!isAt(request, path)) return response;
      if (response.ok) last = response.clone();
      return last !== undefined && refused(code).test(await response.clone().text()) ? last.clone() : response;
    };
  };
}

/** Ways in which a service can be almost right about what leads to an account, and what ends with it. */
export const accountDifferences: readonly Difference[] = [
  {
    name: 'a password that is too short is no more than a bad request',
    row: 'a new password that is too short',
    plant: answering((body, response) =>
      body.code === 'password_too_short' ? Response.json({ ...body, code: 'invalid_request' }, response) : null,
    ),
  },
  {
    name: 'the least length of a new password is not told',
    row: 'a new password that is too short',
    plant: answering(({ minLength, ...body }, response) =>
      minLength === undefined ? null : new Response(JSON.stringify(body), response),
    ),
  },
  {
    name: 'nobody knows when a method was last used',
    row: 'the account and what leads to it',
    plant: answering((body, response, request) =>
      isAt(request, '/v2/auth/account') && Array.isArray(body.methods)
        ? Response.json(
            { ...body, methods: body.methods.map(({ method }: { method: string }) => ({ method })) },
            response,
          )
        : null,
    ),
  },
  {
    name: 'the list of devices has none',
    row: 'the devices of the account',
    plant: answering((_, response, request) =>
      isAt(request, '/v2/auth/account/devices') ? Response.json({ devices: [] }, response) : null,
    ),
  },
  {
    name: 'a device that is revoked goes on',
    row: 'the session on it has ended',
    plant: asking((request) => (new URL(request.url).pathname.includes('/account/devices/') ? done() : request)),
  },
  {
    name: 'what a thief has linked outlives the sign-out of all others',
    row: 'all others are signed out, and what was linked since goes',
    plant: asking((request, body) =>
      withBody(request, body.replace(/"unlink_since":\d+/, '"unlink_since":9000000000000')),
    ),
  },
  {
    name: 'a sign-out of all others signs nobody out',
    row: 'the session on the device has ended',
    plant: (pass) => {
      let last: Response | undefined;
      return async (request) => {
        if (isAt(request, '/v2/auth/sign-out-others') && last !== undefined) return last.clone();
        const response = await pass(request);
        if (isAt(request, '/v2/auth/server') && response.ok) last = response.clone();
        return response;
      };
    },
  },
  {
    name: 'an account does not say how many devices it may have',
    row: 'how much the account holds, and how much it may',
    plant: answering(({ devices, ...body }, response, request) =>
      isAt(request, '/v2/auth/account/usage') ? Response.json(body, response) : null,
    ),
  },
  {
    name: 'a ticket outlives a sign-out everywhere',
    row: 'the ticket of before that',
    plant: asking((request, body) => (body.includes('"everywhere":true') ? done() : request)),
  },
  {
    name: 'a name may have characters that nobody sees',
    row: 'a name with a character that nobody sees',
    plant: asking((request, body) => withBody(request, body.replace('\u200b', ''))),
  },
  {
    name: 'a new password ends nothing',
    row: 'a session that came from the former password',
    plant: asking((request) => (isAt(request, '/v2/auth/account/password') ? done() : request)),
  },
  {
    name: 'an unlinked method ends nothing',
    row: 'a session that came from the unlinked name',
    plant: (pass) => async (request) => {
      const { headers, method } = request;
      if (method !== 'DELETE' || !isAt(request, '/v2/auth/methods/name')) return pass(request);
      const account = new URL('/v2/auth/account', request.url);
      return pass(new Request(account, { headers }));
    },
  },
  {
    name: 'the last way in can be taken away',
    row: 'the last way in',
    plant: instead('would_orphan', () => true, { methods: [] }),
  },
  {
    name: 'a sign-out everywhere ends one session',
    row: 'the first session of the other user',
    plant: asking((request, body) => withBody(request, body.replace('"everywhere":true', '"everywhere":false'))),
  },
  {
    name: 'a copied refresh token works for as long as its owner plays',
    row: 'the copy after three successors',
    plant: lastGoodFor('refresh_token_reused', '/v2/auth/refresh'),
  },
  {
    name: 'a session that has ended still writes',
    row: 'a write by it',
    plant: instead('unauthorized', ({ method }) => method === 'PATCH', { version: 9 }),
  },
  {
    name: 'what is overwritten is gone',
    row: 'what was overwritten is listed',
    plant: answering((_, response, request) =>
      response.ok && request.method === 'GET' && isAt(request, '/v2/auth/account/snapshots')
        ? Response.json({ snapshots: [] }, response)
        : null,
    ),
  },
  {
    name: 'a snapshot is restored in words alone',
    row: 'the entry is as it was',
    plant: asking((request) => (request.url.endsWith('/restore') ? Response.json({ entries: [] }) : request)),
  },
  {
    name: 'a ticket outlives the password that it was given for',
    row: 'the ticket of the former password',
    plant: instead('conflict_stale', () => true, {}),
  },
  {
    name: 'the game writes to an account that its player has deleted',
    row: 'the game writes for its user',
    plant: instead('account_deleted', isPrivate, { version: 1 }),
  },
  {
    name: 'a deletion cannot be taken back',
    row: 'the name takes the deletion back',
    plant: asking((request, body) => withBody(request, body.replace('"restore":true', '"restore":false'))),
  },
  {
    name: 'a value may be as deep as it likes',
    row: 'a value that is too deep',
    plant: asking((request, body) =>
      withBody(request, body.replaceAll('['.repeat(33), '[').replaceAll(']'.repeat(33), ']')),
    ),
  },
  {
    name: 'an id of a signed request may be as long as it likes',
    row: 'a device_id that is too long',
    plant: instead('invalid_request', (request) => isAt(request, '/v2/auth/server'), {}),
  },
  {
    name: 'there is something at every address',
    row: "a player's address that there is not",
    plant: instead('not_found', (request) => isAt(request, '/v2/auth/nothing'), {}),
  },
  {
    name: 'a name may be empty',
    row: 'a name of nothing',
    plant: answering(({ reason }) => (reason === 'empty' ? done() : null)),
  },
  {
    name: 'a name may be as long as it likes',
    row: 'a name that is too long',
    plant: answering(({ reason }) => (reason === 'too_long' ? done() : null)),
  },
  {
    name: 'nobody can read what the service is asked',
    row: 'the OpenAPI document',
    plant: answering(({ openapi }) => (openapi === undefined ? null : done())),
  },
  {
    name: 'a page of nobody may call',
    row: "the player's endpoints for a page of nobody",
    plant: answering(({ code }) => (code === 'origin_not_allowed' ? done() : null)),
  },
];

const needsNone = (where: (request: Request) => boolean) => instead('reauthentication_required', where, {});

/** Those that only show once some time has gone by. */
export const lateAccountDifferences: readonly Difference[] = [
  {
    name: 'the device alone makes a lasting way into a named account',
    row: 'a recovery code by it',
    plant: needsNone((request) => isAt(request, '/v2/auth/account/recovery-code')),
  },
  {
    name: 'the device alone lets another device in',
    row: 'another device by it',
    plant: needsNone((request) => isAt(request, '/v2/auth/guest')),
  },
  {
    name: 'the device alone deletes a named account',
    row: 'the end of the account by it',
    plant: needsNone((request) => request.method === 'DELETE' && isAt(request, '/v2/auth/account')),
  },
  {
    name: 'the device alone takes a name away',
    row: 'an unlinked name by it',
    plant: needsNone((request) => isAt(request, '/v2/auth/methods/name')),
  },
];
