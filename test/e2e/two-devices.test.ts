import type { Frame, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  choose,
  conflictDialog,
  conflictError,
  conflictRows,
  idOf,
  see,
  seeCoins,
  seeSaved,
  slow,
  textOf,
  undo,
  visitGame,
  waiting,
  who,
} from './visit.js';

const visit = visitGame();

const coins = { a: 148, b: 23 };

async function openDevices(): Promise<{ page: Page; a: Frame; b: Frame }> {
  const page = await visit.visitor.open('two-devices.html');
  visit.expectFailures(/409/);
  const frameOf = async (device: 'a' | 'b'): Promise<Frame> => {
    const handle = await page.locator(`#frame-${device}`).elementHandle();
    const frame = await handle?.contentFrame();
    if (!frame) throw new Error(`there is no device ${device}`);
    await seeCoins(frame, coins[device]);
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
  await b.locator(conflictDialog).waitFor(waiting);
  await see(page, '#story', 'Nothing has changed yet');
  return { ...devices, name: await textOf(a, who) };
}

describe('two devices side by side', () => {
  it('show what each side holds, and continue the saved game once the service has answered', slow, async () => {
    const { page, a, b, name } = await reachTheChoice();
    const rows = await b.locator(conflictRows).allInnerTexts();
    expect(rows.map((row) => row.split('\t').map((cell) => cell.trim()))).toEqual([
      ['Coins', '23', '148'],
      ['Level', '2', '6'],
      ['Best flight', '14', '37'],
      ['Magnet', '0', '0'],
      ['Last played', 'now', 'now'],
      ['Opened by', 'Device', 'Device, Name'],
      ['Holds', expect.stringMatching(/^1 entry, \d\d bytes$/), expect.stringMatching(/^1 entry, \d\d bytes$/)],
    ]);

    visit.expectFailures(/409|503/);
    const { control } = visit.site.backend;
    control.fail({ route: '/v2/auth/conflict', times: Number.POSITIVE_INFINITY, with: { status: 503 } });
    await b.click(choose.take);
    await see(b, conflictError, 'The service cannot be reached.');
    control.restore();
    await b.click(choose.take);
    await see(page, '#story', 'continues the save of device A (148 coins, level 6)');
    await seeCoins(b, coins.a);
    await seeSaved(b, name);
    expect(await idOf(b)).toBe(await idOf(a));
  });

  it('play one save after a merge, and the old one after an undo', slow, async () => {
    const { page, a, b, name } = await reachTheChoice();
    await b.click(choose.merge);
    await see(page, '#story', 'Both saves are one (171 coins, level 6), and both devices play it');
    await seeCoins(a, coins.a + coins.b);
    await b.click(undo('Saved game'));
    await see(page, '#story', `Undone: the save of “${name}” is as it was (148 coins, level 6).`);
    await seeCoins(a, coins.a);
    await seeCoins(b, coins.a);
  });

  it("put the choice off, keep B's own progress the second time, and start over", slow, async () => {
    const { page, a, b, name } = await reachTheChoice();
    const id = await idOf(b);
    await page.keyboard.press('Escape');
    await see(page, '#story', 'Not now: nothing has changed');
    await seeSaved(b, 'Guest');
    expect(await idOf(b)).toBe(id);
    await seeCoins(b, coins.b);

    await page.click('#sign-in-b');
    await b.click(choose.keep);
    await see(page, '#story', 'kept its own save (23 coins, level 2)');
    await seeSaved(b, name);
    await seeSaved(a, 'Guest');
    await seeCoins(a, coins.a);
    expect(await idOf(b)).toBe(id);
    await seeCoins(b, coins.b);

    await page.click('#start-over');
    await see(page, '#story', 'Two guests: A has 148 coins, level 6; B has 23 coins, level 2.');
    await page.click('#link-a');
    await see(page, '#story', 'now opens the save of device A');
  });
});
