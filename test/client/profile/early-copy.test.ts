import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AccountCopy } from '../../../src/client/profile/account-copy.js';
import type { CollectionOptions } from '../../../src/client/profile/collection.js';
import { giveAway } from '../../../src/client/profile/early-copy.js';
import { createEdit } from '../../../src/client/profile/edit.js';
import {
  confirmWrite,
  type EntryRecord,
  freeze,
  nextWrite,
  rebaseOn,
  shownValue,
} from '../../../src/client/profile/entry-record.js';
import { mergeValues } from '../../../src/merge/merge-values.js';
import type { JsonObject } from '../../../src/protocol/messages.js';
import { sameJson } from '../../../src/protocol/value-text.js';

import { accountPrefix, coinsOf, createEarlyDevice, main, maxBytes, merge, other, turn } from './early-device.js';

describe('what was set before an account', () => {
  it('is given to the account, and is gone where it was', async () => {
    const device = createEarlyDevice();
    const { early, account, add, give } = await device.open();
    await Promise.all([add(early, 5), add(early, 7, other)]);
    const write = early.record(main)?.local;
    expect(await give()).toBe(false);
    expect([...early.names()]).toEqual([]);
    expect([account.value(main), account.value(other)]).toEqual([{ coins: 5 }, { coins: 7 }]);
    expect([...device.texts.keys()].sort()).toEqual([accountPrefix + main, accountPrefix + other]);
    expect(account.record(main)).toMatchObject({ version: -1, local: { id: write?.id }, counted: [write?.id] });
    expect(await give()).toBe(false);
    expect(account.value(main)).toEqual({ coins: 5 });
  });

  it('is a new entry where it has no past: the service decides between both', async () => {
    const device = createEarlyDevice();
    device.putAccount({ version: 3, base: { coins: 100 }, times: { skin: 1 } });
    const { early, add, give } = await device.open();
    await add(early, 5);
    await give();
    const { local, ...rest } = device.account() as EntryRecord;
    expect(local?.value).toEqual({ coins: 5 });
    expect(rest).toMatchObject({ version: -1 });
    expect([rest.base, rest.times, rest.sent]).toEqual([undefined, undefined, undefined]);
  });

  it('goes on top of what the account has not sent, which is sent first', async () => {
    const device = createEarlyDevice();
    device.putAccount({
      version: 3,
      base: { coins: 100 },
      local: { id: 'l', value: { coins: 101 } },
      by: 'x',
      since: 1,
    });
    const { early, add, give } = await device.open();
    await add(early, 5);
    expect(await give()).toBe(false);
    expect(device.account()).toMatchObject({
      version: 3,
      base: { coins: 100 },
      sent: { id: 'l', value: { coins: 101 } },
      local: { value: { coins: 106 } },
      since: 1,
    });
  });

  it('takes the place of nothing that this page has set in the account', async () => {
    const device = createEarlyDevice();
    const { early, account, add, give } = await device.open();
    await Promise.all([add(early, 5), add(account, 1)]);
    const own = account.record(main)?.local?.id;
    await give();
    expect(device.account()).toMatchObject({ sent: { id: own, value: { coins: 1 } }, local: { value: { coins: 6 } } });
  });

  it('goes on top of the account by what was changed, where it has a past', async () => {
    const device = createEarlyDevice();
    device.putAccount({ version: 3, base: { coins: 100 } });
    const { early, account, set, give } = await device.open();
    // The account was being left, and the game saw its value.
    await set(early, { coins: 92 }, main, { coins: 90 });
    await give();
    expect(account.record(main)).toMatchObject({ version: 3, base: { coins: 100 }, local: { value: { coins: 102 } } });
  });

  it('keeps its past where this device has no such entry of the account: the service may have one', async () => {
    const device = createEarlyDevice();
    const { early, set, give } = await device.open();
    await set(early, { coins: 92 }, main, { coins: 90 });
    await give();
    expect(device.account()).toMatchObject({ version: -1, base: { coins: 90 }, local: { value: { coins: 92 } } });
  });

  it('goes on top of the account by what an update has changed, where rules merge', async () => {
    const device = createEarlyDevice();
    device.putAccount({ version: 3, base: { coins: 100 } });
    const { page, early, account, give } = await device.open();
    const change = (value: unknown): unknown => ({ coins: coinsOf(value as JsonObject | undefined) + 2 });
    const made = { before: { coins: 90 }, value: { coins: 92 }, change, now: 1, maxBytes };
    await early.edit(main, createEdit({ id: page.newWrite(), options: { merge }, ...made }));
    await give();
    expect(account.value(main)).toEqual({ coins: 102 });
  });

  it('makes an update of this page again on what the account has not sent', async () => {
    const device = createEarlyDevice({ progress: {} });
    device.putAccount({ version: 3, base: {}, local: { id: 'l', value: { log: ['a'] }, isUpdate: true }, by: 'x' });
    const { page, early, give } = await device.open();
    const change = (value: unknown): unknown => ({ log: [...((value as { log?: string[] })?.log ?? []), 'b'] });
    const edit = {
      id: page.newWrite(),
      options: {},
      before: undefined,
      value: { log: ['b'] },
      change,
      now: 1,
      maxBytes,
    };
    await early.edit(main, createEdit(edit));
    expect(await give()).toBe(false);
    expect(device.account()).toMatchObject({
      sent: { id: 'l' },
      local: { value: { log: ['a', 'b'] }, isUpdate: true },
    });
  });

  it('waits and meets the other at the service where nobody knows any more how an update was made', async () => {
    const device = createEarlyDevice({ progress: {} });
    device.putAccount({ version: 3, base: { n: 1 }, local: { id: 'l', value: { n: 2 }, isUpdate: true }, by: 'x' });
    device.putEarly({ version: -1, local: { id: 'u', value: { n: 1 }, isUpdate: true }, by: 'gone' });
    const { account, give } = await device.open();
    expect(await give()).toBe(true);
    expect(shownValue(device.account())).toEqual({ n: 2 });
    await account.change(main, 'cloud', (record) => record && confirmWrite(record, { id: 'l', version: 4, now: 1 }));
    expect(await give()).toBe(false);
    expect(device.account()).toMatchObject({ version: -1, local: { id: 'u', value: { n: 1 }, isUpdate: true } });
    expect(device.early()).toBeUndefined();
  });

  it('waits where it was set whole and the account has something unsent, which nothing may take the place of', async () => {
    const device = createEarlyDevice({ progress: {} });
    device.putAccount({ version: 3, base: { n: 1 }, local: { id: 'l', value: { n: 2 } }, by: 'x' });
    device.putEarly({ version: -1, base: { n: 7 }, local: { id: 's', value: { n: 8 } }, by: 'gone' });
    const { account, give } = await device.open();
    expect(await give()).toBe(true);
    expect(device.account()).toMatchObject({ version: 3, local: { id: 'l', value: { n: 2 } } });
    await account.change(main, 'cloud', (record) => record && confirmWrite(record, { id: 'l', version: 4, now: 1 }));
    expect(await give()).toBe(false);
    expect(device.account()).toMatchObject({ version: 4, base: { n: 2 }, local: { id: 's', value: { n: 8 } } });
    expect(device.early()).toBeUndefined();
  });

  it('counts as the later one of this device in what no rule merges', async () => {
    const device = createEarlyDevice();
    device.putAccount({ version: 3, base: {}, local: { id: 'l', value: { coins: 1, hat: 'red' } }, by: 'x' });
    const { early, set, give } = await device.open();
    await set(early, { coins: 2, hat: 'blue' });
    await give();
    expect(device.account()).toMatchObject({ sent: { id: 'l' }, local: { value: { coins: 3, hat: 'blue' } } });
  });

  it('waits and meets the other at the service where both together are too large', async () => {
    const device = createEarlyDevice({ progress: { merge: { items: 'union' } } });
    const [one, two] = ['a', 'b'].map((letter) => ({ items: [letter.repeat(100 * 1024)] }));
    device.putAccount({ version: 3, base: {}, local: { id: 'l', value: one as JsonObject }, by: 'x' });
    const { account, early, set, give } = await device.open();
    await set(early, two as JsonObject);
    expect(await give()).toBe(true);
    expect([device.account()?.local?.id, early.offered('ada')]).toEqual(['l', [main]]);
    await account.change(main, 'cloud', (record) => record && confirmWrite(record, { id: 'l', version: 4, now: 1 }));
    expect(await give()).toBe(false);
    expect([device.account()?.version, shownValue(device.account())]).toEqual([-1, two]);
  });

  it('is the account’s that has come, though another one is there before the home knows whose it is', async () => {
    const device = createEarlyDevice();
    const { early, account, bob, set, give } = await device.open();
    await set(early, { coins: 1 });
    early.inherit('ada');
    await set(early, { coins: 2 }, main, undefined);
    expect([await give(bob), bob.value(main)]).toEqual([false, { coins: 2 }]);
    expect([early.offered('ada'), device.early()?.offers]).toEqual([
      [main],
      [expect.objectContaining({ userId: 'ada' })],
    ]);
    expect([await give(), account.value(main), bob.value(main)]).toEqual([false, { coins: 1 }, { coins: 2 }]);
  });

  it('is taken once, where another page gives it, and the account’s copy is dropped meanwhile', async () => {
    const device = createEarlyDevice();
    const offers = ['a', 'b'].map((id, index) => ({
      userId: 'ada',
      write: { id, value: { coins: index } },
      base: undefined,
      since: 1,
    }));
    device.putEarly({ version: -1, offers });
    const [slow, quick] = [await device.open(), await device.open()];
    let changes = 0;
    const change: AccountCopy['change'] = async (name, by, made) => {
      changes += 1;
      // It has taken the first one, and is about to note that.
      if (changes === 2) await quick.give().then(() => quick.account.change(main, 'cloud', () => null));
      return slow.early.change(name, by, made);
    };
    expect(await giveAway({ ...slow.early, change }, slow.account, slow.takeIn)).toBe(false);
    expect([device.early(), device.account()]).toEqual([undefined, undefined]);
  });

  it('goes on top of what the account has set since its last request, and that counts too', async () => {
    const device = createEarlyDevice();
    const sent = { id: 's', value: { coins: 101 } };
    device.putAccount({ version: 3, base: {}, sent });
    const { early, account, add, give } = await device.open();
    await Promise.all([add(account, 1), add(early, 5)]);
    const own = account.record(main)?.local?.id;
    expect(await give()).toBe(false);
    expect(device.account()).toMatchObject({ sent, local: { value: { coins: 107 } } });
    // It may be in the journal as well.
    expect(device.account()?.counted).toContain(own);
    expect(early.value(main)).toBeUndefined();
  });

  it('waits for the account that it was offered to, whoever comes meanwhile', async () => {
    const options: { [collection: string]: CollectionOptions<unknown> } = {};
    const device = createEarlyDevice(options);
    const local = { id: 'l', value: { coins: 102 } };
    device.putAccount({ version: 3, base: { coins: 100 }, local, by: 'x' });
    const first = await device.open();
    await first.add(first.early, 5);
    expect(await first.give()).toBe(true);
    for (const { early, bob, give, add } of [first, await device.open()]) {
      expect([early.value(main), early.names(), [...early.unsent]]).toEqual([undefined, [], []]);
      expect(await give(bob)).toBe(false);
      expect(bob.value(main)).toBeUndefined();
      // What is set after that is somebody else's.
      await add(early, 30);
    }
    const last = await device.open();
    await last.give(last.bob);
    expect(last.bob.value(main)).toEqual({ coins: 30 });
    options['progress'] = { merge };
    expect(await last.give()).toBe(false);
    expect([last.account.value(main), device.early()]).toEqual([{ coins: 107 }, undefined]);
  });

  it('waits for the rules of a game that has not opened the collection, where the account has the entry', async () => {
    const options: { [collection: string]: CollectionOptions<unknown> } = {};
    const device = createEarlyDevice(options);
    const unsent: EntryRecord = {
      version: 3,
      base: { coins: 100 },
      local: { id: 'l', value: { coins: 101 } },
      by: 'x',
    };
    device.putAccount(unsent);
    const { early, add, give } = await device.open();
    await Promise.all([add(early, 5), add(early, 7, other)]);
    expect(await give()).toBe(true);
    // What the account has not got does not wait.
    expect([device.account(), device.account(other)?.local?.value]).toEqual([unsent, { coins: 7 }]);
    expect(early.offered('ada')).toEqual([main]);
    options['progress'] = { merge };
    expect(await give()).toBe(false);
    expect(device.account()?.local?.value).toEqual({ coins: 106 });
  });

  it('goes on counting from what was given, where the game has set more meanwhile', async () => {
    const device = createEarlyDevice();
    const [one, two] = [await device.open(), await device.open()];
    await one.add(one.early, 5);
    await two.early.sync();
    const giving = one.give();
    await two.add(two.early, 2);
    await giving;
    await two.early.sync();
    await two.account.sync();
    await two.give();
    expect(device.early()).toBeUndefined();
    expect(shownValue(device.account())).toEqual({ coins: 7 });
  });
});

describe('a page that is killed while it gives', () => {
  it('has given once, whenever that is, and whoever goes on', async () => {
    for (let lives = 0; lives <= 4; lives += 1) {
      const device = createEarlyDevice();
      device.putAccount({ version: 3, base: { coins: 100 }, local: { id: 'l', value: { coins: 101 } }, by: 'x' });
      const first = await device.open();
      await Promise.all([first.add(first.early, 5), first.add(first.early, 7, other)]);
      const killed = await device.open(lives);
      let isOver = false;
      void killed.give().then(() => {
        isOver = true;
      });
      for (let turns = 0; turns < 10; turns += 1) await turn();
      expect(isOver).toBe(false);
      const next = await device.open();
      expect(await next.give()).toBe(false);
      expect([device.early(), device.early(other)]).toEqual([undefined, undefined]);
      expect([shownValue(device.account()), shownValue(device.account(other))]).toEqual([{ coins: 106 }, { coins: 7 }]);
    }
  });

  it('neither doubles nor loses anything, whoever goes on, and whatever the service has answered meanwhile', async () => {
    const attempt = fc.record({
      lives: fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 2 }),
      sends: fc.nat({ max: 2 }),
      elsewhere: fc.constantFrom(0, 0, 3),
      adds: fc.constantFrom(0, 0, 11),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(fc.constantFrom(1, 5), { minLength: 1, maxLength: 3 }),
        fc.array(attempt, { maxLength: 5 }),
        async (hasEntry, early, attempts) => {
          const device = createEarlyDevice();
          let cloud: { version: number; value: JsonObject | undefined } = { version: -1, value: undefined };
          let coins = 0;
          if (hasEntry) {
            cloud = { version: 3, value: { coins: 100 } };
            device.putAccount({ version: 3, base: { coins: 100 } });
            coins = 100;
          }
          const first = await device.open();
          for (const amount of early) {
            await first.add(first.early, amount);
            coins += amount;
          }

          /** Sends the next write, and merges where it came second. */
          async function send(): Promise<void> {
            const { account, page } = await device.open();
            await account.change(main, 'tab', (record) => record && freeze(record));
            const record = account.record(main);
            const write = nextWrite(record);
            if (record === undefined || write === undefined) return;
            if (record.version === cloud.version) {
              cloud = { version: cloud.version + 1, value: write.value };
              const made = { id: write.id, version: cloud.version, now: 1 };
              await account.change(main, 'cloud', (latest) => latest && confirmWrite(latest, made));
              return;
            }
            const local = shownValue(record) as JsonObject;
            const theirs = cloud.value as JsonObject;
            const { value } = mergeValues({ base: record.base ?? null, local, cloud: theirs, rules: merge });
            const merged = sameJson(value, theirs) ? undefined : { id: page.newWrite(), value };
            await account.change(main, 'cloud', (latest) => latest && rebaseOn(latest, cloud, merged, page.id));
          }

          for (const { lives, sends, elsewhere, adds } of attempts) {
            for (const one of await Promise.all(lives.map((some) => device.open(some)))) void one.give();
            for (let turns = 0; turns < 10; turns += 1) await turn();
            for (let sent = 0; sent < sends; sent += 1) await send();
            if (elsewhere > 0) {
              cloud = { version: cloud.version + 1, value: { coins: coinsOf(cloud.value) + elsewhere } };
              coins += elsewhere;
            }
            if (adds > 0) {
              const tab = await device.open();
              await tab.add(tab.account, adds);
              coins += adds;
            }
          }
          for (let round = 0; round < 6; round += 1) {
            const last = await device.open();
            await last.give();
            await send();
            await send();
          }
          expect(device.early()).toBeUndefined();
          expect(nextWrite(device.account())).toBeUndefined();
          expect(coinsOf(cloud.value)).toBe(coins);
        },
      ),
      { numRuns: 150 },
    );
  });
});
