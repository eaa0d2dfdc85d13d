import { instead } from './account-differences.js';
import { answering, type Difference, isAt } from './differences.js';

const bytesOfSnapshots = 'more bytes of snapshots than the account may have';
const guesses = '6 wrong passwords from there, and as many for a name that nobody has';

/** Those that only show where limits are reached on purpose. */
export const limitDifferences: readonly Difference[] = [
  {
    name: 'an account may have as many collections as it likes',
    row: 'a collection more than the account may have',
    plant: instead('quota_exceeded', () => true, { version: 0 }),
  },
  {
    name: 'an account may have as many bytes as it likes',
    row: 'more bytes than the account may have',
    plant: answering((body) =>
      body.code === 'quota_exceeded' && body.quota === 'values' ? Response.json({ version: 0 }) : null,
    ),
  },
  {
    name: 'a name that nobody has is told from a wrong password in words',
    row: 'a name that nobody has, from there',
    plant: (pass) => async (request) => {
      const isUnknown = (await request.clone().text()).includes('"Nobody-');
      const response = await pass(request);
      return isUnknown
        ? Response.json({ ...(await response.json()), detail: 'There is no such name.' }, response)
        : response;
    },
  },
  {
    name: 'passwords can be guessed for ever',
    row: guesses,
    plant: answering((body) =>
      body.code === 'rate_limited'
        ? Response.json({ ...body, code: 'invalid_credentials', status: 401 }, { status: 401 })
        : null,
    ),
  },
  {
    name: 'a limit does not say how long it lasts',
    row: 'the right password from there',
    plant: (pass) => async (request) => {
      const response = await pass(request);
      response.headers.delete('Retry-After');
      return response;
    },
  },
  {
    name: 'a stranger keeps the owner out',
    row: 'the right password from a device of the owner',
    plant: (pass) => {
      let limited: Response | undefined;
      return async (request) => {
        const isName = isAt(request, '/v2/auth/name');
        if (isName && limited !== undefined) return limited.clone();
        const response = await pass(request);
        if (isName && response.status === 429) limited = response.clone();
        return response;
      };
    },
  },
  {
    name: 'a limit lasts longer for a name that nobody has',
    row: guesses,
    plant: (pass) => async (request) => {
      const isUnknown = (await request.clone().text()).includes('"Nobody-');
      const response = await pass(request);
      if (!isUnknown || response.status !== 429) return response;
      const { retryAfterMs, ...body } = await response.json();
      return Response.json({ ...body, retryAfterMs: 2 * retryAfterMs }, response);
    },
  },
  {
    name: 'a name that nobody has can be tried for ever',
    row: guesses,
    plant: (pass) => async (request) => {
      const isUnknown = (await request.clone().text()).includes('"Nobody-');
      const response = await pass(request);
      if (!isUnknown || response.status !== 429) return response;
      return Response.json({ ...(await response.json()), code: 'invalid_credentials', status: 401 }, { status: 401 });
    },
  },
  {
    name: 'a collection may have as many entries as it likes',
    row: 'an entry more than a collection may have',
    plant: answering((body) =>
      body.code === 'quota_exceeded' && body.quota === 'entries' ? Response.json({ version: 0 }) : null,
    ),
  },
  {
    name: 'a full collection does not say how many entries it may have',
    row: 'an entry more than a collection may have',
    plant: answering(({ limit, ...body }, response) =>
      body.quota === 'entries' && limit !== undefined ? new Response(JSON.stringify(body), response) : null,
    ),
  },
  {
    name: 'no snapshot goes for another one',
    row: 'a snapshot more than the account may have',
    plant: instead('not_found', ({ url }) => url.includes('/account/snapshots/'), {}),
  },
];

/** Those that only show once a session or a device more has come than an account may have. */
export const lateQuotaDifferences: readonly Difference[] = [
  {
    name: 'a session longest unused goes on for ever',
    row: 'a session more than the account may have',
    plant: instead('unauthorized', (request) => isAt(request, '/v2/auth/account') && request.method === 'GET', {}),
  },
  {
    name: 'a device longest unused stays for ever',
    row: 'a device more than the account may have',
    plant: (pass) => {
      const ever = new Map<string, object>();
      return async (request) => {
        const response = await pass(request);
        if (!isAt(request, '/v2/auth/account/devices') || !response.ok) return response;
        const { devices } = (await response.json()) as { devices: { id: string }[] };
        for (const device of devices) ever.set(device.id, device);
        return Response.json({ devices: [...ever.values()] });
      };
    },
  },
  {
    name: 'an account may have as many bytes of snapshots as it likes',
    row: bytesOfSnapshots,
    plant: answering(({ snapshotBytes, ...body }, response, request) =>
      isAt(request, '/v2/auth/account/usage') && snapshotBytes.used > snapshotBytes.limit / 2
        ? Response.json({ ...body, snapshotBytes: { ...snapshotBytes, used: snapshotBytes.limit + 1 } }, response)
        : null,
    ),
  },
  {
    name: 'the oldest snapshot stays for ever',
    row: bytesOfSnapshots,
    plant: instead('not_found', ({ url }) => url.includes('/account/snapshots/'), {}),
  },
  {
    name: 'all snapshots go for one that is too many',
    row: bytesOfSnapshots,
    plant: answering(({ snapshotBytes, ...body }, response, request) =>
      isAt(request, '/v2/auth/account/usage') && snapshotBytes.used > snapshotBytes.limit / 2
        ? Response.json({ ...body, snapshotBytes: { ...snapshotBytes, used: 0 } }, response)
        : null,
    ),
  },
  {
    name: 'an account that is full of snapshots is refused',
    row: bytesOfSnapshots,
    plant: (pass) => {
      let restored = 0;
      return async (request) => {
        if (request.url.endsWith('/restore')) restored += 1;
        if (restored < 100 || !request.url.endsWith('/restore')) return pass(request);
        const said = { code: 'quota_exceeded', status: 403, quota: 'snapshotBytes', limit: 1, used: 1 };
        return Response.json(said, { status: 403 });
      };
    },
  },
];
