import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { here, place, settled, visitConsole } from './console-site.js';
import { type Filled, fillService, findByName, hostileText, signInGuest } from './filled-service.js';
import { writeJson } from './write-json.js';

const site = visitConsole();
let filled: Filled;
const players = () => site.admin.players(here);

beforeAll(async () => {
  filled = await fillService(site.backend, site.admin);
});

const openPlayer = async (userId: string, tab: string, query = ''): Promise<Page> => {
  const page = await site.open(`/players/${userId}/${tab}?${query}${place}`);
  await settled(page);
  return page;
};

/** Presses the button of a change, and the one of the dialog that it opens. */
async function change(
  page: Page,
  name: string,
  fill: (dialog: ReturnType<Page['getByRole']>) => Promise<void> = async () => {},
) {
  await page.getByRole('button', { name, exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('To take it back:').waitFor();
  await fill(dialog);
  await dialog.getByRole('button', { name, exact: true }).click();
  return dialog;
}

const told = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor();

describe('looking for players', () => {
  it('finds one by name, in any spelling, and by user id', async () => {
    const page = await site.open(`/players?${place}`);
    await page.getByLabel('Who is looked for').fill('ADA');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: filled.ada }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.getByLabel('Who is looked for').fill(filled.grace);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: filled.grace }).click();
    await page.getByRole('heading', { name: 'grace', level: 1 }).waitFor();
  });

  it('goes through a long list page by page, and back', async () => {
    for (let index = 0; index < 30; index += 1) await signInGuest(site.backend, `one-of-many-${index}`);
    const page = await site.open(`/players?${place}`);
    const first = page.getByRole('link', { name: /^[0-9a-f-]{36}$/ });
    await page.getByText('Page 1').waitFor();
    expect(await page.getByRole('row').count()).toBe(21);
    const atFirst = await first.first().textContent();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Page 2').waitFor();
    await page.getByText('ada', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByText('Page 1').waitFor();
    await expect.poll(() => first.first().textContent()).toBe(atFirst);
  });
});

describe('saves', () => {
  it('shows an entry as a tree, and edits it on the version that was read', async () => {
    const page = await openPlayer(filled.ada, 'saves');
    await page.getByRole('link', { name: /^main/ }).click();
    await page.getByRole('button', { name: /position/ }).click();
    await page.getByText('attic').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await writeJson(page, '{ "coins": 999, "level": 5 }');
    const dialog = await change(page, 'Save', async (open) => {
      await open.getByRole('cell', { name: '999' }).waitFor();
    });
    await dialog.waitFor({ state: 'detached' });
    await told(page, 'The entry is saved.');
    const { value, version } = await players().entry(filled.ada, { collection: 'progress', key: 'main' });
    expect({ value, version }).toEqual({ value: { coins: 999, level: 5 }, version: 3 });
    await page.getByText('Version 3', { exact: true }).waitFor();
    await page
      .getByText(/Version 2, overwritten/)
      .first()
      .waitFor({ state: 'attached' });
  });

  it('takes nothing that is no JSON, and says where it is wrong', async () => {
    const page = await openPlayer(filled.ada, 'saves', 'collection=settings&key=sound&');
    await page.getByRole('button', { name: 'Edit' }).click();
    await writeJson(page, '{ "volume": ');
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    const save = page.getByRole('dialog').getByRole('button', { name: 'Save' });
    expect(await save.isDisabled()).toBe(true);
  });

  it('shows both where a device was faster, and saves on top of it when told to', async () => {
    site.expectComplaints(/409/);
    const at = { collection: 'settings', key: 'sound' };
    const page = await openPlayer(filled.ada, 'saves', 'collection=settings&key=sound&');
    await page.getByRole('button', { name: 'Edit' }).click();
    await writeJson(page, '{ "volume": 0.1 }');
    await players().updateEntry(filled.ada, { ...at, value: { volume: 0.5 }, version: 0 });
    await change(page, 'Save');
    const clash = page.getByRole('region', { name: 'It was changed meanwhile' });
    await clash.getByRole('cell', { name: '0.5' }).waitFor();
    await clash.getByRole('cell', { name: '0.1' }).waitFor();
    expect((await players().entry(filled.ada, at)).value).toEqual({ volume: 0.5 });
    await clash.getByRole('button', { name: 'Go on with mine, on top of it' }).click();
    await change(page, 'Save');
    await told(page, 'The entry is saved.');
    expect(await players().entry(filled.ada, at)).toMatchObject({ value: { volume: 0.1 }, version: 2 });
  });

  it('makes an entry that is not there yet, by the keyboard alone and however late the editor comes', async () => {
    const page = await openPlayer(filled.guest, 'saves');
    let bringEditor = (): void => {};
    const isWanted = new Promise<void>((resolve) => {
      bringEditor = resolve;
    });
    await page.route(/json-editor/, (route) => isWanted.then(() => route.continue()));
    const { keyboard } = page;
    await page.getByRole('button', { name: 'Add an entry' }).press('Enter');
    await page.getByRole('dialog').waitFor();
    await keyboard.type('gif');
    bringEditor();
    await page.locator('.cm-content[contenteditable="true"]').waitFor();
    // Whoever writes a name goes on writing it.
    await keyboard.type('ts');
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.press('ControlOrMeta+a');
    await keyboard.insertText('{ "box": 1 }');
    // The editor is left again: next come the buttons, of which the second makes the entry.
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await told(page, 'The entry is made.');
    expect((await players().entry(filled.guest, { collection: 'gifts', key: 'main' })).value).toEqual({ box: 1 });
  });

  it('keeps what is being written while somebody chooses another language', async () => {
    const page = await openPlayer(filled.ada, 'saves', 'collection=progress&key=main&');
    await page.getByRole('button', { name: 'Edit' }).click();
    await writeJson(page, '{ "coins": 55 }');
    await page.getByRole('button', { name: /the first key/ }).click();
    await page.getByLabel('Language').selectOption('Deutsch');
    await page.getByRole('button', { name: 'Speichern' }).click();
    await page.getByRole('dialog').getByRole('cell', { name: '55' }).waitFor();
  });

  it('compares a snapshot with what is there, and restores it', async () => {
    const page = await openPlayer(filled.ada, 'snapshots');
    await page.getByRole('button', { name: 'Compare' }).last().click();
    await page.getByRole('dialog').getByText('In the snapshot').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Restore' }).last().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await told(page, 'The snapshot is restored.');
    const { value } = await players().entry(filled.ada, { collection: 'progress', key: 'main' });
    expect(value).toEqual({ coins: 120, level: 4, best: 31, magnet: 2 });
  });

  it('keeps the question about a snapshot open while news of the player come in', async () => {
    const page = await openPlayer(filled.ada, 'saves', 'collection=progress&key=main&');
    await page.getByRole('button', { name: 'Edit' }).click();
    await writeJson(page, '{ "coins": 56 }');
    await page.getByRole('button', { name: 'Save' }).click();
    let answer = (): void => {};
    const isWanted = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(new RegExp(`players/${filled.ada}(\\?|$)`), (route) => isWanted.then(() => route.continue()), {
      times: 1,
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await told(page, 'The entry is saved.');
    await page.getByRole('link', { name: 'Snapshots' }).click();
    await page.getByRole('button', { name: 'Restore' }).last().click();
    const again = page.waitForResponse(/snapshots/);
    answer();
    await again;
    await settled(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click({ timeout: 2000 });
    await told(page, 'The snapshot is restored.');
  });
});

describe('a snapshot of many entries', () => {
  it('is compared entry by entry to the last one, and says how many there are', async () => {
    const { userId } = await signInGuest(site.backend, 'the device of a collector');
    const { userId: other } = await signInGuest(site.backend, 'the other device of a collector');
    for (let count = 0; count < 45; count += 1) {
      const key = `k${String(count).padStart(2, '0')}`;
      await players().updateEntry(userId, { collection: 'shells', key, value: { count }, version: -1 });
    }
    await players().merge(other, { into: userId, entries: 'take' });
    // The entries are not there any more.
    site.expectComplaints(/404/);
    const page = await openPlayer(userId, 'snapshots');
    await page.getByRole('button', { name: 'Compare' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 to 30 of 45').waitFor();
    await expect.poll(() => dialog.locator('section.compared').count()).toBe(30);
    await dialog.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => dialog.locator('section.compared').count()).toBe(45);
    await dialog.getByText('k44').waitFor();
    await dialog.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
    expect(await dialog.getByText('1 to 30 of 45').count()).toBe(0);
  });
});

describe('the timeline', () => {
  const at = { collection: 'progress', key: 'main' };

  async function played(device: string): Promise<string> {
    const { userId } = await signInGuest(site.backend, device);
    await players().updateEntry(userId, { ...at, value: { coins: 3 }, version: -1 });
    await players().updateEntry(userId, { ...at, value: { coins: 4 }, version: 0 });
    return userId;
  }

  const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

  it('tells what happened in words, and leads to the save as it is', async () => {
    const page = await openPlayer(await played('a-device-with-a-past'), 'timeline');
    for (const text of [
      'The account was made.',
      'A login method was linked (Device):',
      'The player signed in (Device), on:',
      'A save was overwritten. What it held is kept:',
    ]) {
      expect(await rowOf(page, text).count()).toBe(1);
    }
    expect(await rowOf(page, 'changed an entry').count()).toBe(2);
    const written = rowOf(page, 'A save was written; this is its latest version:');
    await written.getByText('Version 1').waitFor();
    await written.getByRole('link', { name: 'What it holds' }).click();
    await page.getByRole('heading', { name: 'progress / main' }).waitFor();
  });

  it('shows what the save held then, goes back there, and back from there', async () => {
    const userId = await played('a-device-that-goes-back');
    const value = async () => (await players().entry(userId, at)).value;
    const page = await openPlayer(userId, 'timeline');
    await rowOf(page, 'A save was overwritten.')
      .getByRole('button', { name: /^What it held/ })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('In the snapshot').waitFor();
    await dialog.getByRole('cell', { name: '3', exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    const goBack = async (row: string): Promise<void> => {
      await rowOf(page, row)
        .getByRole('button', { name: /^Go back to this/ })
        .click();
      await dialog.getByText('To take it back:').waitFor();
      await dialog.getByRole('button', { name: 'Go back to this' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await goBack('A save was overwritten.');
    await told(page, 'The saves are as they were then.');
    expect(await value()).toEqual({ coins: 3 });
    await rowOf(page, 'Version 2').waitFor();
    await goBack('Saves were written back.');
    await rowOf(page, 'Version 3').waitFor();
    expect(await value()).toEqual({ coins: 4 });
    // They are read again after each deed.
    await expect.poll(() => rowOf(page, 'restored a snapshot').count(), { timeout: 15_000 }).toBe(2);
  });

  it('changes nothing where somebody thinks better of it, and says why where it cannot', async () => {
    site.expectComplaints(/404/);
    const userId = await played('a-device-that-stays');
    const page = await openPlayer(userId, 'timeline');
    const goBack = page.getByRole('button', { name: /^Go back to this/ });
    await goBack.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect((await players().entry(userId, at)).version).toBe(1);
    site.backend.control.fail({ route: 'restorePlayerSnapshot', with: { status: 404 } });
    await goBack.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Go back to this' }).click();
    await page.getByRole('dialog').getByText('not_found').waitFor();
    expect((await players().entry(userId, at)).value).toEqual({ coins: 4 });
  });

  it('brings the saves back that were not chosen, and takes a choice back', async () => {
    const into = await played('a-device-that-is-chosen');
    const { userId: from } = await signInGuest(site.backend, 'a-device-that-is-not-chosen');
    await players().updateEntry(from, { ...at, value: { coins: 9 }, version: -1 });
    await players().merge(from, { into });
    const page = await openPlayer(into, 'timeline');
    const row = rowOf(page, 'An operator merged another account into this one:');
    await row.getByRole('link', { name: from }).waitFor();
    await row.getByRole('button', { name: /^Bring these saves back/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Bring these saves back' }).click();
    await told(page, 'The saves of the other account are here.');
    expect((await players().entry(into, at)).value).toEqual({ coins: 9 });
    await row.getByRole('button', { name: 'Take the choice back' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take the choice back' }).click();
    await told(page, 'The choice is taken back.');
    expect((await players().get(from)).deviceCount).toBe(1);
    await rowOf(page, 'took a choice back').waitFor();
    expect(await row.getByRole('button', { name: 'Take the choice back' }).count()).toBe(0);
  });

  it('is read page by page', async () => {
    const userId = await played('a-device-of-a-long-life');
    for (let index = 0; index < 60; index += 1) {
      await players().updateEntry(userId, { collection: 'many', key: `k${index}`, value: {}, version: -1 });
    }
    const page = await openPlayer(userId, 'timeline');
    await page.getByText('Page 1').waitFor();
    expect(await page.getByRole('row').count()).toBe(51);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Page 2').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('The account was made.').waitFor();
  });

  it('shows what somebody wrote to do harm as text', async () => {
    const { userId } = await signInGuest(site.backend, 'a-device-of-harm');
    const key = '\u202e<img src=x onerror="window.stolen = true">';
    await players().updateEntry(userId, { collection: '<script>stolen = 1</script>', key, value: {}, version: -1 });
    await players().ban(userId, { reason: `${key} <b>` });
    const page = await openPlayer(userId, 'timeline');
    await page
      .getByText(String.raw`\u202e<img src=x onerror="window.stolen = true">`, { exact: true })
      .first()
      .waitFor();
    await page.getByText('<script>stolen = 1</script>', { exact: true }).first().waitFor();
    expect(await page.locator('main').innerText()).not.toContain('\u202e');
    expect(await page.evaluate(() => 'stolen' in globalThis)).toBe(false);
    expect(await page.locator('main script, main img').count()).toBe(0);
  });
});

describe('hostile saves', () => {
  it('are shown as text, with the signs that nobody sees in sight', async () => {
    const page = await openPlayer(filled.hostile, 'saves', 'collection=hostile&key=text&');
    await page.getByText(String.raw`\u202egpj.exe\u202c \u0007`).first().waitFor();
    expect(await page.getByText(hostileText.slice(0, 40)).count()).toBeGreaterThan(0);
    expect(await page.evaluate(() => 'stolen' in globalThis)).toBe(false);
    expect(await page.locator('main script, main img').count()).toBe(0);
  });

  it.each([
    ['many', 'k29', 'Last'],
    ['line', 'xxxx', 'Show all 150,000 characters'],
  ])('with %s stay quick', async (key, text, more) => {
    const page = await openPlayer(filled.hostile, 'saves', `collection=hostile&key=${key}&`);
    await page.getByText(text).first().waitFor();
    const took = await page.evaluate(async (name) => {
      const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === name);
      const start = performance.now();
      button?.click();
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return button === undefined ? null : performance.now() - start;
    }, more);
    expect(took).toBeLessThan(1_000);
    const elements = await page.evaluate(() => document.querySelectorAll('*').length);
    expect(elements).toBeLessThan(4_000);
  });

  it('are edited as they are', async () => {
    const page = await openPlayer(filled.hostile, 'saves', 'collection=hostile&key=line&');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.locator('.cm-content[contenteditable="true"]').waitFor();
    await change(page, 'Save', async (dialog) => {
      await dialog.getByText('Both are the same.').waitFor();
    });
    await told(page, 'The entry is saved.');
    const { value } = await players().entry(filled.hostile, { collection: 'hostile', key: 'line' });
    expect(value).toEqual({ line: 'x'.repeat(150_000) });
  });
});

describe('changes of an account', () => {
  it('asks once, says what it does and how it is taken back, and then bans and ends the ban', async () => {
    const linus = await findByName(site.admin, 'linus');
    const page = await openPlayer(linus, 'changes');
    await change(page, 'Ban', async (dialog) => {
      await dialog.getByText('end the ban here at any time.').waitFor();
      expect(await dialog.getByRole('button', { name: 'Ban' }).isDisabled()).toBe(true);
      await dialog.getByLabel('Why (the player reads this)').fill('cheated');
    });
    await told(page, 'The player is banned.');
    expect((await players().get(linus)).ban?.reason).toBe('cheated');
    await page.getByText('Banned for good').waitFor();
    await change(page, 'End the ban');
    await told(page, 'The ban has ended.');
    expect((await players().get(linus)).ban).toBeUndefined();
  });

  it('gives a reset code once, and no longer after that', async () => {
    const page = await openPlayer(await findByName(site.admin, 'linus'), 'changes');
    const dialog = await change(page, 'Make a reset code');
    const code = await dialog.locator('.secret code').innerText();
    expect(code.length).toBeGreaterThan(8);
    await dialog.getByRole('button', { name: 'Close' }).click();
    expect(await page.content()).not.toContain(code);
  });

  it('signs out, exports, deletes and restores', async () => {
    const { userId } = await signInGuest(site.backend, 'a-device-to-take-away');
    await players().updateEntry(userId, { collection: 'progress', key: 'main', value: { coins: 3 }, version: -1 });
    const page = await openPlayer(userId, 'changes');
    await change(page, 'Sign out everywhere');
    await told(page, 'All sessions have ended.');
    expect((await players().get(userId)).sessions).toEqual([]);

    const downloading = page.waitForEvent('download');
    await change(page, 'Export');
    const file = await (await downloading).path();
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ userId });

    const dialog = await change(page, 'Delete the account');
    await dialog.getByText('This code lets the player restore the account:').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    expect((await players().get(userId)).deletedAt).toBeDefined();
    await change(page, 'Restore the account');
    await told(page, 'The account is there again.');
    expect((await players().get(userId)).deletedAt).toBeUndefined();
  });

  it('says why the last way in is not taken away, and changes nothing', async () => {
    site.expectComplaints(/409/);
    const page = await openPlayer(await findByName(site.admin, 'linus'), 'who');
    await page.getByRole('button', { name: 'Unlink: Name' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Unlink' }).click();
    await dialog.getByText('would_orphan').waitFor();
    expect((await players().find({ name: 'linus' })).length).toBe(1);
  });

  it('merges a guest into another account, takes that back, and has both in the timeline', async () => {
    const { userId } = await signInGuest(site.backend, 'a-device-to-merge');
    const page = await openPlayer(userId, 'changes');
    await change(page, 'Merge into another account', async (dialog) => {
      await dialog.getByLabel('User id of the account that stays').fill(filled.grace.toUpperCase());
    }).then((dialog) => dialog.getByText('account_banned').waitFor());
    site.expectComplaints(/403/);
    await page.keyboard.press('Escape');
    await change(page, 'Merge into another account', async (dialog) => {
      await dialog.getByLabel('User id of the account that stays').fill(filled.ada);
    });
    await told(page, 'The accounts are merged.');
    expect((await players().get(filled.ada)).choice?.fromUserId).toBe(userId);
    const other = await openPlayer(filled.ada, 'changes');
    await change(other, 'Take the choice back');
    await told(other, 'The choice is taken back.');
    expect((await players().get(userId)).deviceCount).toBe(1);
    await other.getByRole('link', { name: 'Timeline' }).click();
    await other.getByText('took a choice back').waitFor();
    await other.getByText('merged two accounts').waitFor();
  });
});
