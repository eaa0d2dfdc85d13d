import type { Client, StoragePort } from 'savepoint';
import type { BackendLimits } from 'savepoint/backend';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkAuthAnswer } from '../../../src/protocol/answer-checks.js';
import { saveLimits } from '../../../src/protocol/gaps/save-limits.js';
import { withoutLimits } from '../../support/older-service.js';
import { signInGuest } from '../../support/service.js';
import { createMemoryStorage, createWorld, holdTime, type World } from '../world.js';

let world: World;
afterEach(() => {
  world.end();
  vi.useRealTimers();
});

const text = (length: number) => ({ t: 'x'.repeat(length) });
const sentWrites = () => world.sent.filter(({ path }) => path.includes('/collections/'));
const tooLarge = { code: 'too_large' };

function playOn(limits: BackendLimits, storage?: StoragePort): Promise<Client> {
  world = createWorld({}, limits);
  return world.player(storage === undefined ? {} : { storage });
}

describe('a value', () => {
  it('that the service would refuse is refused by the promise of `set` and of `update`, and nothing has changed', async () => {
    const client = await playOn({ valueBytes: 2_048 });
    const progress = client.profile.collection('progress');
    await expect(progress.set('main', text(3_000))).rejects.toMatchObject(tooLarge);
    await expect(progress.update('main', () => text(3_000))).rejects.toMatchObject(tooLarge);
    await client.profile.flush();
    expect([progress.get('main'), progress.status, progress.held(), sentWrites()]).toEqual([
      undefined,
      'synced',
      [],
      [],
    ]);
  });

  it('that no service could store is a mistake of the game, and is thrown at once', async () => {
    const client = await playOn({});
    const progress = client.profile.collection('progress');
    for (const value of [{ n: Number.NaN }, { at: new Date(0) }, [] as never, { t: '\ud83d' }]) {
      expect(() => void progress.set('main', value as never)).toThrow(TypeError);
    }
  });

  it('may be larger than by default where the operator has said so', async () => {
    const client = await playOn({ valueBytes: 200_000 });
    const progress = client.profile.collection('progress', { merge: { items: 'union' } });
    const large = text(saveLimits.valueBytes + 1_000);
    await progress.set('main', large);
    await progress.update('main', (value) => ({ ...value, items: [1] }));
    await client.profile.flush();
    expect((await progress.load())[0]?.value).toEqual({ ...large, items: [1] });
  });

  it('may not be larger than all values of the account together', async () => {
    const client = await playOn({ quotas: { values: 100 } });
    await expect(client.profile.collection('progress').set('main', text(100))).rejects.toMatchObject(tooLarge);
  });

  it('may be as large as by default where nobody has signed in on the device yet', async () => {
    world = createWorld({}, { valueBytes: 200_000 });
    const client = await world.player({ network: 'off' });
    const progress = client.profile.collection('progress');
    await progress.set('main', text(saveLimits.valueBytes - 8));
    await expect(progress.set('main', text(saveLimits.valueBytes - 7))).rejects.toMatchObject(tooLarge);
  });
});

describe('an account', () => {
  it('takes no entry and no collection more than the operator allows, each refused before it is acknowledged', async () => {
    const client = await playOn({ quotas: { entries: 2, collections: 2 } });
    const [first, second, third] = ['a', 'b', 'c'].map((name) => client.profile.collection(name));
    await Promise.all([first?.set('one', {}), first?.set('two', {}), second?.set('one', {})]);
    await expect(first?.set('three', {})).rejects.toMatchObject(tooLarge);
    await expect(third?.set('one', {})).rejects.toMatchObject(tooLarge);
    await first?.set('two', { n: 1 });
    await client.profile.flush();
    expect([client.profile.status, third?.get('one')]).toEqual(['synced', undefined]);
  });

  it('that is full holds what is too much for it: only the service knows what other devices have made of it', async () => {
    const client = await playOn({ quotas: { values: 100 } });
    const progress = client.profile.collection('progress');
    await progress.set('one', text(60));
    await progress.set('two', text(60));
    await expect(client.profile.flush()).rejects.toMatchObject({ code: 'quota_exceeded' });
    expect(progress.held()).toMatchObject([{ key: 'two', code: 'quota_exceeded' }]);
  });
});

describe('limits', () => {
  it('are known to the next start before it has asked anybody', async () => {
    const storage = createMemoryStorage();
    (await playOn({ valueBytes: 2_048 }, storage)).dispose();
    const next = await world.player({ storage, network: 'off' });
    await expect(next.profile.collection('progress').set('main', text(3_000))).rejects.toMatchObject(tooLarge);
  });

  it('that have changed come with the next access token', async () => {
    holdTime();
    world = createWorld({}, { valueBytes: 2_048 });
    let valueBytes = 2_048;
    const client = await world.player({
      fetch: async (request) => {
        const answer = await world.service.fetch(request);
        const told = (await answer.text()).replace('"valueBytes":2048', `"valueBytes":${valueBytes}`);
        return new Response(told, answer);
      },
    });
    const progress = client.profile.collection('progress');
    await expect(progress.set('main', text(3_000))).rejects.toMatchObject(tooLarge);
    valueBytes = 4_096;
    await vi.advanceTimersByTimeAsync(3_600_000);
    // It asks with a token that is good still.
    await progress.load();
    await progress.set('main', text(3_000));
  });

  it('of an earlier service are unknown: the defaults count, and what it refuses is held', async () => {
    world = createWorld({}, { valueBytes: 2_048 });
    const client = await world.player({ fetch: withoutLimits(world.service.fetch) });
    const progress = client.profile.collection('progress');
    await progress.set('main', text(3_000));
    await expect(progress.set('other', text(saveLimits.valueBytes))).rejects.toMatchObject(tooLarge);
    await expect(client.profile.flush()).rejects.toMatchObject(tooLarge);
    expect(progress.held()).toMatchObject([{ key: 'main', code: 'too_large' }]);
  });

  it('are passed over by an earlier client', async () => {
    world = createWorld({}, { valueBytes: 2_048, quotas: { entries: 5 } });
    const answer = await signInGuest(world.service);
    expect(answer.limits).toEqual({ valueBytes: 2_048, entries: 5, collections: 100 });
    // Its check of the answer: what it does not know, it lets through.
    expect(checkAuthAnswer(answer)).toBeNull();
  });
});
