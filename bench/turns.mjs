// How long a store on SQLite holds the event loop where it reads what a conflict's dialog and a merge need: two accounts of
// 10 MiB each, in few large entries and in many small ones. Run it after `npm run build:js`. The longest turn is printed by
// the process's own processor time, which other programs disturb least.
import { randomUUID } from 'node:crypto';
import { openPlaces } from './service/places.mjs';
import { openStore } from './service/store.mjs';

const scope = { gameId: '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d', environment: 0 };
const valueBytes = 10 * 1024 * 1024 - 64 * 1024;
const rounds = 5;
const now = Date.now();
const owner = (accountId) => ({ ...scope, accountId });

/** The longest turn of the event loop while a task goes on, in ms of processor time: the one of the middle of all rounds. */
async function longestTurn(task) {
  const longest = [];
  for (let round = 0; round < rounds; round += 1) {
    let [most, isOver] = [0, false];
    let before = process.cpuUsage();
    const look = () => {
      const { user, system } = process.cpuUsage(before);
      most = Math.max(most, user + system);
      before = process.cpuUsage();
      if (!isOver) setImmediate(look);
    };
    await new Promise((resolve) => setImmediate(resolve));
    before = process.cpuUsage();
    setImmediate(look);
    await task();
    look();
    isOver = true;
    longest.push(most / 1_000);
  }
  return longest.sort((left, right) => left - right)[Math.floor(rounds / 2)];
}

async function fill(store, accountId, { device, entries }) {
  const link = { ...scope, method: 'device', subject: device, label: null, credential: null };
  const refreshTokens = [{ jti: randomUUID(), iat: now / 1_000, exp: now, usedAt: null }];
  const times = { openedAt: now, authenticatedAt: now, expiresAt: now + 86_400_000 };
  const session = { ...owner(accountId), sessionId: accountId, ...times, refreshTokens, revision: 0, device };
  await store.ensureAccount({ link, accountId, session: { ...session, method: 'device', subject: device }, now });
  const text = JSON.stringify('x'.repeat(Math.floor(valueBytes / entries)));
  for (let index = 0; index < entries; index += 1) {
    await store.updateEntry({
      owner: owner(accountId),
      sessionId: null,
      collection: `world-${index % 3}`,
      key: `chunk-${index}`,
      text,
      version: -1,
      snapshot: { snapshotId: randomUUID(), expiresAt: now + 1e9, max: 200, maxBytes: 20 * 1024 * 1024 },
      quotas: { values: 10 * 1024 * 1024, entries: 2_000, collections: 100 },
      now,
    });
  }
}

const places = await openPlaces();
try {
  for (const entries of [68, 1_990]) {
    const store = await openStore(places.newPlace('SQLite'));
    await fill(store, 'local', { device: 'here', entries });
    await fill(store, 'cloud', { device: 'there', entries });
    await store.openTicket({
      ...scope,
      method: 'device',
      subject: 'there',
      linkRevision: 0,
      ticket: 'ticket',
      localId: 'local',
      sessionId: 'local',
      cloudId: 'cloud',
      device: 'here',
      expiresAt: now + 1e9,
      choice: null,
      resolvedSessionId: null,
    });
    const sides = () => store.readConflictSides({ scope, ticket: 'ticket', device: 'here', now });
    const both = await sides();
    if (both?.local.length !== entries || both.cloud.length !== entries) throw new Error('there is no conflict');
    const profile = await longestTurn(() => store.readProfile(owner('local')));
    const longest = await longestTurn(sides);
    console.log(
      `${String(entries).padStart(5)} entries of 10 MiB: the longest turn is ${profile.toFixed(1)} ms for one account, ` +
        `${longest.toFixed(1)} ms for both sides`,
    );
    await store.close();
  }
} finally {
  await places.close();
}
