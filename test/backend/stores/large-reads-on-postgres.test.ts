import { createPostgresStore, type PostgresStore } from 'savepoint/backend/postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CollectionRequest } from '../../../src/backend/stores/entry-requests.js';
import { accountDefaults } from '../../../src/protocol/gaps/accounts.js';
import { describeOnPostgres } from '../../support/on-postgres.js';
import { watchPool } from '../../support/watched-pool.js';
import { key, newLink, owner, quotas, sessionOf, snapshot } from './contract-records.js';

const bytesOfNoTimes = '{}'.length;

describeOnPostgres('a large collection on PostgreSQL', (newSchema) => {
  const { pool, schema } = newSchema();
  const watched = watchPool(pool);
  const large = accountDefaults.largeReadBytes;
  let store: PostgresStore;

  const write = (collection: string, index: number, text: string, version: number | 'absent' = 'absent') =>
    store.updateEntry({
      ...{ owner: owner('a'), sessionId: 'mine', collection, key: `k-${index}`, text, version },
      ...{ snapshot: snapshot('kept'), quotas: quotas(100_000_000), now: 5 },
    });
  const read = (collection: string, grows: CollectionRequest['grows']) =>
    store.readCollection({ owner: owner('a'), sessionId: 'mine', collection, grows });

  beforeAll(async () => {
    store = await createPostgresStore({ pool: watched, schema });
    const session = sessionOf('a', 'mine', key('device', 'd'), 'd');
    await store.ensureAccount({ link: newLink('device', 'd'), accountId: 'a', session, now: 1 });
    // Letters of two bytes each, and the quotes around them.
    for (let index = 0; index < 3; index += 1) await write('large', index, JSON.stringify('ü'.repeat(large / 4)));
    await write('all-but-large', 0, JSON.stringify('a'.repeat(large - 2 - bytesOfNoTimes)));
    await write('just-large', 0, JSON.stringify('a'.repeat(large - 1 - bytesOfNoTimes)));
  });
  afterAll(() => store.close());

  it('leaves the database when its turn has come, and as it is by then', async () => {
    const asked: number[] = [];
    watched.bodies.length = 0;
    const found = await read('large', async (bytes) => {
      asked.push(bytes);
      await write('large', 1, '"newer"', 0);
    });
    expect(asked).toEqual([3 * (large / 2 + 2 + bytesOfNoTimes)]);
    expect(found?.map(({ version }) => version)).toEqual([0, 1, 0]);
    expect(watched.bodies).toEqual(found?.map(({ text }) => text));
  });

  it('is one of more bytes than the limit', async () => {
    const asked: string[] = [];
    for (const collection of ['all-but-large', 'just-large', 'nothing']) {
      const grows = () => {
        asked.push(collection);
        return null;
      };
      expect(await read(collection, grows)).toEqual(await read(collection, undefined));
    }
    expect(asked).toEqual(['just-large']);
  });

  it('is nothing for a session that is gone, by the time of its turn too', async () => {
    const asGone = { owner: owner('a'), collection: 'large' };
    expect(await store.readCollection({ ...asGone, sessionId: 'gone', grows: () => null })).toBeNull();
    const grows = async () => {
      await store.endSession({ ...owner('a'), sessionId: 'mine' });
    };
    expect(await store.readCollection({ ...asGone, sessionId: 'mine', grows })).toBeNull();
  });
});
