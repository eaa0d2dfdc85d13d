import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withoutLedger } from '../../support/older-service.js';
import { createWorld, type World } from '../world.js';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.end());

describe('a service without a ledger', () => {
  it('is believed to have carried out what it has, and the write counts once', async () => {
    const older = withoutLedger(world.service.fetch);
    let isLosing = false;
    const client = await world.player({
      fetch: async (request) => {
        const answer = await older(request);
        if (isLosing && request.method === 'PATCH') throw new TypeError('fetch failed');
        return answer;
      },
    });
    const progress = client.profile.collection('progress', { merge: { coins: 'sum' } });
    await progress.set('main', { coins: 1 });
    await client.profile.flush();
    isLosing = true;
    await progress.set('main', { coins: 3 });
    await expect(client.profile.flush()).rejects.toMatchObject({ code: 'network' });
    isLosing = false;
    await client.profile.flush();
    expect(await progress.load()).toEqual([{ key: 'main', value: { coins: 3 }, version: 1 }]);
  });
});
