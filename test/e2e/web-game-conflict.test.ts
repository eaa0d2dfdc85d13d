import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  choose,
  chosen,
  coinsAtService,
  coinsOf,
  collectCoins,
  conflictDialog,
  conflictError,
  conflictRows,
  conflictStakes,
  fillAndSend,
  idOf,
  linkName,
  password,
  see,
  seeCoins,
  seeSaved,
  slow,
  textOf,
  undo,
  visitGame,
  waiting,
} from './visit.js';

const visit = visitGame();

/** A device with a save that has a name, and one that has met it with a save of its own, or without. */
async function meet({ bothPlayed = true } = {}) {
  const name = visit.newName();
  visit.expectFailures(/409/);
  const there = await (await visit.another()).open();
  await seeSaved(there, 'Guest');
  const saved = await collectCoins(there);
  await linkName(there, name);

  const here = await visit.visitor.open();
  await seeSaved(here, 'Guest');
  let own = bothPlayed ? await collectCoins(here) : 0;
  if (own === saved) {
    // Two saves that hold the same are no choice.
    await here.reload();
    await seeCoins(here, own);
    own = await collectCoins(here);
  }
  await fillAndSend(here, name, password);
  await here.locator(conflictDialog).waitFor(waiting);
  return { name, there, here, saved, own };
}

/** Neither the owner of the name nor this device has played. */
async function sendTheNameOfAnEmptySave() {
  const name = visit.newName();
  visit.expectFailures(/409/);
  const there = await (await visit.another()).open();
  await seeSaved(there, 'Guest');
  await linkName(there, name);
  const here = await visit.visitor.open();
  await seeSaved(here, 'Guest');
  await fillAndSend(here, name, password);
  return { name, there, here };
}

/** Presses the button beside the save of the history that says this, once what was pressed before is done. */
async function bringBack(page: Page, text: string | RegExp): Promise<void> {
  await page.locator('#snapshots [part="history"]:not([aria-busy])').waitFor(waiting);
  await page.locator('#snapshots li').filter({ hasText: text }).locator('button').first().click();
}

/** What the dialog says of a line: this device's, and the saved game's. */
const rowOf = (page: Page, what: string) =>
  page.locator(conflictRows).filter({ hasText: what }).locator('td').allInnerTexts();

describe('a conflict in the web game', () => {
  it('merges both saves, coin by coin, and with what the other device still owes', slow, async () => {
    const { name, there, here, saved, own } = await meet();
    expect(await rowOf(here, 'Coins')).toEqual([String(own), String(saved)]);
    expect(await rowOf(here, 'Opened by')).toEqual(['Device', 'Device, Name']);
    expect(await textOf(here, conflictStakes)).toBe('Both were played.');
    const best = Math.max(...(await rowOf(here, 'Best flight')).map(Number));

    // The other device plays on without a network, and knows of nothing.
    await there.click('#network');
    await here.bringToFront();
    await here.click(choose.merge);
    await seeSaved(here, name);
    await seeCoins(here, own + saved);
    expect(Number(await textOf(here, '#best'))).toBe(best);
    expect(await idOf(here)).toBe(await idOf(there));

    await there.bringToFront();
    await there.reload();
    await seeCoins(there, saved);
    const more = (await collectCoins(there)) - saved;
    await there.click('#network');
    await seeSaved(there, name);
    await seeCoins(there, own + saved + more);
    expect(coinsAtService(visit.site)).toBe(own + saved + more);
    await here.reload();
    await seeCoins(here, own + saved + more);
  });

  it('undoes a merge to either save, and takes even that back from the history', slow, async () => {
    const { here, saved, own } = await meet();
    await here.click(choose.merge);
    await seeCoins(here, own + saved);
    await see(here, chosen, 'Your choice counts from now on.');
    await here.click(undo('This device'));
    await see(here, chosen, 'It is back as it was.');
    await seeCoins(here, own);
    expect(await here.locator(undo()).count()).toBe(0);
    await here.click(`${chosen} [part~="go-on"]`);
    expect(await here.locator(chosen).isVisible()).toBe(false);

    await here.click('#history summary');
    await see(here, '#snapshots [part~="note"]', 'Kept for 30 days.');
    const rows = () => here.locator('#snapshots li > :first-child').allInnerTexts();
    const texts = async () =>
      (await rows()).map((row) => row.replace(/level \d/, 'level 1').replace(/, \d+ \w+ ago$/, ', now')).sort();
    await expect
      .poll(texts, waiting)
      .toEqual(
        [
          `${own} coins, level 1\nThe other save before a merge, now`,
          `${saved} coins, level 1\nThis save before a merge, now`,
          `${own + saved} coins, level 1\nReplaced by an undo, now`,
        ].sort(),
      );
    await bringBack(here, 'Replaced by an undo');
    await seeCoins(here, own + saved);
    await expect.poll(async () => (await rows()).length, waiting).toBe(4);
    await bringBack(here, 'This save before a merge');
    await seeCoins(here, saved);
    await here.reload();
    await seeCoins(here, saved);
  });

  it('takes the saved game, and gives the old save back', slow, async () => {
    const { name, here, saved, own } = await meet();
    await here.click(choose.take);
    await seeSaved(here, name);
    await seeCoins(here, saved);
    await here.click(undo('This device'));
    await seeCoins(here, own);
    await seeSaved(here, name);
  });

  it("keeps this device's save by the keyboard alone, and gives the other one back", slow, async () => {
    const { name, here, saved, own } = await meet();
    const focused = () => here.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.textContent?.trim());
    await expect.poll(focused).toBe('Which save do you want?');
    await here.keyboard.press('Tab');
    await here.keyboard.press('Tab');
    expect(await focused()).toBe('Keep this device’s');
    await here.keyboard.press('Enter');
    await seeSaved(here, name);
    expect(await coinsOf(here)).toBe(own);
    await expect.poll(focused).toBe('Your choice counts from now on.');
    // The undo is the next stop.
    await here.keyboard.press('Tab');
    expect(await focused()).toBe('Bring back: Saved game');
    await here.keyboard.press('Enter');
    await seeCoins(here, saved);
  });

  it('says where nothing would be lost, and offers no merge there', slow, async () => {
    const { name, here, saved } = await meet({ bothPlayed: false });
    await see(here, conflictStakes, 'The saved game is simply further: nothing is lost');
    expect(await here.locator(choose.merge).isVisible()).toBe(false);
    await here.click(choose.take);
    await seeSaved(here, name);
    await seeCoins(here, saved);
    expect(await here.locator(chosen).isVisible()).toBe(false);
  });

  it('asks nobody about two empty saves, says so, and goes on with the one that the name opens', slow, async () => {
    const { name, there, here } = await sendTheNameOfAnEmptySave();
    await seeSaved(here, name);
    await see(here, '#notice', 'The name opens another save, as empty as the one here');
    expect(await here.locator(conflictDialog).isVisible()).toBe(false);
    expect(await idOf(here)).toBe(await idOf(there));
    await seeCoins(here, await collectCoins(here));
    await here.reload();
    await seeSaved(here, name);
  });

  it('shows two empty saves where the service cannot be reached to settle them', slow, async () => {
    const { control } = visit.site.backend;
    control.fail({ route: '/v2/auth/conflict', times: Number.POSITIVE_INFINITY, with: { status: 503 } });
    const { name, here } = await sendTheNameOfAnEmptySave();
    visit.expectFailures(/409|503/);
    await see(here, conflictError, 'The service cannot be reached.');
    control.restore();
    await here.click(choose.take);
    await seeSaved(here, name);
  });

  it('asks again after a reload, and then plays the choice', slow, async () => {
    const { name, here, saved, own } = await meet();
    await here.reload();
    await here.locator(conflictDialog).waitFor(waiting);
    expect(await rowOf(here, 'Coins')).toEqual([String(own), String(saved)]);
    await here.click(choose.merge);
    await seeSaved(here, name);
    await seeCoins(here, own + saved);
  });

  it('leaves the choice open while the network is off', slow, async () => {
    const { name, here, saved } = await meet();
    await visit.visitor.context.setOffline(true);
    visit.expectFailures(/409|ERR_INTERNET_DISCONNECTED/);
    await here.click(choose.take);
    await see(here, conflictError, 'The service cannot be reached.');
    await visit.visitor.context.setOffline(false);
    await here.click(choose.take);
    await seeSaved(here, name);
    await seeCoins(here, saved);
  });
});
