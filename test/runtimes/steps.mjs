// What a game does, step by step, in whatever this runs: the client on a service over HTTP, and the service in the same
// process. Nothing in here belongs to one runtime.

/** The demo game of `savepoint dev`. */
const gameId = '5a7e9017-0c01-4d1e-8a9b-3c0ffee04873';

/** The names of the steps, in their order. */
export const clientSteps = ['import', 'guest', 'write', 'read', 'link', 'conflict', 'merge'];

/**
 * Carries all steps out until one fails.
 *
 * @param open makes a client of one device: `open(storage)`
 * @returns {Promise<{ done: string[], failed: { step: string, problem: string } | null }>}
 */
export async function playGame(open) {
  const done = ['import'];
  const name = `ada-${Math.random().toString(36).slice(2, 10)}`;
  const first = open(device());
  const second = open(device());
  const steps = {
    async guest() {
      for (const client of [first, second]) {
        const ready = await client.init();
        if (!ready.success) throw ready.error;
        client.profile.collection('progress', { merge: { coins: 'sum' } });
      }
    },
    async write() {
      await first.profile.collection('progress').set('main', { coins: 5 });
      await second.profile.collection('progress').set('main', { coins: 2 });
      await first.profile.flush();
      await second.profile.flush();
    },
    async read() {
      const entries = await first.profile.collection('progress').load();
      isSame(
        entries.map(({ key, value }) => [key, value.coins]),
        [['main', 5]],
      );
    },
    async link() {
      const linked = await first.auth.withName(name, 'correct horse');
      if (!linked.success) throw linked.error;
      isSame(first.auth.state, 'linked');
    },
    async conflict() {
      const refused = await second.auth.withName(name, 'correct horse');
      isSame(refused.success ? 'signed in' : refused.error.code, 'conflict_unhandled');
      isSame(second.conflict.local.entries, 1);
    },
    async merge() {
      const merged = await second.conflict.resolve('merge');
      if (!merged.success) throw merged.error;
      await second.profile.collection('progress').load();
      isSame(second.profile.collection('progress').get('main').coins, 7);
    },
  };
  let failed = null;
  for (const [step, carryOut] of Object.entries(steps)) {
    try {
      await carryOut();
      done.push(step);
    } catch (error) {
      failed = { step, problem: said(error) };
      break;
    }
  }
  first.dispose();
  second.dispose();
  return { done, failed };
}

/** The steps with the client on a service over HTTP. */
export function playOverHttp({ createClient }, baseUrl) {
  return playGame((storage) => createClient({ gameId, environment: 0, baseUrl, storage }));
}

/** The steps with the whole service in this process, which no network is asked for. */
export function playInProcess({ createClient }, { createBackend }) {
  const backend = createBackend({
    games: [{ id: gameId, privateKeys: ['a private key for one game only'] }],
    insecureFastPasswordsForTests: true,
  });
  const fetch = (request) => backend.fetch(request);
  return playGame((storage) => createClient({ gameId, environment: 0, baseUrl: 'https://saves.test', storage, fetch }));
}

function device() {
  const kept = new Map();
  return {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => void kept.set(name, text),
    removeItem: (name) => void kept.delete(name),
  };
}

function isSame(found, wanted) {
  const [left, right] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (left !== right) throw new Error(`${left} in the place of ${right}`);
}

/** An error and what has caused it, in one line. */
function said(error) {
  const causes = [];
  for (let one = error; one != null && causes.length < 5; one = one.cause) {
    causes.push(`${one.code ?? one.name}: ${one.message}`);
  }
  return causes.join(' <- ');
}
