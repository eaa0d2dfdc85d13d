import { expect, it } from 'vitest';
import type { EntryConflict } from '../../../src/client/profile/collection.js';
import { createDevice, name, turns } from './racing-device.js';

it('sends nothing that the game is just replacing', async () => {
  const device = createDevice();
  const tab = await device.open();
  await tab.add(1);
  const [answerToRead, answerToSet] = [tab.stallAnswer(), tab.stallAnswer()];
  const sending = tab.sender.send(tab.copy, name);
  void tab.add(2);
  await turns();
  answerToRead();
  await turns();
  answerToSet();
  await sending;
  await device.settle(tab);
  expect(device.coins()).toBe(3);
});

it('freezes what another page may be replacing, before it sends it', async () => {
  const device = createDevice();
  const [one, other] = [await device.open(), await device.open()];
  await one.add(1);
  await other.copy.sync();
  const sending = other.sender.send(other.copy, name);
  // Its request is under way.
  await turns(1);
  await one.add(2);
  await sending;
  await device.settle(one, other);
  expect(device.coins()).toBe(3);
});

it('asks the game once about a clash that two tabs have met', async () => {
  const asked: object[] = [];
  const device = createDevice({
    onConflict: (conflict) => {
      const { local, cloud } = conflict as EntryConflict<{ coins: number }>;
      asked.push({ local, cloud });
      return { coins: local.coins + cloud.coins };
    },
  });
  device.writeElsewhere(5);
  const [one, other] = [await device.open(), await device.open()];
  await one.add(8);
  await other.copy.sync();
  const letGo = other.stallWay();
  const late = other.send();
  await turns();
  await one.send();
  await device.settle(one);
  expect(device.coins()).toBe(13);
  letGo();
  await late;
  expect(asked).toEqual([{ local: { coins: 8 }, cloud: { coins: 5 } }]);
});
