import { expect, it } from 'vitest';
import type { CollectionOptions } from '../../../src/client/profile/collection.js';
import { createHeldDevice } from './held-device.js';

/** A device whose game sets whole values, unless it has rules: the coins are named as they are set. */
async function openTabs(options: CollectionOptions<unknown> = {}) {
  const device = createHeldDevice(options);
  for (const tab of [0, 1, 2]) await device.open(tab);
  /** Carries these out one after the other, each until nothing goes on by itself. */
  async function play(...acts: (() => unknown)[]): Promise<void> {
    for (const act of acts) {
      await act();
      await device.turns(2);
    }
  }
  return {
    play,
    collect: (tab: number) => () => device.on(tab, 'collect'),
    update: (tab: number) => () => device.on(tab, 'update'),
    send: (tab: number) => () => device.on(tab, 'send'),
    hide: (tab: number) => () => device.on(tab, 'hide'),
    hear: (tab: number) => () => device.on(tab, 'hear'),
    fold: (tab: number) => () => device.on(tab, 'fold'),
    /** The home carries out what it was asked for, or has lost that too. */
    kill: (tab: number, isDone: boolean) => () => device.kill(tab, isDone),
    takeStep: (nth: number) => () => device.takeStep(nth),
    answerStep: (nth: number) => () => device.answerStep(nth),
    serve: (nth: number) => () => device.serve(nth),
    answer: (nth: number) => () => device.answer(nth, false),
    lose: (nth: number) => () => device.answer(nth, true),
    coins: async () => (await device.outcome()).saved.coins,
    async saved() {
      await device.settle();
      return (await device.outcome()).saved.names;
    },
  };
}

it('what a page sets after it was hidden counts, though the home had something else by then', async () => {
  const { play, collect, send, hide, kill, takeStep, answerStep, saved } = await openTabs();
  await play(collect(0), kill(0, true), send(0), takeStep(0), answerStep(0));
  // What the page before has set is being frozen.
  await play(collect(0), hide(0), collect(0));
  expect(await saved()).toEqual(['coin 3']);
});

it('what a page sets after it was hidden counts, though another tab came between and the service has the older one', async () => {
  const { play, collect, hide, takeStep, saved } = await openTabs();
  await play(collect(0), hide(0), collect(1), collect(0), takeStep(1));
  expect(await saved()).toEqual(['coin 3']);
});

it('what a page sets after it was hidden counts, though it has heard by then that the service has the older one', async () => {
  const { play, collect, hide, takeStep, answerStep, serve, answer, saved } = await openTabs();
  await play(collect(0), hide(0), serve(0), collect(1), collect(0));
  await play(takeStep(1), answerStep(0), takeStep(0), answerStep(0), answer(0), takeStep(0), answerStep(0));
  expect(await saved()).toEqual(['coin 3']);
});

it('what a page sets after it was hidden counts, though it was hidden once more on what another tab had set', async () => {
  const { play, collect, send, hide, takeStep, answerStep, saved } = await openTabs();
  await play(collect(1), send(0), takeStep(0), collect(0), hide(0), answerStep(0), takeStep(0), answerStep(0));
  await play(collect(0), hide(0));
  expect(await saved()).toEqual(['coin 3']);
});

it('what a page sets after it was hidden counts, though another tab has settled what it left and no answer came', async () => {
  const { play, collect, hide, fold, takeStep, answerStep, serve, lose, saved } = await openTabs();
  await play(collect(1), takeStep(0), answerStep(0));
  // The page has not heard of it.
  await play(collect(0), hide(0), serve(0), lose(0));
  await play(fold(1), takeStep(1), answerStep(0), serve(0), collect(0));
  expect(await saved()).toEqual(['coin 3']);
});

it('what a frozen page has set is not set once more as it thaws, though another tab has folded it in and sent it', async () => {
  const { play, collect, send, hide, hear, fold, takeStep, answerStep, serve, answer, saved } = await openTabs();
  const step = [takeStep(1), answerStep(0)];
  await play(collect(0), hide(0), hear(1), fold(1), ...step, ...step);
  await play(send(1), ...step, serve(1), answer(0), ...step);
  await play(collect(1), ...step);
  // Now the home takes what the frozen page was storing.
  await play(takeStep(0), answerStep(0));
  expect(await saved()).toEqual(['coin 2']);
});

it('what a frozen page has set is not set once more as it thaws, though another tab has asked for it below its own', async () => {
  const { play, collect, hide, hear, fold, takeStep, answerStep, serve, answer, saved } = await openTabs();
  const step = [takeStep(1), answerStep(0)];
  await play(collect(0), hide(0), collect(1), ...step);
  await play(hear(1), fold(1), ...step, serve(1), answer(0), ...step);
  await play(takeStep(0), answerStep(0));
  expect(await saved()).toEqual(['coin 2']);
});

it('what a tab sets after a hidden page was killed counts, though the service has what that has sent', async () => {
  const { play, collect, hide, kill, saved } = await openTabs();
  await play(collect(1), hide(1), kill(1, false), collect(0));
  expect(await saved()).toEqual(['coin 2']);
});

it('what a tab sets after a hidden page was killed counts, though that had left something unsent', async () => {
  const { play, collect, hide, kill, takeStep, answerStep, saved } = await openTabs();
  await play(collect(1), takeStep(0), answerStep(0), collect(1), hide(1), kill(1, false), collect(0));
  expect(await saved()).toEqual(['coin 3']);
});

it('what a tab sets counts, though it has settled before what a killed page has sent past it', async () => {
  const { play, collect, hide, fold, kill, takeStep, answerStep, serve, answer, saved } = await openTabs();
  await play(collect(1), takeStep(0), answerStep(0));
  // The page has not heard of it.
  await play(collect(0), hide(0), serve(0), kill(0, false), answer(0));
  await play(fold(1), takeStep(0), answerStep(0), serve(0), answer(0), takeStep(0), answerStep(0));
  await play(collect(1));
  expect(await saved()).toEqual(['coin 3']);
});

it('what a page sets as it is hidden counts, though another page was hidden before it', async () => {
  const { play, collect, hide, takeStep, answerStep, saved } = await openTabs();
  await play(collect(2), hide(2), takeStep(0), answerStep(0), collect(1), hide(1));
  expect(await saved()).toEqual(['coin 2']);
});

it('what two pages have sent that were hidden before either heard of the other counts once', async () => {
  const { play, collect, hide, serve, saved, coins } = await openTabs({ merge: { coins: 'sum', names: 'union' } });
  await play(collect(0), collect(2), hide(2), collect(1), hide(1), serve(1));
  expect([...(await saved())].sort()).toEqual(['coin 1', 'coin 2', 'coin 3']);
  expect(await coins()).toBe(3);
});

it('what a page sets counts, though it is killed before it could settle what the one before it has sent', async () => {
  const { play, collect, hide, kill, takeStep, answerStep, saved } = await openTabs();
  await play(collect(0), hide(0), kill(0, false), collect(0), takeStep(0), answerStep(0), kill(0, false));
  expect(await saved()).toEqual(['coin 2']);
});

it('an update that a hidden page has sent past what another tab has set is not taken for a part of that', async () => {
  const { play, collect, update, hide, takeStep, answerStep, serve, answer, saved } = await openTabs();
  await play(collect(0), takeStep(0), answerStep(0), update(1), hide(1), serve(0));
  await play(takeStep(0), answerStep(0), answer(0), takeStep(0), answerStep(0));
  // Without rules the service's value counts.
  expect(await saved()).toEqual(['coin 2']);
});
