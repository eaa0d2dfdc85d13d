import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  coinsAtService,
  coinsOf,
  collectCoins,
  idOf,
  linkName,
  saveState,
  see,
  seeCoins,
  seeSaved,
  slow,
  takeOff,
  textOf,
  visitGame,
  waiting,
} from './visit.js';

const visit = visitGame();
const atService = () => coinsAtService(visit.site);
const writes = () => visit.site.backend.control.requests.filter(({ method }) => method === 'PATCH').length;

/** The page is gone from one moment to the next, as when its tab crashes: nothing in it is told. */
async function kill(page: Page): Promise<void> {
  const crashed = page.waitForEvent('crash');
  const session = await page.context().newCDPSession(page);
  session.send('Page.crash').catch(() => {});
  await crashed;
  await page.close();
}

describe('the saves of the web game', () => {
  it('plays on with the network off, over a reload too, and syncs when it is on again', slow, async () => {
    const page = await visit.visitor.open();
    await seeSaved(page, 'Guest');
    await page.click('#network');
    await see(page, saveState, 'All progress is saved.');
    const before = writes();
    const first = await collectCoins(page);
    await see(page, saveState, 'Kept on this device.');
    await page.reload();
    await seeCoins(page, first);
    expect(await page.getAttribute('#network', 'aria-checked')).toBe('false');
    await see(page, saveState, 'Kept on this device.');
    const coins = await collectCoins(page);
    expect(coins).toBeGreaterThanOrEqual(first + 5);
    expect(writes()).toBe(before);

    await page.click('#network');
    await seeSaved(page, 'Guest');
    expect(atService()).toBe(coins);
    expect(await textOf(page, '#sync .unseen')).toBe('All progress is saved.');
  });

  it('plays on while the service is down, says so, and saves when it is back', slow, async () => {
    visit.expectFailures(/ERR_CONNECTION|ERR_EMPTY|ERR_SOCKET/);
    const page = await visit.visitor.open();
    await seeSaved(page, 'Guest');
    await visit.site.goDown();
    let coins: number;
    try {
      coins = await collectCoins(page);
      await see(page, saveState, 'No connection. Kept on this device.');
      expect(await coinsOf(page)).toBe(coins);
    } finally {
      await visit.site.comeBack();
    }
    await seeSaved(page, 'Guest');
    expect(atService()).toBe(coins);
    await page.reload();
    await seeCoins(page, coins);
  });

  it('plays on where the service goes down between the account and its save', slow, async () => {
    visit.expectFailures(/ERR_FAILED/);
    const { context } = visit.visitor;
    await context.route('**/v2/**', (route) =>
      route.request().url().endsWith('/guest') ? route.continue() : route.abort(),
    );
    const page = await visit.visitor.open();
    const coins = await collectCoins(page);
    await see(page, saveState, 'No connection. Kept on this device.');
    await context.unroute('**/v2/**');
    await seeSaved(page, 'Guest');
    expect(atService()).toBe(coins);
  });

  it('lets a first visit without a network play, and gives it an account later', slow, async () => {
    visit.expectFailures(/ERR_FAILED/);
    const { context } = visit.visitor;
    await context.route('**/v2/**', (route) => route.abort());
    const page = await visit.visitor.open();
    await page.locator('#fly').waitFor(waiting);
    const coins = await collectCoins(page);
    await see(page, saveState, 'No connection. Kept on this device.');
    expect(await idOf(page)).toBeUndefined();
    await context.unroute('**/v2/**');
    await page.click('#sync [part~="try-again"]');
    await seeSaved(page, 'Guest');
    expect(await idOf(page)).toMatch(/^[0-9a-f]{8}$/);
    expect(atService()).toBe(coins);
    expect(await coinsOf(page)).toBe(coins);
  });

  it('has the old or the new save of a page that crashed in flight, whole, and sends it', slow, async () => {
    visit.expectFailures(/409/);
    const page = await visit.visitor.open();
    await seeSaved(page, 'Guest');
    // The service takes nothing from this page.
    visit.site.backend.control.fail({ route: 'updateEntry', with: 'slow', times: Number.POSITIVE_INFINITY });
    await takeOff(page);
    await page.keyboard.down('ArrowRight');
    await expect.poll(() => coinsOf(page), waiting).toBeGreaterThanOrEqual(3);
    await kill(page);
    visit.site.backend.control.restore();

    const again = await visit.visitor.open();
    await seeSaved(again, 'Guest');
    const coins = await coinsOf(again);
    expect(coins).toBeGreaterThanOrEqual(2);
    // In a first flight both are the same, and they are written in one.
    expect(Number(await textOf(again, '#best'))).toBe(coins);
    await expect.poll(atService, waiting).toBe(coins);
  });

  it('counts a save once whose page was closed before the answer came', slow, async () => {
    visit.expectFailures(/ERR_|409/);
    const page = await visit.visitor.open();
    await seeSaved(page, 'Guest');
    visit.site.backend.control.fail({ route: 'updateEntry', with: 'lost-answer', times: Number.POSITIVE_INFINITY });
    const coins = await collectCoins(page);
    await page.close();
    visit.site.backend.control.restore();
    const again = await visit.visitor.open();
    await seeSaved(again, 'Guest');
    expect(await coinsOf(again)).toBe(coins);
  });

  it('shows in one tab what the other collects, and counts the coins of both', slow, async () => {
    const one = await visit.visitor.open();
    await seeSaved(one, 'Guest');
    const two = await visit.visitor.open();
    await seeSaved(two, 'Guest');
    expect(await idOf(two)).toBe(await idOf(one));
    const inTwo = await collectCoins(two);
    await seeCoins(one, inTwo);
    await one.bringToFront();
    const inBoth = await collectCoins(one);
    expect(inBoth).toBeGreaterThanOrEqual(inTwo + 5);
    await seeCoins(two, inBoth);
    await seeSaved(two, 'Guest');
    await expect.poll(atService, waiting).toBe(inBoth);
  });

  it('shows on one device within seconds what another one collects, by itself', slow, async () => {
    const name = visit.newName();
    visit.expectFailures(/409/);
    const phone = await visit.visitor.open();
    await seeSaved(phone, 'Guest');
    await linkName(phone, name);
    const laptop = await (await visit.another()).open();
    await seeSaved(laptop, 'Guest');
    await linkName(laptop, name);
    const coins = await collectCoins(laptop);
    expect(coins).toBeGreaterThan(0);
    await seeCoins(phone, coins);
  });

  it('switches the network of all tabs, and adds up what they collect without it', slow, async () => {
    const one = await visit.visitor.open();
    await seeSaved(one, 'Guest');
    const two = await visit.visitor.open();
    await seeSaved(two, 'Guest');
    const before = writes();
    await two.click('#network');
    await one.locator('#network[aria-checked="false"]').waitFor(waiting);
    await collectCoins(two);
    await one.bringToFront();
    const coins = await collectCoins(one);
    await seeCoins(two, coins);
    expect(writes()).toBe(before);
    await one.click('#network');
    await seeSaved(one, 'Guest');
    await seeSaved(two, 'Guest');
    expect(atService()).toBe(coins);
  });
});
