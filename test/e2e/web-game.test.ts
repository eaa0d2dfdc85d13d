import type { Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type GameSite, openGameSite, type Visitor } from './game-site.js';

/** A page, or one of the two devices on it. */
type Place = Page | Frame;

let site: GameSite;
let visitor: Visitor;
/** What the browser may log about requests that fail on purpose. */
let expectedFailures: RegExp | null;

beforeAll(async () => {
  site = await openGameSite();
}, 60_000);
afterAll(() => site.close());
beforeEach(async () => {
  expectedFailures = null;
  visitor = await site.newVisitor();
});
afterEach(async () => {
  await visitor.leave();
  expect(visitor.complaints).toEqual([]);
  expect(visitor.failedRequests.filter((text) => !expectedFailures?.test(text))).toEqual([]);
});

const slow = { timeout: 90_000 };
const waiting = { timeout: 30_000 };
const password = 'a good password';
let names = 0;
const newName = (): string => {
  names += 1;
  return `player-${names}`;
};

const textOf = (place: Place, selector: string) => place.locator(selector).innerText();
const coinsOf = async (place: Place) => Number(await textOf(place, '#coins'));
const idOf = async (place: Place) => (await textOf(place, '#who-note')).split(' id ')[1];

async function see(place: Place, selector: string, text: string | RegExp): Promise<void> {
  await place.locator(selector).filter({ hasText: text }).waitFor(waiting);
}

async function seeSaved(place: Place, who: string): Promise<void> {
  await see(place, '#who', who);
  await see(place, '#save-state', 'All progress is saved.');
}

/** Flies through the coins that every flight begins with, and pauses. */
async function collectCoins(page: Page): Promise<number> {
  const before = await coinsOf(page);
  await page.keyboard.press('Space');
  await page.keyboard.down('ArrowRight');
  await expect.poll(() => coinsOf(page), waiting).toBeGreaterThanOrEqual(before + 5);
  await page.keyboard.up('ArrowRight');
  await page.keyboard.press('p');
  await see(page, '#overlay-title', /Paused|Out of feathers|best flight/);
  return coinsOf(page);
}

async function fillAndSend(place: Place, name: string, secret: string): Promise<void> {
  await place.fill('#name', name);
  await place.fill('#password', secret);
  await place.click('#form-submit');
}

async function linkName(place: Place, name: string): Promise<void> {
  await fillAndSend(place, name, password);
  await seeSaved(place, name);
}

async function switchTo(page: Page, name: string, secret: string): Promise<void> {
  await page.click('#switch');
  await page.fill('#switch-name', name);
  await page.fill('#switch-password', secret);
  await page.click('#switch-submit');
}

describe('the web game', () => {
  it('saves what a guest collects, and brings it back after a reload and after a sign-out', slow, async () => {
    const page = await visitor.open();
    await seeSaved(page, 'Guest');
    const id = await idOf(page);
    const coins = await collectCoins(page);
    await seeSaved(page, 'Guest');
    await page.reload();
    await see(page, '#coins', String(coins));
    await seeSaved(page, 'Guest');
    expect(await idOf(page)).toBe(id);
    expect(Number(await textOf(page, '#best'))).toBe(coins);

    await page.click('#sign-out');
    await see(page, '#who', 'Signed out');
    await page.keyboard.press('Space');
    await see(page, '#overlay-title', 'Nobody is playing');
    await page.click('#play-guest');
    await see(page, '#coins', String(coins));
    await seeSaved(page, 'Guest');
    expect(await idOf(page)).toBe(id);
  });

  it('links a name that the service can take, and is linked after a reload', slow, async () => {
    const name = newName();
    const page = await visitor.open();
    await seeSaved(page, 'Guest');
    const id = await idOf(page);
    const asked = site.backend.control.requests.length;
    await fillAndSend(page, '  ', password);
    await see(page, '#form-error', 'Please type a name.');
    await fillAndSend(page, name, 'short');
    await see(page, '#form-error', 'A password has at least 8 characters.');
    expect(site.backend.control.requests.length).toBe(asked);
    await linkName(page, name);
    expect(await idOf(page)).toBe(id);
    await page.reload();
    await seeSaved(page, name);
    expect(await idOf(page)).toBe(id);
  });

  it('keeps the guest and its save when the password of a taken name is wrong', slow, async () => {
    const name = newName();
    const owner = await site.newVisitor();
    const there = await owner.open();
    await seeSaved(there, 'Guest');
    await linkName(there, name);
    await owner.leave();

    expectedFailures = /401/;
    const page = await visitor.open();
    await seeSaved(page, 'Guest');
    const id = await idOf(page);
    const coins = await collectCoins(page);
    await seeSaved(page, 'Guest');
    await fillAndSend(page, name, 'not the password');
    await see(page, '#form-error', 'Nothing is lost: you still play the save on this device.');
    expect(await page.inputValue('#name')).toBe(name);
    await page.reload();
    await see(page, '#coins', String(coins));
    await seeSaved(page, 'Guest');
    expect(await idOf(page)).toBe(id);
  });

  it('switches to another account and back, each with its own save, a wrong password between', slow, async () => {
    const [first, second] = [newName(), newName()];
    expectedFailures = /401/;
    const page = await visitor.open();
    await seeSaved(page, 'Guest');
    const coins = await collectCoins(page);
    await linkName(page, first);
    await switchTo(page, second, password);
    await seeSaved(page, second);
    expect(await coinsOf(page)).toBe(0);
    await switchTo(page, first, 'not the password');
    await see(page, '#switch-error', 'Nothing is lost');
    await page.fill('#switch-password', password);
    await page.click('#switch-submit');
    await seeSaved(page, first);
    await see(page, '#coins', String(coins));
  });

  it('plays on while the service is down, says so, and saves when it is back', slow, async () => {
    expectedFailures = /ERR_CONNECTION|ERR_EMPTY|ERR_SOCKET/;
    const page = await visitor.open();
    await seeSaved(page, 'Guest');
    await site.goDown();
    let coins: number;
    try {
      coins = await collectCoins(page);
      await see(page, '#save-state', 'Could not save.');
      expect(await coinsOf(page)).toBe(coins);
    } finally {
      await site.comeBack();
    }
    await seeSaved(page, 'Guest');
    await page.reload();
    await see(page, '#coins', String(coins));
  });

  it('adds up what two tabs of one device collect', slow, async () => {
    const one = await visitor.open();
    await seeSaved(one, 'Guest');
    const two = await visitor.open();
    await seeSaved(two, 'Guest');
    expect(await idOf(two)).toBe(await idOf(one));
    const inTwo = await collectCoins(two);
    await seeSaved(two, 'Guest');
    await one.bringToFront();
    await collectCoins(one);
    await seeSaved(one, 'Guest');
    // With its own save a tab learns of the other's coins.
    expect(await coinsOf(one)).toBeGreaterThanOrEqual(inTwo + 5);
  });
});

describe('two devices side by side', () => {
  const seeds = { a: { coins: '148', level: '6' }, b: { coins: '23', level: '2' } };

  async function openDevices(): Promise<{ page: Page; a: Frame; b: Frame }> {
    const page = await visitor.open('two-devices.html');
    expectedFailures = /409/;
    const frameOf = async (device: string): Promise<Frame> => {
      const handle = await page.locator(`#frame-${device}`).elementHandle();
      const frame = await handle?.contentFrame();
      if (!frame) throw new Error(`there is no device ${device}`);
      await see(frame, '#coins', seeds[device as 'a' | 'b'].coins);
      return frame;
    };
    return { page, a: await frameOf('a'), b: await frameOf('b') };
  }

  async function reachTheChoice() {
    const devices = await openDevices();
    const { page, a, b } = devices;
    await page.click('#link-a');
    await see(page, '#story', 'now opens the save of device A');
    await page.click('#sign-in-b');
    await b.locator('#conflict').waitFor(waiting);
    await see(page, '#story', 'Nothing has changed yet');
    return { ...devices, name: await textOf(a, '#who') };
  }

  it('shows what each side holds, and continues the saved game once the service has answered', slow, async () => {
    const { page, a, b, name } = await reachTheChoice();
    expect(await textOf(b, '#local-facts')).toMatch(/23[\s\S]*2[\s\S]*14[\s\S]*just now[\s\S]*device/);
    expect(await textOf(b, '#cloud-facts')).toMatch(/148[\s\S]*6[\s\S]*37[\s\S]*just now[\s\S]*device, name/);
    expect(await textOf(b, '#local-warning')).toContain('Left behind: the saved game (148 coins, level 6).');
    expect(await textOf(b, '#cloud-warning')).toContain('Left behind: this device’s progress (23 coins, level 2).');

    expectedFailures = /409|503/;
    site.backend.control.fail({ route: '/v2/auth/conflict', times: Number.POSITIVE_INFINITY, with: { status: 503 } });
    try {
      await b.click('#choose-cloud');
      await see(b, '#conflict-error', 'The service cannot be reached.');
    } finally {
      site.backend.control.restore();
    }
    await b.click('#choose-cloud');
    await see(page, '#story', 'continues the save of device A (148 coins, level 6)');
    await see(b, '#coins', seeds.a.coins);
    await seeSaved(b, name);
    expect(await idOf(b)).toBe(await idOf(a));
  });

  it("puts the choice off, keeps B's own progress the second time, and starts over", slow, async () => {
    const { page, a, b, name } = await reachTheChoice();
    const id = await idOf(b);
    await page.keyboard.press('Escape');
    await see(page, '#story', 'Not now: nothing has changed');
    await see(b, '#form-error', 'Nothing has changed');
    await seeSaved(b, 'Guest');
    expect(await idOf(b)).toBe(id);
    expect(await textOf(b, '#coins')).toBe(seeds.b.coins);

    await page.click('#sign-in-b');
    await b.click('#choose-local');
    await see(page, '#story', 'kept its own save (23 coins, level 2)');
    await seeSaved(b, name);
    await seeSaved(a, 'Guest');
    expect(await textOf(a, '#coins')).toBe(seeds.a.coins);
    expect(await idOf(b)).toBe(id);
    expect(await textOf(b, '#coins')).toBe(seeds.b.coins);

    await page.click('#start-over');
    await see(page, '#story', 'Two guests: A has 148 coins, level 6; B has 23 coins, level 2.');
    await page.click('#link-a');
    await see(page, '#story', 'now opens the save of device A');
  });
});
