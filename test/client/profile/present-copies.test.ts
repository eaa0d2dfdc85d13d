import { describe, expect, it } from 'vitest';
import type { AccountCopy } from '../../../src/client/profile/account-copy.js';
import { createEdit } from '../../../src/client/profile/edit.js';
import { createPresentCopies, type PresentCopies } from '../../../src/client/profile/present-copies.js';
import type { JsonObject } from '../../../src/protocol/messages.js';
import { createEarlyDevice, main, maxBytes, merge, other, turn } from './early-device.js';

type Parts = Awaited<ReturnType<ReturnType<typeof createEarlyDevice>['open']>>;

/** What the collections see of a device's copies, as the account changes. */
function presentOf({ early, account, bob, takeIn }: Parts, userId: string | null = null) {
  const session = { userId, state: { name: 'starting' } as never, isSwitching: false };
  const told: [string, JsonObject | undefined][] = [];
  const copies: { [userId: string]: AccountCopy } = { ada: account, bob };
  const present: PresentCopies = createPresentCopies({
    session,
    openCopy: (user) => (user === null ? early : (copies[user] as AccountCopy)),
    takeIn,
    turned: (name) => told.push([name, present.copies.value(name)]),
  });
  return { session, present, told };
}

describe('what is set while an account arrives', () => {
  it('goes into the account, but for an entry of which something waits to come into it', async () => {
    const parts = await createEarlyDevice().open();
    const { early, account, set } = parts;
    await set(early, { coins: 1 });
    const { session, present } = presentOf(parts);
    present.start();
    session.userId = 'ada';
    await present.open();
    expect([present.copies.writable(main), present.copies.writable(other)]).toEqual([early, account]);
    await present.adopt();
    expect(present.copies.writable(main)).toBe(account);
  });

  it('gives way to what the account has where both together are too large, and the game is told', async () => {
    const device = createEarlyDevice({ progress: { merge: { items: 'union' } } });
    const [one, two] = ['a', 'b'].map((letter) => ({ items: [letter.repeat(100 * 1024)] }));
    device.putAccount({ version: 3, base: {}, local: { id: 'l', value: one as JsonObject }, by: 'x' });
    const parts = await device.open();
    await parts.set(parts.early, two as JsonObject);
    const { session, present, told } = presentOf(parts);
    present.start();
    session.userId = 'ada';
    expect([await present.open(), present.copies.value(main)]).toEqual([true, two]);
    await present.adopt();
    expect([present.copies.value(main), told]).toEqual([one, [[main, one]]]);
    await present.adopt();
    expect(told).toHaveLength(1);
  });
});

describe('what is set while an account is left', () => {
  it.each([
    ['ada', 'was played'],
    ['bob', 'came out of the choice'],
  ])('is of %s, who %s, where nobody is here any more before the device has given it', async (heir) => {
    const parts = await createEarlyDevice().open();
    const { early, set } = parts;
    const { session, present } = presentOf(parts, 'ada');
    await present.open();
    const end = await present.leave();
    await set(early, { coins: 1 });
    session.userId = null;
    end(true, heir);
    await set(early, { coins: 2 }, main, undefined);
    const isOf = (userId: string): boolean => early.offered(userId).includes(main);
    expect([early.value(main), isOf('ada'), isOf('bob')]).toEqual([{ coins: 2 }, heir === 'ada', heir === 'bob']);
  });

  it('is told where another tab has set it before this one begins', async () => {
    const parts = await createEarlyDevice().open();
    const { session, present, told } = presentOf(parts, 'ada');
    await present.open();
    await present.adopt();
    await parts.set(parts.early, { coins: 1 });
    expect([session.userId, told]).toEqual(['ada', []]);
    await present.leave();
    expect([present.copies.value(main), told]).toEqual([{ coins: 1 }, [[main, { coins: 1 }]]]);
  });

  it.each([
    ['before the account has got all', false],
    ['after the account has got all', true],
  ])('goes into no account that has just come, and is left %s', async (_, isSlow) => {
    const parts = await createEarlyDevice().open();
    await parts.set(parts.early, { coins: 1 });
    let opened = Promise.resolve();
    const early: AccountCopy = Object.defineProperty({ ...parts.early }, 'opened', { get: () => opened });
    const { session, present } = presentOf({ ...parts, early });
    present.start();
    session.userId = 'ada';
    await present.open();
    const adopting = present.adopt();
    if (isSlow) opened = adopting;
    await present.leave();
    await adopting;
    expect([present.copies.value(main), present.copies.writable(main)]).toEqual([{ coins: 1 }, early]);
  });

  it('is known to the next page for the account’s own, where this one sets nothing more', async () => {
    const device = createEarlyDevice();
    const parts = await device.open();
    const { session, present } = presentOf(parts, 'ada');
    await present.open();
    const end = await present.leave();
    await parts.set(parts.early, { coins: 1 });
    session.userId = null;
    end(true, 'ada');
    while (device.early()?.offers === undefined) await turn();
    const next = await device.open();
    expect([await next.give(next.bob), next.bob.value(main)]).toEqual([false, undefined]);
    expect([await next.give(), next.account.value(main)]).toEqual([false, { coins: 1 }]);
  });
});

describe('an account that is forgotten', () => {
  it('counts once what a page sets again that has not heard of it: it may be restored', async () => {
    const device = createEarlyDevice();
    device.putAccount({ version: 1, base: { coins: 105 }, counted: ['made by a tab'] });
    device.putAccount({ version: 2, base: { coins: 1 } }, other);
    const [tab, parts] = [await device.open(), await device.open()];
    const { present } = presentOf(parts, 'ada');
    await present.open();
    await present.forget('ada');
    expect([device.account(other), present.copies.names()]).toEqual([undefined, []]);
    const made = { before: { coins: 100 }, value: { coins: 105 }, change: undefined, now: 1, maxBytes };
    await tab.account.edit(main, createEdit({ id: 'made by a tab', options: { merge }, ...made }));
    expect(device.account()).toEqual({ version: -1, counted: ['made by a tab'] });
  });
});
