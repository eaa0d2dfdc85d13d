import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  coinsAtService,
  coinsOf,
  collectCoins,
  fillAndSend,
  idOf,
  linkName,
  password,
  see,
  seeCoins,
  seeSaved,
  slow,
  textOf,
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
  await here.locator('#conflict').waitFor(waiting);
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

/** What the dialog says of a line: this device's, and the saved game's. */
const rowOf = (page: Page, what: string) =>
  page.locator('#conflict-rows tr').filter({ hasText: what }).locator('td').allInnerTexts();

describe('a conflict in the web game', () => {
  it('merges both saves, coin by coin, and with what the other device still owes', slow, async () => {
    const { name, there, here, saved, own } = await meet();
    expect(await rowOf(here, 'Coins')).toEqual([String(own), String(saved)]);
    expect(await rowOf(here, 'Opened by')).toEqual(['device', 'device, name']);
    expect(await textOf(here, '#conflict-stakes')).toBe('Both were played. What differs, 1 of 1: progress/main.');
    const best = Math.max(...(await rowOf(here, 'Best flight')).map(Number));

    // The other device plays on without a network, and knows of nothing.
    await there.click('#network');
    await here.bringToFront();
    await here.click('#choose-merge');
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
    await here.click('#choose-merge');
    await seeCoins(here, own + saved);
    await here.click(`#notice button:has-text("${own} coins")`);
    await see(here, '#notice-text', 'It is back as it was.');
    await seeCoins(here, own);

    await here.click('#history summary');
    await see(here, '#history-note', 'Kept for 30 days.');
    const rows = await here.locator('#history li p').allInnerTexts();
    expect(rows.map((row) => row.replace(/level \d/, 'level 1')).sort()).toEqual(
      [
        `${own} coins, level 1\nThe other save before a merge, just now`,
        `${saved} coins, level 1\nThis save before a merge, just now`,
        `${own + saved} coins, level 1\nReplaced by a restore, just now`,
      ].sort(),
    );
    await here.click('#history li:has-text("Replaced by a restore") button');
    await seeCoins(here, own + saved);
    await here.click('#history li:has-text("This save before a merge") button');
    await seeCoins(here, saved);
    await here.reload();
    await seeCoins(here, saved);
  });

  it('takes the saved game, and gives the old save back', slow, async () => {
    const { name, here, saved, own } = await meet();
    await here.click('#choose-cloud');
    await seeSaved(here, name);
    await seeCoins(here, saved);
    await see(here, '#notice-text', `Set aside: this device’s progress (${own} coins, level`);
    await here.click('#notice button:has-text("Undo")');
    await seeCoins(here, own);
    await seeSaved(here, name);
  });

  it("keeps this device's save by the keyboard alone, and gives the other one back", slow, async () => {
    const { name, here, saved, own } = await meet();
    await here.keyboard.press('Tab');
    expect(await here.evaluate(() => document.activeElement?.textContent)).toBe('Keep this device’s');
    await here.keyboard.press('Enter');
    await seeSaved(here, name);
    expect(await coinsOf(here)).toBe(own);
    // The undo is the next stop.
    expect(await here.evaluate(() => document.activeElement?.id)).toBe('notice');
    await here.click('#notice button:has-text("Undo")');
    await seeCoins(here, saved);
  });

  it('says where nothing would be lost, and offers no merge there', slow, async () => {
    const { name, here, saved } = await meet({ bothPlayed: false });
    await see(here, '#conflict-stakes', 'The other device is simply further: nothing would be lost');
    expect(await here.locator('#merge-option').isVisible()).toBe(false);
    await here.click('#choose-cloud');
    await seeSaved(here, name);
    await seeCoins(here, saved);
    expect(await here.locator('#notice button').count()).toBe(0);
  });

  it('asks nobody about two empty saves, says so, and goes on with the one that the name opens', slow, async () => {
    const { name, there, here } = await sendTheNameOfAnEmptySave();
    await seeSaved(here, name);
    await see(here, '#notice-text', `“${name}” opens another save, as empty as the one here`);
    expect(await here.locator('#conflict').isVisible()).toBe(false);
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
    await see(here, '#conflict-error', 'The service cannot be reached.');
    control.restore();
    await here.click('#choose-cloud');
    await seeSaved(here, name);
  });

  it('asks again after a reload, and then plays the choice', slow, async () => {
    const { name, here, saved, own } = await meet();
    await here.reload();
    await here.locator('#conflict').waitFor(waiting);
    expect(await rowOf(here, 'Coins')).toEqual([String(own), String(saved)]);
    await here.click('#choose-merge');
    await seeSaved(here, name);
    await seeCoins(here, own + saved);
  });

  it('leaves the choice open while the network is off', slow, async () => {
    const { name, here, saved } = await meet();
    await visit.visitor.context.setOffline(true);
    visit.expectFailures(/409|ERR_INTERNET_DISCONNECTED/);
    await here.click('#choose-cloud');
    await see(here, '#conflict-error', 'The service cannot be reached.');
    await visit.visitor.context.setOffline(false);
    await here.click('#choose-cloud');
    await seeSaved(here, name);
    await seeCoins(here, saved);
  });
});
