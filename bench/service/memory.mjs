// What 100,000 accounts with five entries of 1 kB each take in every store: bytes of this process, for each account.
// Run by `npm run bench:service` with --expose-gc.
import { createMemoryStore } from '../../dist/backend/index.js';
import { gameId } from './load.mjs';
import { availableStores, stores } from './stores.mjs';

const accounts = Number(process.env.ACCOUNTS ?? 100_000);
const text = JSON.stringify({ filler: 'x'.repeat(1_010) });
const now = Date.now();
const scope = { gameId, environment: 0 };

function held() {
  globalThis.gc();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heap: heapUsed + external };
}

async function fill(store) {
  for (let number = 0; number < accounts; number += 1) {
    const accountId = crypto.randomUUID();
    const owner = { ...scope, accountId };
    // As hashes of device ids are.
    const subject = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
    const link = { ...scope, method: 'device', subject, label: null, credential: null };
    await store.ensureAccount({ link, accountId, now });
    const token = { jti: crypto.randomUUID(), iat: now / 1_000, exp: now / 1_000 + 2_592_000, usedAt: null };
    const opened = {
      sessionId: crypto.randomUUID(),
      openedAt: now,
      expiresAt: now + 2_592_000_000,
      refreshTokens: [token],
    };
    await store.openSession({ ...owner, method: 'device', subject, device: subject, revision: 0, ...opened });
    for (let key = 0; key < 5; key += 1) {
      const lost = { snapshotId: crypto.randomUUID(), expiresAt: now + 2_592_000_000, max: 500 };
      // A text of its own, as one that came with a request is.
      const own = Buffer.from(text).toString();
      await store.writeEntry({
        owner,
        collection: 'progress',
        key: `key-${key}`,
        text: own,
        version: -1,
        lost,
        maxEntries: 2_000,
        now,
      });
    }
  }
}

console.log(`\n${accounts} accounts with 5 entries of ${text.length} bytes${' '.repeat(6)}an account      process`);
for (const name of availableStores()) {
  const { store = createMemoryStore(), close } = await stores[name]();
  const before = held();
  await fill(store);
  const after = held();
  const each = (after.heap - before.heap) / accounts;
  console.log(
    `${name.padEnd(48)}${`${each.toFixed(0)} B`.padStart(10)}${`${(after.rss / 1e6).toFixed(0)} MB`.padStart(13)}`,
  );
  await close?.();
}
