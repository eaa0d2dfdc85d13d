import { type Client, Main } from 'savepoint';
import { defineElements, english, type Texts } from 'savepoint/elements';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ElementsPage, find, openPage, press, sees, textOf } from './elements-page.js';

const password = 'correct horse';
const unreachable = 'The service cannot be reached.';
let page: ElementsPage;
let menu: HTMLDetailsElement;

beforeEach(() => {
  page = openPage();
  menu = document.body.appendChild(document.createElement('details'));
});
afterEach(() => {
  menu.remove();
  page.close();
});

async function start(coins: number): Promise<Client> {
  const client = await page.start({ conflictFields: [{ collection: 'progress', key: 'main', field: 'coins' }] });
  await client.profile.collection('progress').set('main', { coins });
  await client.profile.flush();
  return client;
}

/** Two devices of one player, of which the second has not signed in yet. */
async function twoDevices(): Promise<Client> {
  const there = await start(12);
  await there.auth.withName('ada', password);
  return start(3);
}

/** When the page has shown what it had to. */
const settled = (): Promise<unknown> =>
  new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)));

/** Whether a press of the pointer reaches what the page shows. */
function isPageUsable(): boolean {
  const button = document.body.appendChild(document.createElement('button'));
  button.style.cssText = 'position: fixed; inset: 0';
  const hit = document.elementFromPoint(20, 20);
  button.remove();
  return hit === button;
}

describe('a <savepoint-conflict> in a menu that is closed', () => {
  it('leaves the page usable, and asks as soon as the menu is open', async () => {
    const here = await twoDevices();
    const element = page.show('savepoint-conflict', here);
    menu.append(element);
    const result = here.auth.withName('ada', password);
    await expect.poll(() => element.isOpen).toBe(true);
    await settled();
    expect(isPageUsable()).toBe(true);
    menu.open = true;
    await expect.poll(() => find(element, 'dialog')).not.toBeNull();
    expect(isPageUsable()).toBe(false);
    await press(element, 'take');
    expect((await result).success).toBe(true);
    expect(isPageUsable()).toBe(true);
  });
});

describe('what a page without types may give', () => {
  /** What is thrown in the page meanwhile. */
  async function reported(act: () => Promise<unknown>): Promise<string[]> {
    const errors: string[] = [];
    const heard = (event: ErrorEvent): void => {
      event.preventDefault();
      event.stopImmediatePropagation();
      errors.push(event.message);
    };
    window.addEventListener('error', heard, { capture: true });
    await act().finally(() => window.removeEventListener('error', heard, { capture: true }));
    return errors;
  }

  it('a language as a system writes it, and no labels, are taken', async () => {
    const here = await twoDevices();
    const dialog = page.show('savepoint-conflict', here, {
      texts: { ...english, language: 'de_DE' },
      labels: null as never,
    });
    const result = here.auth.withName('ada', password);
    await sees(dialog, 'coins');
    await press(dialog, 'take');
    expect((await result).success).toBe(true);
  });

  it.each<[string, Partial<Texts>]>([
    ['a text that throws', { entries: () => JSON.parse('{') }],
    ['a language that is none', { language: 'no language' }],
  ])('%s is reported, and the choice that cannot be shown put off', async (_, texts) => {
    const here = await twoDevices();
    const dialog = page.show('savepoint-conflict', here, { texts: { ...english, ...texts } });
    const errors = await reported(async () => {
      expect(await here.auth.withName('ada', password)).toMatchObject({ error: { code: 'conflict_cancelled' } });
    });
    expect(errors).not.toEqual([]);
    expect(dialog.isOpen).toBe(false);
    expect(isPageUsable()).toBe(true);
  });

  it('a client that is none is refused by its name', () => {
    expect(() => defineElements({ client: Main as never })).toThrow(/^client is not of createClient/);
  });
});

it('a game that signs nobody in by itself has the ways in from the start', async () => {
  const client = page.create({ autoLogin: false });
  const account = page.show('savepoint-account', client);
  await sees(account, 'Signing in…');
  await client.init();
  await sees(account, 'Signed out');
  await press(account, 'guest');
  await sees(account, 'Guest');
});

describe('a client that cannot be started', () => {
  const openClient = (): Client => page.create();

  /** Its elements, where it has found no service. */
  async function open() {
    const client = openClient();
    const account = page.show('savepoint-account', client);
    const sync = page.show('savepoint-sync', client);
    const history = page.show('savepoint-history', client);
    await sees(account, 'Signing in…');
    page.service.backend.control.fail({ with: 'offline', times: Number.POSITIVE_INFINITY });
    expect(await client.init()).toMatchObject({ error: { code: 'network' } });
    await sees(account, unreachable);
    return { client, account, sync, history };
  }

  it('is told of with a way out, and no element waits for ever', async () => {
    const { account, sync, history } = await open();
    await sees(account, 'Signed out');
    await sees(sync, 'No connection. Kept on this device.');
    await sees(history, 'Nothing was set aside yet.');
    await press(account, 'guest');
    await expect.poll(() => find(account, 'account')?.ariaBusy, { timeout: 5_000 }).toBeNull();
    await sees(account, unreachable);
    page.service.backend.control.restore();
    await press(account, 'guest');
    await sees(account, 'Guest');
    expect(textOf(account)).not.toContain(unreachable);
    await sees(sync, 'All progress is saved.');
  });

  it('is tried again by the button of the saves', async () => {
    const { account, sync } = await open();
    page.service.backend.control.restore();
    await press(sync, 'try-again');
    await sees(account, 'Guest');
    expect(textOf(account)).not.toContain(unreachable);
    await sees(sync, 'All progress is saved.');
  });

  it('is told of by elements that come later', async () => {
    const { client } = await open();
    const account = page.show('savepoint-account', client);
    await sees(account, unreachable);
    await sees(account, 'Signed out');
    await sees(page.show('savepoint-sync', client), 'No connection. Kept on this device.');
    await sees(page.show('savepoint-history', client), 'Nothing was set aside yet.');
    expect(client.auth.state).toBe('starting');
  });

  it('leaves nothing that waits for ever where it was disposed of while it started', async () => {
    page.service.backend.control.fail({ with: 'slow', times: Number.POSITIVE_INFINITY });
    const client = openClient();
    const account = page.show('savepoint-account', client);
    const starting = client.init();
    client.dispose();
    expect(await starting).toMatchObject({ error: { code: 'aborted' } });
    await sees(account, 'Signed out');
  });
});
