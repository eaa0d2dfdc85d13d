import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ElementsPage, openPage, part, press, sees } from './elements-page.js';

// A game that signs players in by a portal, with a button of its own in the account's slot.

let page: ElementsPage;

beforeEach(() => {
  page = openPage({ game: { socialPlatforms: { portal: async (token) => ({ id: token }) } } });
});
afterEach(() => page.close());

/** Shows an account with the portal's button in it. */
async function showPortal() {
  const client = await page.start();
  const account = page.show('savepoint-account', client);
  const button = document.createElement('button');
  button.slot = 'sign-in';
  button.textContent = 'Play as on the portal';
  button.onclick = () => void client.auth.withSocialToken('somebody of the portal', { platform: 'portal' });
  account.append(button);
  await sees(account, 'Guest');
  return { client, account, button };
}

it("shows the game's own button where a guest can sign in, and the player whom it brings", async () => {
  const { client, account, button } = await showPortal();
  expect(button.getBoundingClientRect().height).toBeGreaterThan(0);
  button.click();
  await sees(account, 'Opens on any device.');
  expect((await client.account.methods()).map(({ method }) => method)).toContain('social');
});

it('tells the game where the service wants a method shown once more and none is a password', async () => {
  const { client, account, button } = await showPortal();
  button.click();
  await sees(account, 'Opens on any device.');
  page.service.backend.control.advance(60 * 60 * 1_000);
  const told = new Promise<unknown>((resolve) => {
    document.addEventListener('savepoint-reauthenticate', ({ detail }: CustomEventInit) => resolve(detail), {
      once: true,
    });
  });
  const fold = await part<HTMLDetailsElement>(account, 'fold-recovery');
  fold.open = true;
  await press(account, 'make-code');
  expect(await told).toEqual({ methods: ['social'] });
  await client.account.reauthenticate({ method: 'social', token: 'somebody of the portal', platform: 'portal' });
  await press(account, 'make-code');
  expect((await part(account, 'code')).textContent).toMatch(/\S{8,}/);
});
