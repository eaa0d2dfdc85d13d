import type { Client } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWorld, holdTime, ok, pass, type World } from '../world.js';

let world: World;
beforeEach(() => {
  holdTime();
  world = createWorld();
});
afterEach(() => {
  world.end();
  vi.useRealTimers();
});

const red = { color: 'red' };
const blue = { color: 'blue' };
const sentWrites = () => world.sent.filter(({ path }) => path.includes('/collections/')).length;

/** Two devices of one account; the first shows red, and the second has written blue, of which the first has not heard. */
async function twoDevices(options: object) {
  const roomOf = (client: Client) => client.profile.collection<{ color: string }>('look', options);
  const [first, second] = [await world.player(), await world.player()];
  ok(await first.auth.withName('ada', 'correct horse'));
  await roomOf(first).set('main', red);
  await first.profile.flush();
  ok(await second.auth.switchTo({ method: 'name', username: 'ada', password: 'correct horse' }));
  await roomOf(second).load();
  await roomOf(second).set('main', blue);
  await second.profile.flush();
  return { first, look: roomOf(first) };
}

describe('setting what is shown already', () => {
  it.each([
    ['without rules', {}],
    ['under the rule `latest`', { merge: { color: 'latest' } }],
  ])('is no change: nothing is sent, and what another device has written counts, %s', async (_, options) => {
    const { first, look } = await twoDevices(options);
    const sent = sentWrites();
    await look.set('main', { ...red });
    await look.update('main', () => ({ ...red }));
    await first.profile.flush();
    expect([sentWrites(), look.status, look.get('main')]).toEqual([sent, 'synced', red]);
    await look.load();
    expect([look.get('main'), await first.account.snapshots()]).toEqual([blue, []]);
  });

  it('counts where the field says that it was set anew', async () => {
    const { first, look } = await twoDevices({ merge: { color: 'latest' } });
    const picked = { color: { name: 'red', pickedAt: 2 } };
    // Both devices know the service's clock only as exactly as an answer takes.
    await pass(1_000);
    await look.set('main', picked as never);
    await first.profile.flush();
    expect((await look.load())[0]?.value).toEqual(picked);
  });
});
