import { type Client, createClient, type JsonObject } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ElementsPage, find, openPage, part, press, sees, textOf } from './elements-page.js';

let page: ElementsPage;
let client: Client;

beforeEach(async () => {
  page = openPage({ limits: { quotas: { values: 4_000 } } } as never);
  client = await page.start();
});
afterEach(() => page.close());

const progress = () => client.profile.collection('progress');

/** An entry that the account has no room for. */
async function holdOne(): Promise<void> {
  await progress().set('main', { coins: 1 });
  await progress().set('notes', { text: 'x'.repeat(2_500) });
  await client.profile.flush();
  await progress().set('main', { coins: 2, text: 'x'.repeat(2_500) });
  await client.profile.flush().catch(() => {});
  await expect.poll(() => progress().held().length).toBe(1);
}

describe('<savepoint-sync>', () => {
  it('says how the saves stand, and what waits', async () => {
    const sync = page.show('savepoint-sync', client, { collections: ['progress', 'settings'] });
    await sees(sync, 'All progress is saved.');
    const { control } = page.service.backend;
    control.fail({ route: 'updateEntry', times: Number.POSITIVE_INFINITY, with: 'offline' });
    await progress().set('main', { coins: 1 });
    await sees(sync, 'No connection. Kept on this device.');
    await sees(sync, 'Waits to be sent: progress');
    expect(textOf(sync)).not.toContain('settings');
    await press(sync, 'try-again');
    await sees(sync, 'The service cannot be reached.');
    control.restore();
    await press(sync, 'try-again');
    await sees(sync, 'All progress is saved.');
  });

  it('says nothing of saves where nobody is signed in, though one of the account that was left may wait', async () => {
    const sync = page.show('savepoint-sync', client);
    await sees(sync, 'All progress is saved.');
    await client.auth.signOut();
    await expect.poll(() => textOf(sync).trim()).toBe('');
  });

  it('lists what is held with its reason, tries it again, and discards it once the player is sure', async () => {
    await holdOne();
    const sync = page.show('savepoint-sync', client);
    sync.setAttribute('collections', ' progress  other ');
    await sees(sync, 'progress/main');
    // Frameworks set as a property what is written as an attribute, and null where it is not written any more.
    sync.collections = null as never;
    await expect.poll(() => textOf(sync)).not.toContain('progress/main');
    sync.collections = 'other progress';
    await sees(sync, 'progress/main');
    await sees(sync, 'The account is full.');
    await press(sync, 'held try-again');
    await sees(sync, /The account is full\.\n.*The account is full\./s);
    await press(sync, 'held discard');
    await press(sync, 'yes');
    await sees(sync, 'Discarded: the saved version counts.');
    expect(progress().get('main')).toEqual({ coins: 1 });
    expect(progress().held()).toEqual([]);
  });

  it('tries a first visit again that found no network', async () => {
    const { control } = page.service.backend;
    control.fail({ with: 'offline', times: Number.POSITIVE_INFINITY });
    const { gameId, baseUrl, fetch } = page.service;
    const first = createClient({ gameId, environment: 0, baseUrl, fetch, storage: page.storage() });
    expect((await first.init()).success).toBe(false);
    await first.profile.collection('progress').set('main', { coins: 5 });
    const sync = page.show('savepoint-sync', first);
    await sees(sync, 'No connection. Kept on this device.');
    await press(sync, 'try-again');
    await sees(sync, 'The service cannot be reached.');
    control.restore();
    await press(sync, 'try-again');
    await sees(sync, 'All progress is saved.');
    expect(first.auth.state).toBe('guest');
    first.dispose();
  });

  it('sends what is held when it is tried again and the service takes it', async () => {
    const { control } = page.service.backend;
    control.fail({ route: 'updateEntry', with: { status: 403 }, times: Number.POSITIVE_INFINITY });
    await progress().set('main', { coins: 3 });
    const sync = page.show('savepoint-sync', client, { collections: ['progress'] });
    await sees(sync, 'progress/main');
    control.restore();
    await press(sync, 'held try-again');
    await sees(sync, 'All progress is saved.');
    await sees(sync, 'It is saved.');
    expect(find(sync, 'held')).toBeNull();
  });
});

describe('<savepoint-history>', () => {
  /** Two devices, of which one took the other's save: what it had is in the history. */
  async function takeAnother(value: JsonObject): Promise<void> {
    const owner = await page.start();
    await owner.profile.collection('progress').set('main', { coins: 12 });
    await owner.profile.flush();
    await owner.auth.withName('ada', 'correct horse');
    await progress().set('main', value);
    await client.profile.flush();
    client.events.on('conflict', (conflict) => conflict.resolve('cloud'));
    expect((await client.auth.withName('ada', 'correct horse')).success).toBe(true);
    await progress().load();
  }

  it('says what each snapshot holds, in the words of the game, and brings it back', async () => {
    await takeAnother({ coins: 3 });
    const history = page.show('savepoint-history', client, {
      describe: (entries) => entries.map(({ value }) => `${value['coins']} coins`).join(),
    });
    await sees(history, /3 coins\s*Not chosen/);
    const restored: unknown[] = [];
    history.addEventListener('savepoint-restored', (event) => restored.push((event as CustomEvent).detail));
    await press(history, 'undo');
    await sees(history, 'It is back as it was.');
    expect(progress().get('main')).toEqual({ coins: 3 });
    expect(restored).toHaveLength(1);
    await sees(history, /12 coins\s*Replaced by an undo/);
  });

  it('keeps the focus at the row that was pressed, whatever rows come before it', async () => {
    await takeAnother({ coins: 3 });
    const history = page.show('savepoint-history', client);
    const undo = await part(history, 'undo');
    const row = undo.closest('li');
    undo.focus();
    undo.click();
    await sees(history, 'Replaced by an undo');
    const rows = [...(history.shadowRoot?.querySelectorAll('li') ?? [])];
    expect(rows.indexOf(row as HTMLLIElement)).toBe(rows.length - 1);
    expect(rows.length).toBeGreaterThan(1);
    expect(row?.textContent).toContain('Not chosen');
    expect(history.shadowRoot?.activeElement).toBe(undo);
  });

  it('says how much each holds where the game does not describe it, or fails to', async () => {
    await takeAnother({ coins: 3 });
    const history = page.show('savepoint-history', client);
    await sees(history, '1 entry, 11 bytes');
  });

  it('shows what is markup, or endless, as a short text', async () => {
    await takeAnother({ text: `<img src=x onerror="window.ran=1">${'x'.repeat(1_000)}` });
    const history = page.show('savepoint-history', client, { describe: ([entry]) => String(entry?.value['text']) });
    await sees(history, 'onerror');
    expect(history.shadowRoot?.querySelector('img')).toBeNull();
    expect('ran' in window).toBe(false);
    expect((await part(history, 'content')).textContent?.length).toBeLessThan(300);
  });

  it('says that there is nothing, and why it could not be read, and is empty for another account', async () => {
    const history = page.show('savepoint-history', client);
    await sees(history, 'Nothing was set aside yet.');
    page.service.backend.control.fail({ route: 'listSnapshots', with: { status: 503 }, times: 9 });
    await history.refresh();
    await sees(history, 'The service cannot be reached.');
    page.service.backend.control.restore();
    await history.refresh();
    expect(textOf(history)).not.toContain('cannot be reached');
    await takeAnother({ coins: 3 });
    await sees(history, 'Not chosen');
    history.client = await page.start();
    await sees(history, 'Nothing was set aside yet.');
  });

  it('shows nothing of an account that has signed out, and all of it when that is back', async () => {
    await takeAnother({ coins: 3 });
    const history = page.show('savepoint-history', client);
    await sees(history, 'Not chosen');
    await client.auth.signOut();
    await sees(history, 'Nothing was set aside yet.');
    expect(textOf(history)).not.toContain('Not chosen');
    await client.auth.withName('ada', 'correct horse');
    await sees(history, 'Not chosen');
  });
});
