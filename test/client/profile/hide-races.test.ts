import { expect, it } from 'vitest';
import type { AccountCopy } from '../../../src/client/profile/account-copy.js';
import { giveAway } from '../../../src/client/profile/early-copy.js';
import { discard, freeze, shownValue } from '../../../src/client/profile/entry-record.js';
import { createDevice, name, turns } from './racing-device.js';

it('a hidden page sends no unfrozen write of another page', async () => {
  const device = createDevice();
  const [one, other] = [await device.open(), await device.open()];
  await one.add(1);
  await other.copy.sync();
  other.stall();
  void other.add(1);
  await turns(1);
  other.hide();
  other.kill();
  await one.add(1);
  await turns();
  await device.settle(one, await device.open());
  expect(device.coins()).toBe(3);
});

it('a hidden page asks for nothing that replaces what another tab has frozen meanwhile', async () => {
  const device = createDevice();
  const [one, other] = [await device.open(), await device.open()];
  await other.add(1);
  await one.copy.sync();
  other.stall();
  void other.add(1);
  await turns(1);
  await one.copy.change(name, 'tab', (record) => record && freeze(record));
  other.hide();
  other.kill();
  await turns();
  await device.settle(one, await device.open());
  expect(device.coins()).toBe(2);
});

it('a hidden page that lives counts its change once, where another tab came first', async () => {
  const device = createDevice();
  const [one, other] = [await device.open(), await device.open()];
  const letGo = other.stall();
  void other.add(1);
  await one.add(1);
  other.hide();
  await turns();
  letGo();
  await turns();
  await device.settle(one, other);
  expect(device.coins()).toBe(2);
});

it('a hidden page that lives does not set again what another tab has folded in and sent', async () => {
  const device = createDevice();
  const [one, other] = [await device.open(), await device.open()];
  const letGo = other.stall();
  void other.add(1);
  await turns(1);
  other.hide();
  await turns();
  await one.fold();
  await one.send();
  letGo();
  await turns();
  await device.settle(one, other);
  expect([device.coins(), device.record().base]).toEqual([1, { coins: 1 }]);
});

it('a write of a hidden page is known again though the device has written since', async () => {
  const device = createDevice();
  const [one, other] = [await device.open(), await device.open()];
  other.stall();
  void other.add(1);
  await turns(1);
  other.hide();
  other.kill();
  await turns();
  expect(device.coins()).toBe(1);
  await one.add(1);
  for (let round = 0; round < 2; round += 1) await one.send();
  expect(device.coins()).toBe(2);
  await device.settle(one);
  expect(device.coins()).toBe(2);
});

it('a page that goes while the home takes one change counts it once, and the next one too', async () => {
  const device = createDevice();
  const one = await device.open();
  one.stallAnswer();
  void one.add(1);
  await turns(1);
  void one.add(1);
  one.hide();
  one.kill();
  await turns();
  expect(device.record().local?.value).toEqual({ coins: 1 });
  await device.settle(await device.open());
  expect([device.coins(), device.record().base]).toEqual([2, { coins: 2 }]);
});

it('a page that lives on counts each change once, where it was hidden while the home took the first', async () => {
  const device = createDevice();
  const one = await device.open();
  const answer = one.stallAnswer();
  void one.add(1);
  await turns(1);
  void one.add(1);
  one.hide();
  void one.add(1);
  await turns();
  answer();
  await turns();
  await device.settle(one);
  expect([device.coins(), device.record().base]).toEqual([3, { coins: 3 }]);
});

it.each([2, 3])('a page that is hidden %d times, with a change before each, counts each once', async (times) => {
  const device = createDevice();
  const one = await device.open();
  one.stall();
  for (let hidden = 0; hidden < times; hidden += 1) {
    void one.add(1);
    await turns(1);
    one.hide();
    await turns();
  }
  one.kill();
  await device.settle(await device.open());
  expect([device.coins(), device.record().base]).toEqual([times, { coins: times }]);
});

it('a page that is hidden twice while the home is slow counts all once, whatever that has taken', async () => {
  const device = createDevice();
  const one = await device.open();
  const letGo = one.stall();
  void one.add(1);
  await turns(1);
  one.hide();
  one.stallAnswer();
  letGo();
  await turns();
  void one.add(1);
  one.hide();
  one.kill();
  await turns();
  await device.settle(await device.open());
  expect([device.coins(), device.record().base]).toEqual([2, { coins: 2 }]);
});

it('what another page has sent of a page that is gone counts once, and what came after it', async () => {
  const device = createDevice();
  const [one, other] = [await device.open(), await device.open()];
  one.stallAnswer();
  void one.add(1);
  await turns(1);
  void one.add(1);
  one.hide();
  one.kill();
  await other.send();
  expect(device.coins()).toBe(1);
  await device.settle(await device.open(), other);
  expect([device.coins(), device.record().base]).toEqual([2, { coins: 2 }]);
});

it('what another page was sending when its own was hidden, which did not know that the home had it, counts once', async () => {
  const device = createDevice();
  const [one, other] = [await device.open(), await device.open()];
  other.stallAnswer();
  void other.add(1);
  await turns(1);
  void one.send();
  await turns(1);
  one.stall();
  await turns();
  other.hide();
  await turns();
  other.kill();
  await device.settle(await device.open());
  expect([device.coins(), device.record().base]).toEqual([1, { coins: 1 }]);
});

it('what is in the journal is known to count, however much other tabs set on top of it', async () => {
  const device = createDevice();
  const [one, other, gone] = [await device.open(), await device.open(), await device.open()];
  await one.add(1);
  await gone.copy.sync();
  gone.stallAnswer();
  void gone.add(1);
  await turns(1);
  gone.hide();
  gone.kill();
  for (let round = 0; round < 10; round += 1) for (const tab of [one, other]) await tab.add(1);
  await device.settle(await device.open());
  expect([device.coins(), device.record().base]).toEqual([22, { coins: 22 }]);
});

it('what is set as another tab gives up what was there counts once, where the service has got that all the same', async () => {
  const device = createDevice();
  const [one, other] = [await device.open(), await device.open()];
  await one.add(1);
  const letGo = one.stall();
  one.hide();
  await turns();
  void one.add(1);
  await other.copy.change(name, 'cloud', (record) => record && discard(record));
  letGo();
  await turns();
  await device.settle(one);
  expect([device.coins(), device.record().base]).toEqual([2, { coins: 2 }]);
});

it('what a hidden page has heard of is not folded in by a tab that had begun to, where the entry was given up', async () => {
  const device = createDevice();
  const [one, other] = [await device.open(), await device.open()];
  const letOne = one.stall();
  void one.add(1);
  one.hide();
  await turns();
  await other.add(1);
  await other.copy.change(name, 'cloud', (record) => record && discard(record));
  const letOther = other.stall();
  void other.fold();
  await turns();
  letOne();
  await turns();
  letOther();
  await turns();
  await device.settle(one, other);
  expect(device.coins()).toBe(1);
});

it('what the home says has failed, though it is done, is not left in the journal once more', async () => {
  const device = createDevice();
  const one = await device.open();
  const answers = [one.stallAnswer(), one.stallAnswer()];
  one.stallAnswer();
  void one.add(1);
  await turns(1);
  void one.add(1);
  for (const answer of answers) {
    answer('failed');
    await turns(1);
  }
  one.hide();
  one.kill();
  await device.settle(await device.open());
  expect([device.coins(), device.record().base]).toEqual([2, { coins: 2 }]);
});

it('what a hidden page has left comes in its turn, where the home is asked again and has got what was before it', async () => {
  const device = createDevice();
  const one = await device.open();
  const answers = [one.stallAnswer(), one.stallAnswer()];
  one.stallAnswer();
  void one.add(1);
  await turns(1);
  answers[0]?.('failed');
  await turns(1);
  void one.add(1);
  one.hide();
  void one.add(1);
  answers[1]?.('failed');
  await turns(1);
  expect(device.record().local?.value).toEqual({ coins: 3 });
});

it('what is set before an account on top of what was given counts once', async () => {
  const device = createDevice();
  const openBoth = async () => [await device.open('entry::', null), await device.open()] as const;
  const [early, account] = await openBoth();
  await early.add(5);
  // Killed between the step in the account's copy and that in the early one.
  early.stall();
  void giveAway(early.copy, account.copy, account.takeIn);
  await turns();
  const [nextEarly, nextAccount] = await openBoth();
  await nextEarly.add(2);
  await giveAway(nextEarly.copy, nextAccount.copy as AccountCopy, nextAccount.takeIn);
  expect(shownValue(device.record())).toEqual({ coins: 7 });
});

it('what a hidden page has sent counts once, though its repeat is refused where another tab waits to send', async () => {
  const device = createDevice();
  const [one, other] = [await device.open(), await device.open()];
  other.stall();
  void other.add(1);
  await turns(1);
  other.hide();
  other.kill();
  await turns();
  await one.add(1);
  device.refuse(true);
  await one.fold();
  await one.send().catch(() => {});
  device.refuse(false);
  await device.settle(one, await device.open());
  expect(device.coins()).toBe(2);
});

it('what a hidden page has sent is not written again, where another tab meets it at the service with its own', async () => {
  const device = createDevice({});
  const [one, other] = [await device.open(), await device.open()];
  await one.set(9);
  const letGo = other.stall();
  void other.set(8);
  await turns(1);
  other.hide();
  letGo();
  await turns();
  await device.settle(one, other);
  expect([device.coins(), device.record().version]).toEqual([8, 0]);
});
