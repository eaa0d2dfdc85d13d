import type { Client, Conflict } from 'savepoint';
import type { ConflictElement, ConflictResolved } from 'savepoint/elements';
import { german } from 'savepoint/elements/texts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ElementsPage, find, openPage, press, sees, textOf } from './elements-page.js';

const password = 'correct horse';
let page: ElementsPage;
let there: Client;
let here: Client;

const conflictFields = [
  { collection: 'progress', key: 'main', field: 'coins' },
  { collection: 'progress', key: 'main', field: 'note' },
];

async function start(value: object | null): Promise<Client> {
  const client = await page.start({ conflictFields });
  const progress = client.profile.collection('progress', { merge: { coins: 'sum' } });
  if (value !== null) {
    await progress.set('main', value as never);
    await client.profile.flush();
  }
  return client;
}

/** Two devices: the name is the one's, and the other one types it. */
async function meet(cloud: object | null, local: object | null, more: Partial<ConflictElement> = {}) {
  there = await start(cloud);
  await there.auth.withName('ada', password);
  here = await start(local);
  const dialog = page.show('savepoint-conflict', here, more);
  const resolved: ConflictResolved[] = [];
  dialog.addEventListener('savepoint-resolved', (event) => resolved.push((event as CustomEvent).detail));
  return { dialog, resolved, result: here.auth.withName('ada', password) };
}

const shownDialog = (element: ConflictElement) => element.shadowRoot?.querySelector('dialog') as HTMLDialogElement;
const coins = (client: Client) => client.profile.collection('progress').get('main')?.['coins'];

beforeEach(() => {
  page = openPage();
});
afterEach(() => page.close());

describe('<savepoint-conflict>', () => {
  it('opens by itself, as a modal dialog with the focus in it, and shows both sides', async () => {
    const { dialog } = await meet({ coins: 12 }, { coins: 3 }, { labels: { coins: 'Coins' } });
    await sees(dialog, 'Which save do you want?');
    expect(dialog.isOpen).toBe(true);
    expect(shownDialog(dialog).matches(':modal')).toBe(true);
    expect(dialog.shadowRoot?.activeElement?.textContent).toBe('Which save do you want?');
    const rows = [...(dialog.shadowRoot?.querySelectorAll('tbody tr') ?? [])];
    expect(rows.map((row) => [...row.children].map((cell) => cell.textContent?.trim())).slice(0, 2)).toEqual([
      ['Coins', '3', '12'],
      ['note', '–', '–'],
    ]);
    expect(textOf(dialog)).toContain('Both were played.');
    expect(textOf(dialog)).toContain('What differs (1)');
  });

  it('keeps this device', async () => {
    const { dialog, result, resolved } = await meet({ coins: 12 }, { coins: 3 });
    const { userId } = here.auth;
    await press(dialog, 'keep');
    expect(await result).toMatchObject({ success: true, userId });
    expect(coins(here)).toBe(3);
    await expect.poll(() => dialog.isOpen).toBe(false);
    expect(resolved).toMatchObject([{ choice: 'local', wasAsked: true }]);
  });

  it('takes the saved game', async () => {
    const { dialog, result } = await meet({ coins: 12 }, { coins: 3 });
    await press(dialog, 'take');
    expect(await result).toMatchObject({ success: true, userId: there.auth.userId });
    expect(coins(here)).toBe(12);
  });

  it('merges both, and offers that only where each side has something of its own', async () => {
    const { dialog, result } = await meet({ coins: 12 }, { coins: 3 });
    await press(dialog, 'merge');
    expect((await result).success).toBe(true);
    expect(coins(here)).toBe(15);
    page.close();
    page = openPage();
    const second = await meet({ coins: 12 }, null);
    await sees(second.dialog, 'nothing is lost by taking it');
    expect(find(second.dialog, 'merge')).toBeNull();
  });

  it('offers to bring back what the choice has set aside, right there, and does it', async () => {
    const { dialog, result } = await meet({ coins: 12 }, { coins: 3 });
    const restored: unknown[] = [];
    dialog.addEventListener('savepoint-restored', (event) => restored.push((event as CustomEvent).detail));
    await press(dialog, 'merge');
    expect((await result).success).toBe(true);
    await sees(dialog, 'Your choice counts from now on.');
    expect(textOf(dialog)).toMatch(/Bring back: This device\nBring back: Saved game/);
    await press(dialog, 'undo');
    await sees(dialog, 'It is back as it was.');
    expect(coins(here)).toBe(3);
    expect(restored).toHaveLength(1);
    expect(find(dialog, 'undo')).toBeNull();
    await press(dialog, 'go-on');
    await expect.poll(() => find(dialog, 'chosen')).toBeNull();
  });

  it('tells where nothing could be brought back, and offers it to nobody else', async () => {
    const { dialog, result } = await meet({ coins: 12 }, { coins: 3 });
    const { control } = page.service.backend;
    await press(dialog, 'take');
    await result;
    await sees(dialog, 'Bring back: This device');
    control.fail({ route: 'restoreSnapshot', times: Number.POSITIVE_INFINITY, with: { status: 503 } });
    await press(dialog, 'undo');
    await sees(dialog, 'The service cannot be reached.');
    expect(coins(here)).toBe(12);
    control.restore();
    await here.auth.signOut();
    await expect.poll(() => find(dialog, 'chosen')).toBeNull();
  });

  it('speaks another language at once, and cannot be pressed while a choice is carried out', async () => {
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    there = await start({ coins: 12 });
    await there.auth.withName('ada', password);
    here = await page.start({
      conflictFields,
      fetch: async (request) => {
        if (request.url.endsWith('/auth/conflict')) await answered;
        return page.service.fetch(request);
      },
    });
    await here.profile.collection('progress').set('main', { coins: 3 });
    const dialog = page.show('savepoint-conflict', here);
    const result = here.auth.withName('ada', password);
    await sees(dialog, 'Which save do you want?');
    dialog.texts = german;
    await sees(dialog, german.conflictTitle);
    expect(shownDialog(dialog).open).toBe(true);
    await press(dialog, 'take');
    await expect.poll(() => find(dialog, 'keep')?.getAttribute('aria-disabled')).toBe('true');
    find(dialog, 'keep')?.click();
    shownDialog(dialog).dispatchEvent(new Event('cancel', { cancelable: true }));
    answer();
    expect(await result).toMatchObject({ success: true, userId: there.auth.userId });
    await expect.poll(() => dialog.isOpen).toBe(false);
  });

  it('puts the choice off by its button and by Escape, and nothing has changed', async () => {
    const { dialog, result, resolved } = await meet({ coins: 12 }, { coins: 3 });
    const { userId } = here.auth;
    await press(dialog, 'later');
    expect(await result).toMatchObject({ success: false, error: { code: 'conflict_cancelled' } });
    const again = here.auth.withName('ada', password);
    await expect.poll(() => dialog.isOpen && shownDialog(dialog).open).toBe(true);
    shownDialog(dialog).dispatchEvent(new Event('cancel', { cancelable: true }));
    expect(await again).toMatchObject({ error: { code: 'conflict_cancelled' } });
    await expect.poll(() => shownDialog(dialog).open).toBe(false);
    expect([here.auth.userId, here.auth.state, coins(here)]).toEqual([userId, 'guest', 3]);
    expect(resolved.map(({ choice }) => choice)).toEqual(['cancel', 'cancel']);
  });

  it('asks nobody about two empty saves, and says so to the page', async () => {
    const { dialog, result, resolved } = await meet(null, null);
    expect(await result).toMatchObject({ success: true, userId: there.auth.userId });
    expect(dialog.isOpen).toBe(false);
    expect(resolved).toMatchObject([{ choice: 'cloud', wasAsked: false }]);
  });

  it('asks a player whose other save is not empty, whatever the game takes for empty', async () => {
    const { dialog } = await meet({ coins: 12 }, null, {
      isEmpty: ({ fields }) => fields.every(({ value }) => value === undefined),
    });
    await sees(dialog, 'Which save do you want?');
  });

  it('stays open while the service cannot be reached, with a way out, and then carries the choice out', async () => {
    const { dialog, result } = await meet({ coins: 12 }, { coins: 3 });
    const { control } = page.service.backend;
    control.fail({ route: '/v2/auth/conflict', times: Number.POSITIVE_INFINITY, with: { status: 503 } });
    await press(dialog, 'take');
    await sees(dialog, 'The service cannot be reached.');
    expect(shownDialog(dialog).open).toBe(true);
    control.restore();
    await press(dialog, 'take');
    expect((await result).success).toBe(true);
    expect(coins(here)).toBe(12);
  });

  it('opens for a conflict that was open before the element was there, and closes when it ends elsewhere', async () => {
    const { dialog, result } = await meet({ coins: 12 }, { coins: 3 });
    await sees(dialog, 'Which save do you want?');
    dialog.remove();
    await expect.poll(() => shownDialog(dialog).open).toBe(false);
    const second = page.show('savepoint-conflict', here);
    await sees(second, 'Which save do you want?');
    await here.auth.signOut();
    expect((await result).success).toBe(false);
    await expect.poll(() => shownDialog(second).open).toBe(false);
  });

  it('shows values that are markup, or endless, as short texts', async () => {
    const hostile = `<img src=x onerror="window.ran=1">${'x'.repeat(150_000)}`;
    const { dialog } = await meet(
      { coins: 1, note: hostile },
      { coins: 3, note: '<b>bold</b>' },
      {
        labels: { note: '<script>window.ran=1</script>' },
      },
    );
    await sees(dialog, '<b>bold</b>');
    expect(dialog.shadowRoot?.querySelector('img, script, td b')).toBeNull();
    expect('ran' in window).toBe(false);
    expect(textOf(dialog).length).toBeLessThan(3_000);
    expect(shownDialog(dialog).scrollWidth).toBe(shownDialog(dialog).clientWidth);
  });

  it('turns no words of its own round for a value that is written from right to left', async () => {
    const { dialog } = await meet({ coins: 1, note: 'a\u202e\u2067b' }, { coins: 3, note: '\u202egro' });
    await sees(dialog, 'gro');
    expect(dialog.shadowRoot?.textContent).toContain('ab');
    expect(dialog.shadowRoot?.textContent).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });

  it('is carried out once when a choice is pressed twice', async () => {
    const { dialog, result } = await meet({ coins: 12 }, { coins: 3 });
    await press(dialog, 'merge');
    find(dialog, 'keep')?.click();
    await result;
    const asked = page.service.backend.control.requests.filter(({ path }) => path === '/v2/auth/conflict');
    expect(asked).toHaveLength(1);
    expect(coins(here)).toBe(15);
  });

  it('asks about the next conflict, which came before the first was told to be put off', async () => {
    const { dialog, result } = await meet({ coins: 12 }, { coins: 3 });
    await sees(dialog, 'Which save do you want?');
    const first = here.conflict as Conflict;
    const { resolve } = first;
    Object.assign(first, {
      resolve: async (choice: 'cancel') => {
        const cancelled = await resolve(choice);
        const next = new Promise((met) => here.events.once('conflict', met));
        void here.auth.withName('ada', password);
        await next;
        return cancelled;
      },
    });
    await press(dialog, 'later');
    expect(await result).toMatchObject({ success: false });
    await expect.poll(() => here.conflict !== null && here.conflict !== first).toBe(true);
    await expect.poll(() => find(dialog, 'dialog')?.getAttribute('aria-busy')).not.toBe('true');
    expect(dialog.isOpen).toBe(true);
    expect(find(dialog, 'error')?.textContent ?? '').toBe('');
    await press(dialog, 'take');
    await expect.poll(() => coins(here)).toBe(12);
  });

  it('is taken out of the page while a choice is carried out, which counts all the same', async () => {
    const { dialog, result } = await meet({ coins: 12 }, { coins: 3 });
    await press(dialog, 'take');
    dialog.remove();
    expect((await result).success).toBe(true);
    expect(coins(here)).toBe(12);
  });
});
