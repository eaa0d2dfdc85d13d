import type { BrowserContextOptions, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type GameSite, openGameSite, type Visitor, type VisitorOptions } from './game-site.js';

/** A page, or one of the two devices on it. */
export type Place = Page | Frame;

export const slow = { timeout: 90_000 };
export const waiting = { timeout: 30_000 };
export const password = 'a good password';

/** A phone, with fingers and without a mouse or keys, as narrow as they come unless a width is given. */
export const phone = (width = 320, height = 640): BrowserContextOptions => ({
  viewport: { width, height },
  hasTouch: true,
  isMobile: true,
});

export interface Visit {
  readonly site: GameSite;
  /** A browser profile that was never here, new for each test. */
  readonly visitor: Visitor;
  /** A second one: another device, as the options have it. */
  another(options?: VisitorOptions): Promise<Visitor>;
  /** What browsers may log about requests that fail on purpose. */
  expectFailures(pattern: RegExp): void;
  newName(): string;
}

/** Opens the game for the tests of a file; after each, no browser may have complained. */
export function visitGame(): Visit {
  let site: GameSite;
  let visitors: Visitor[] = [];
  let expected: RegExp | null = null;
  let names = 0;

  async function another(options?: VisitorOptions): Promise<Visitor> {
    const visitor = await site.newVisitor(options);
    visitors.push(visitor);
    return visitor;
  }

  beforeAll(async () => {
    site = await openGameSite();
  }, 60_000);
  afterAll(() => site.close());
  beforeEach(async () => {
    expected = null;
    visitors = [];
    await another();
  });
  afterEach(async () => {
    site.backend.control.restore();
    for (const visitor of visitors) await visitor.leave();
    for (const { complaints, failedRequests } of visitors) {
      expect(complaints).toEqual([]);
      expect(failedRequests.filter((text) => !expected?.test(text))).toEqual([]);
    }
  });

  return {
    get site() {
      return site;
    },
    get visitor() {
      return visitors[0] as Visitor;
    },
    another,
    expectFailures(pattern) {
      expected = pattern;
    },
    newName() {
      names += 1;
      return `player-${names}`;
    },
  };
}

export const account = '#account';
export const who = `${account} [part~="who"]`;
export const accountError = `${account} [part~="error"]`;
export const accountButton = (name: string): string => `${account} [part~="${name}"]`;
export const accountField = (name: string): string => `${account} input[name="${name}"]`;
export const saveState = '#sync [part~="status"]';
export const conflictDialog = '#conflict dialog';
export const conflictError = '#conflict [part~="error"]';
export const conflictRows = '#conflict tbody tr';
export const conflictStakes = '#conflict [part~="stakes"]';
/** The buttons of the dialog, by what they do. */
export const choose = {
  keep: '#conflict [part~="keep"]',
  take: '#conflict [part~="take"]',
  merge: '#conflict [part~="merge"]',
  later: '#conflict [part~="later"]',
} as const;

/** What the dialog leaves behind: what was chosen, and a button for each save that was set aside. */
export const chosen = '#conflict [part~="chosen"]';
export const undo = (side = ''): string => `${chosen} [part~="undo"]:has-text("${side}")`;

export const textOf = (place: Place, selector: string) => place.locator(selector).innerText();
export const coinsOf = async (place: Place) => Number(await textOf(place, '#coins'));
export const idOf = async (place: Place) => (await textOf(place, '#player-id')).split('id ')[1];

export async function see(place: Place, selector: string, text: string | RegExp): Promise<void> {
  await place.locator(selector).filter({ hasText: text }).waitFor(waiting);
}

export const seeCoins = (place: Place, coins: number) => see(place, '#coins', new RegExp(`^${coins}$`));

export async function seeSaved(place: Place, name: string): Promise<void> {
  await see(place, who, name);
  await see(place, saveState, 'All progress is saved.');
}

/** Starts a flight, or goes on with one. The game takes no key before it knows whose save it plays, and says so by its button. */
export async function takeOff(page: Page): Promise<void> {
  await page.locator('#fly').waitFor(waiting);
  await page.keyboard.press('Space');
}

/** Flies through the coins that every flight begins with, and pauses. */
export async function collectCoins(page: Page): Promise<number> {
  await takeOff(page);
  const before = await coinsOf(page);
  await page.keyboard.down('ArrowRight');
  await expect.poll(() => coinsOf(page), waiting).toBeGreaterThanOrEqual(before + 5);
  await page.keyboard.up('ArrowRight');
  await page.keyboard.press('p');
  await see(page, '#overlay-title', /Paused|Out of feathers|best flight/);
  return coinsOf(page);
}

export async function fillAndSend(place: Place, name: string, secret: string): Promise<void> {
  await place.fill(accountField('name'), name);
  await place.fill(accountField('password'), secret);
  await place.click(accountButton('submit'));
}

export async function linkName(place: Place, name: string): Promise<void> {
  await fillAndSend(place, name, password);
  await seeSaved(place, name);
}

/** The coins of the last save that the service took, whoever's. */
export function coinsAtService({ backend }: GameSite): number | undefined {
  const written = backend.control.requests.findLast(({ method, status }) => method === 'PATCH' && status === 200);
  return (written?.body as { value: { coins: number } } | undefined)?.value.coins;
}
