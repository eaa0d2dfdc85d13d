import type { Client } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ElementsPage, find, openPage, part, press, sees, send, textOf } from './elements-page.js';

const password = 'correct horse';
let page: ElementsPage;
let client: Client;

beforeEach(async () => {
  page = openPage();
  client = await page.start();
});
afterEach(() => page.close());

const linked = async (name = 'ada'): Promise<void> => {
  expect((await client.auth.withName(name, password)).success).toBe(true);
};

/** Starts a client that gets no answer to a link before the function is called that this gives. */
async function startHoldingLinks(): Promise<() => void> {
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  client = await page.start({
    fetch: async (request) => {
      if (request.url.endsWith('/auth/name')) await answered;
      return page.service.fetch(request);
    },
  });
  return () => answer();
}

/** Opens a part of the account. */
async function unfold(account: HTMLElement, name: string): Promise<HTMLDetailsElement> {
  const fold = await part<HTMLDetailsElement>(account, `fold-${name}`);
  fold.open = true;
  return fold;
}

describe('<savepoint-account>', () => {
  it('links a name to a guest, and keeps no password in the page', async () => {
    const account = page.show('savepoint-account', client);
    await sees(account, 'Guest');
    const { userId } = client.auth;
    const form = await send(account, 'link', { name: ' ada ', password });
    await sees(account, /^ada$/m);
    expect(client.auth.userId).toBe(userId);
    expect((await client.account.methods()).map(({ label }) => label)).toContain('ada');
    for (const input of form.querySelectorAll('input')) expect(input.value).not.toBe(password);
    expect(account.shadowRoot?.innerHTML).not.toContain(password);
  });

  it('dresses no form as one of its buttons', async () => {
    const account = page.show('savepoint-account', client);
    await sees(account, 'Guest');
    const looks = [...(account.shadowRoot?.querySelectorAll('form, form p, form label') ?? [])].map((one) =>
      getComputedStyle(one),
    );
    expect(looks.length).toBeGreaterThan(3);
    expect(new Set(looks.map(({ textDecorationLine }) => textDecorationLine))).toEqual(new Set(['none']));
  });

  it('tells a failure by its code, keeps the name, and forgets the password', async () => {
    await linked();
    const other = await page.start();
    const account = page.show('savepoint-account', other);
    const form = await send(account, 'link', { name: 'ada', password: 'a wrong one' });
    await sees(account, 'No save opens with this name and this password.');
    expect((form.elements.namedItem('name') as HTMLInputElement).value).toBe('ada');
    expect((form.elements.namedItem('password') as HTMLInputElement).value).toBe('');
    await send(account, 'link', { name: 'grace', password: 'short' });
    await sees(account, 'A password has at least 8 characters.');
    await send(account, 'link', { name: '', password });
    await sees(account, 'Please fill in this field.');
    expect(other.auth.state).toBe('guest');
  });

  it('signs out, plays as a guest again, and signs in by name', async () => {
    await linked();
    const account = page.show('savepoint-account', client);
    const { userId } = client.auth;
    await press(account, 'sign-out');
    await sees(account, 'Signed out');
    expect(client.auth.isAuthorized).toBe(false);
    await press(account, 'guest');
    await expect.poll(() => client.auth.isAuthorized).toBe(true);
    await press(account, 'sign-out');
    await send(account, 'sign-in', { name: 'ada', password });
    await sees(account, /^ada$/m);
    expect(client.auth.userId).toBe(userId);
  });

  it('asks for a code for a forgotten password, and sets a new one by it', async () => {
    const codes: string[] = [];
    page.close();
    page = openPage({ deliver: ({ code }) => void codes.push(code ?? '') });
    client = await page.start();
    await linked();
    const account = page.show('savepoint-account', client);
    await press(account, 'sign-out');
    await press(account, 'forgot');
    await send(account, 'forgot', { name: 'ada' });
    await expect.poll(() => codes.length).toBe(1);
    await sees(account, 'a code is on its way');
    await send(account, 'reset', { name: 'ada', code: 'not the code', password: 'new and long' });
    await sees(account, 'This code does not count');
    await send(account, 'reset', { name: 'ada', code: codes[0] ?? '', password: 'new and long' });
    await sees(account, 'The new password counts');
    expect((await client.auth.withName('ada', 'new and long')).success).toBe(true);
  });

  it('lists what leads to the account, and takes a method away once the player is sure', async () => {
    await linked();
    const account = page.show('savepoint-account', client);
    const fold = await unfold(account, 'methods');
    await expect.poll(() => fold.querySelectorAll('li').length).toBe(1);
    expect(fold.textContent).toContain('Name: ada');
    const unlink = fold.querySelector<HTMLElement>('[part~="unlink"]');
    unlink?.focus();
    unlink?.click();
    await press(account, 'no');
    await expect.poll(() => account.shadowRoot?.activeElement).toBe(unlink);
    expect(await client.account.methods()).toHaveLength(2);
    unlink?.click();
    await press(account, 'yes');
    await expect.poll(() => client.account.methods()).toHaveLength(1);
    await sees(account, 'Guest');
    await unfold(account, 'devices');
    await press(account, 'revoke');
    await press(account, 'yes');
    await sees(account, 'This is the last way into the account.');
  });

  it('takes a device away', async () => {
    await linked();
    const other = await page.start();
    await other.auth.switchTo({ method: 'name', username: 'ada', password });
    await other.account.devices();
    const account = page.show('savepoint-account', client);
    const fold = await unfold(account, 'devices');
    await expect.poll(() => fold.querySelectorAll('li').length).toBeGreaterThan(0);
    const before = await client.account.devices();
    fold.querySelector<HTMLElement>('[part~="revoke"]')?.click();
    await press(account, 'yes');
    await expect.poll(() => client.account.devices()).toHaveLength(before.length - 1);
  });

  it('makes a recovery code, which opens the account on another device', async () => {
    await linked();
    const account = page.show('savepoint-account', client);
    await unfold(account, 'recovery');
    await press(account, 'make-code');
    const code = (await part(account, 'code')).textContent ?? '';
    const other = await page.start();
    const there = page.show('savepoint-account', other);
    await press(there, 'use-code');
    await send(there, 'code', { code: 'wrong' });
    await sees(there, 'This code does not count');
    await send(there, 'code', { code: ` ${code} ` });
    await expect.poll(() => other.auth.userId).toBe(client.auth.userId);
  });

  it('asks for the password once more where the service wants it, and then goes on', async () => {
    await linked();
    page.service.backend.control.advance(60 * 60 * 1_000);
    const account = page.show('savepoint-account', client);
    await unfold(account, 'recovery');
    await sees(account, /^ada$/m);
    await press(account, 'make-code');
    await send(account, 'again', { password });
    expect((await part(account, 'code')).textContent).toMatch(/\S{8,}/);
  });

  it('changes the password', async () => {
    await linked();
    const account = page.show('savepoint-account', client);
    await unfold(account, 'change');
    await send(account, 'change', { before: 'not it at all', after: 'another long one' });
    await sees(account, 'No save opens');
    await send(account, 'change', { before: password, after: 'another long one' });
    await sees(account, 'The new password counts');
    expect(
      (await client.auth.switchTo({ method: 'name', username: 'ada', password: 'another long one' })).success,
    ).toBe(true);
  });

  it('deletes the account with its grace, and takes that back', async () => {
    await linked();
    const { userId } = client.auth;
    const account = page.show('savepoint-account', client);
    await unfold(account, 'delete');
    await press(account, 'delete');
    await press(account, 'yes');
    await sees(account, 'This account is being deleted. You can take that back until');
    expect(client.auth.isAuthorized).toBe(false);
    await press(account, 'take-back');
    await sees(account, 'The account is yours again.');
    expect(client.auth.userId).toBe(userId);
  });

  it('takes a deletion back by the form that signs in', async () => {
    await linked();
    const { userId } = client.auth;
    await client.account.delete();
    const account = page.show('savepoint-account', client);
    await send(account, 'sign-in', { name: 'ada', password });
    await sees(account, 'Type the password again to take that back');
    await send(account, 'sign-in', { name: 'ada', password });
    await expect.poll(() => client.auth.userId).toBe(userId);
  });

  it('shows a name that is markup as the text it is', async () => {
    const name = '<script>window.ran=1</script><img src=x onerror="window.ran=1">';
    await linked(name);
    const account = page.show('savepoint-account', client);
    await unfold(account, 'methods');
    await sees(account, 'onerror');
    expect(account.shadowRoot?.querySelector('script, img')).toBeNull();
    expect('ran' in window).toBe(false);
  });

  it('shows what the device knows of the account where there is no network', async () => {
    const items = new Map<string, string>();
    const storage = {
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, value: string) => void items.set(key, value),
      removeItem: (key: string) => void items.delete(key),
    };
    const before = await page.start({ storage });
    expect((await before.auth.withName('grace', password)).success).toBe(true);
    before.dispose();
    page.service.backend.control.fail({ with: 'offline', times: Number.POSITIVE_INFINITY });
    const account = page.show('savepoint-account', await page.start({ storage }));
    await sees(account, 'Your account');
    const fold = await unfold(account, 'methods');
    expect([...fold.querySelectorAll('li')].map((row) => row.textContent)).toEqual(['NameUnlink']);
    expect(account.shadowRoot?.querySelector('form[part~="link"]')).toBeNull();
    page.service.backend.control.restore();
    await account.refresh();
    await sees(account, /^grace$/m);
    expect(fold.textContent).toContain('Name: grace');
  });

  it('has nothing that can be pressed while a request runs, and shows that', async () => {
    const answer = await startHoldingLinks();
    const account = page.show('savepoint-account', client);
    await send(account, 'link', { name: 'ada', password });
    const buttons = () => [...(account.shadowRoot?.querySelectorAll('button') ?? [])];
    await expect.poll(() => buttons().every((one) => one.getAttribute('aria-disabled') === 'true')).toBe(true);
    for (const one of buttons()) one.click();
    await new Promise(requestAnimationFrame);
    // No other form has taken the place of the one that is being sent.
    expect(find(account, 'link')).not.toBeNull();
    answer();
    await sees(account, /^ada$/m);
    const paths = page.service.backend.control.requests.map(({ path }) => path);
    expect(paths.filter((path) => path === '/v2/auth/name')).toHaveLength(1);
    expect(paths).not.toContain('/v2/auth/logout');
    expect(client.auth.isAuthorized).toBe(true);
    expect(buttons().some((one) => one.hasAttribute('aria-disabled'))).toBe(false);
  });

  it('tells a failure of a client that was disposed of, and stays whole', async () => {
    const account = page.show('savepoint-account', client);
    await sees(account, 'Guest');
    client.dispose();
    await send(account, 'link', { name: 'ada', password });
    await expect.poll(() => account.shadowRoot?.querySelector('[aria-busy]')).toBeNull();
    expect(find(account, 'who')).not.toBeNull();
  });

  it('shows two players at once, each its own, and another client when it is given one', async () => {
    await linked();
    const other = await page.start();
    const [one, two] = [page.show('savepoint-account', client), page.show('savepoint-account', other)];
    await sees(one, /^ada$/m);
    await sees(two, 'Guest');
    one.client = other;
    await sees(one, 'Guest');
    await client.auth.signOut();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(textOf(one)).not.toContain('Signed out');
  });

  it('is taken out of the page in the middle of a request, and is none the worse when it comes back', async () => {
    const answer = await startHoldingLinks();
    const account = page.show('savepoint-account', client);
    await send(account, 'link', { name: 'ada', password });
    account.remove();
    answer();
    await expect.poll(() => client.auth.state).toBe('linked');
    document.body.append(account);
    await sees(account, /^ada$/m);
    expect(account.shadowRoot?.querySelector('[aria-busy="true"]')).toBeNull();
  });
});
