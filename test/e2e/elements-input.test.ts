import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type ElementName, focused, gamepadOf, openScene, showAll, slow, useElementsPage } from './elements-visit.js';

const open = useElementsPage();
const [a, b, up, down] = [0, 1, 12, 13] as const;

/** What each part says that can have the focus, in the order in which it stands, with what the game has put into it. */
const reachable = (page: Page, element: ElementName): Promise<string[]> =>
  page.locator(`savepoint-${element}`).evaluate((host) =>
    [...(host.shadowRoot?.querySelectorAll<HTMLElement>('button,input,summary,slot') ?? [])]
      .flatMap((each) => (each instanceof HTMLSlotElement ? (each.assignedElements() as HTMLElement[]) : [each]))
      .filter((each) => each.getClientRects().length > 0)
      .map((each) => {
        const label = each.getAttribute('aria-label') ?? each.closest('label')?.textContent;
        return (label || each.textContent || '').trim();
      }),
  );

/** Puts a button of the game's own where the account takes it. */
const addPortal = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const portal = document.createElement('button');
    portal.slot = 'sign-in';
    portal.textContent = 'Sign in with the portal';
    portal.onclick = () => {
      document.title = 'the portal';
    };
    document.querySelector('savepoint-account')?.append(portal);
  });

describe.each(['player', 'guest'] as const)('what the elements show of a %s', (scene) => {
  const elements = scene === 'player' ? (['account', 'sync', 'history'] as const) : (['account'] as const);

  it('is reached by the keyboard, all of it, in the order in which it stands', slow, async () => {
    const page = await open(scene);
    if (scene === 'guest') await addPortal(page);
    await showAll(page, scene);
    const wanted: string[] = [];
    for (const element of elements) wanted.push(...(await reachable(page, element)));
    expect(wanted.length).toBeGreaterThan(scene === 'player' ? 15 : 7);
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.locator('h1').evaluate((heading: HTMLElement) => {
      heading.hidden = false;
      heading.tabIndex = -1;
      heading.focus();
    });
    const seen: (string | undefined)[] = [];
    for (const _ of wanted) {
      await page.keyboard.press('Tab');
      seen.push(await focused(page));
    }
    expect(seen).toEqual(wanted);
    await page.context().close();
  });

  it.each(elements)('is reached by a gamepad in <savepoint-%s>, forwards and backwards', slow, async (element) => {
    const page = await open(scene);
    if (scene === 'guest') await addPortal(page);
    await showAll(page, scene);
    const wanted = await reachable(page, element);
    const pad = gamepadOf(page);
    await page.locator(`savepoint-${element} [part]:is(button, input, summary)`).first().focus();
    await pad.frames();
    const walk = async (button: number): Promise<(string | undefined)[]> => {
      const seen: (string | undefined)[] = [];
      for (const _ of wanted) {
        await pad.tap(button);
        seen.push(await focused(page));
      }
      return seen;
    };
    const [first = '', ...rest] = wanted;
    expect(await walk(down)).toEqual([...rest, first]);
    expect(await walk(up)).toEqual([...rest.toReversed().map((_, index) => wanted.at(-1 - index)), first]);
    await page.context().close();
  });
});

describe("a game's own menu", () => {
  it.each(['account', 'sync', 'history'] as const)(
    'takes a player with a gamepad alone into <savepoint-%s>',
    slow,
    async (element) => {
      const page = await open('player');
      await showAll(page, 'player');
      const [first, second] = await reachable(page, element);
      const pad = gamepadOf(page);
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      await page.locator(`savepoint-${element}`).evaluate((host: HTMLElement) => host.focus());
      expect(await focused(page)).toBe(first);
      await pad.frames();
      await pad.tap(down);
      expect(await focused(page)).toBe(second ?? first);
      await page.context().close();
    },
  );
});

describe('the account', () => {
  it('is used by the keyboard alone: a name is linked, a question is asked and taken back', slow, async () => {
    const page = await open('guest');
    const account = page.locator('savepoint-account');
    await account.locator('[part~="name"]').focus();
    await page.keyboard.type('ada');
    await page.keyboard.press('Tab');
    await page.keyboard.type('correct horse');
    await page.keyboard.press('Enter');
    await expect.poll(() => account.locator('[part="who"]').innerText()).toBe('ada');
    await account.locator('[part~="fold-delete"] summary').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('No');
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('Delete account');
    expect(await account.locator('[part="question"]').count()).toBe(0);
    await page.context().close();
  });

  it('is used by a gamepad: A opens a form, B goes back, and B takes a question back', slow, async () => {
    const page = await open('player');
    const account = page.locator('savepoint-account');
    const pad = gamepadOf(page);
    await account.locator('[part~="switch"]').focus();
    await pad.frames();
    await pad.tap(a);
    await account.locator('[part~="form"][part~="switch"]').waitFor();
    await pad.tap(b);
    await account.locator('[part~="form"][part~="switch"]').waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('ada');
    await account.locator('[part~="fold-delete"] summary').focus();
    await pad.tap(a);
    await pad.tap(down);
    await pad.tap(a);
    await account.locator('[part="question"]').waitFor();
    await pad.tap(b);
    await account.locator('[part="question"]').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it("lets a gamepad press the game's own button in its slot, and shows where it is", slow, async () => {
    const page = await open('guest');
    await addPortal(page);
    const pad = gamepadOf(page);
    await page.locator('savepoint-account [part~="submit"]').focus();
    await pad.frames();
    await pad.tap(down);
    expect(await focused(page)).toBe('Sign in with the portal');
    expect(await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle)).toBe('solid');
    await pad.tap(a);
    expect(await page.title()).toBe('the portal');
    await page.context().close();
  });
});

describe('saves and history', () => {
  it('are used by a gamepad: B takes a question back, A brings a save back', slow, async () => {
    const page = await open('player');
    const pad = gamepadOf(page);
    const sync = page.locator('savepoint-sync');
    await sync.locator('[part~="discard"]').focus();
    await pad.frames();
    await pad.tap(a);
    await sync.locator('[part="question"]').waitFor();
    await pad.tap(b);
    await sync.locator('[part="question"]').waitFor({ state: 'detached' });
    const history = page.locator('savepoint-history');
    await history.locator('[part~="undo"]').first().focus();
    await pad.frames();
    const restored = page.evaluate(
      () => new Promise((done) => document.addEventListener('savepoint-restored', () => done('restored'))),
    );
    await pad.tap(a);
    expect(await restored).toBe('restored');
    await page.context().close();
  });

  it('are used by the keyboard: a held save is discarded', slow, async () => {
    const page = await open('player');
    const sync = page.locator('savepoint-sync');
    await sync.locator('[part~="discard"]').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => sync.locator('[part="question"]').count()).toBe(1);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await sync.locator('[part~="discard"]').waitFor({ state: 'detached' });
    expect(await sync.locator('[part="said"]').innerText()).not.toBe('');
    await page.context().close();
  });
});

describe('the choice of a conflict', () => {
  it('is made by the keyboard alone, keeps the focus in the dialog, and is put off by Escape', slow, async () => {
    const page = await open('conflict');
    await expect.poll(() => focused(page)).toBe('Which save do you want?');
    const seen: unknown[] = [];
    for (let step = 0; step < 7; step += 1) {
      await page.keyboard.press('Tab');
      seen.push(await focused(page));
    }
    expect(seen).toEqual(
      expect.arrayContaining([
        'What differs (1)',
        'Keep this device’s',
        'Take the saved game',
        'Merge both',
        'Not now',
      ]),
    );
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('SAVEPOINT-ACCOUNT');
    await page.locator('[part~="take"]').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.title()).toBe('signed in, 1248');
    await page.context().close();

    const second = await open('conflict');
    await second.locator('savepoint-conflict table').waitFor();
    await second.keyboard.press('Escape');
    await expect.poll(() => second.title()).toBe('conflict_cancelled');
    await expect.poll(() => second.locator('savepoint-conflict dialog').isVisible()).toBe(false);
    await second.context().close();
  });

  it('is made by a gamepad: the D-pad moves, A presses, B puts the choice off', slow, async () => {
    const page = await open('conflict');
    await page.locator('savepoint-conflict table').waitFor();
    const pad = gamepadOf(page);
    await pad.frames();
    for (const text of ['What differs (1)', 'Keep this device’s', 'Take the saved game']) {
      await pad.tap(down);
      expect(await focused(page)).toBe(text);
    }
    await pad.tap(up);
    expect(await focused(page)).toBe('Keep this device’s');
    await pad.tap(15);
    await pad.tap(a);
    await expect.poll(() => page.title()).toBe('signed in, 1248');
    await page.context().close();

    const second = await open('conflict');
    await second.locator('savepoint-conflict table').waitFor();
    await gamepadOf(second).frames();
    await second.evaluate(() => window.hold(1, true));
    await expect.poll(() => second.title()).toBe('conflict_cancelled');
    await second.context().close();
  });

  it('does not take the button that was held as the dialog opened for an answer', slow, async () => {
    const page = await open('guest');
    await page.evaluate(() => window.hold(1, true));
    await openScene(page, 'conflict');
    await page.locator('savepoint-conflict table').waitFor();
    await gamepadOf(page).frames();
    expect(await page.locator('savepoint-conflict dialog').isVisible()).toBe(true);
    await page.context().close();
  });
});
