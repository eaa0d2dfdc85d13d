import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { codeBlocks } from '../support/markdown.js';
import type { Scene } from './elements-page.js';
import { misfits, showAll, slow, useElementsPage } from './elements-visit.js';

const open = useElementsPage();
const root = new URL('../../', import.meta.url);
const guide = readFileSync(new URL('docs/elements.md', root), 'utf8');
const [, looks = ''] = /\n## Looks\n([\s\S]*?)\n## /.exec(guide) ?? [];
const sources = readdirSync(new URL('src/elements', root), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readFileSync(new URL(`src/elements/${path}`, root), 'utf8'))
  .join('\n');

const unique = (all: readonly string[]): string[] => [...new Set(all)].toSorted();
const namedIn = (text: string, form: RegExp): string[] => unique([...text.matchAll(form)].map(([, name = '']) => name));

/** What a property of the page's changes: where, and which of the computed values. */
const reach: {
  readonly [property: string]: readonly [scene: Scene, where: string, style: string, value: string, computed?: string];
} = {
  text: ['player', 'savepoint-account h2', 'color', 'rgb(1, 2, 3)'],
  soft: ['player', 'savepoint-history [part="note"]', 'color', 'rgb(1, 2, 3)'],
  surface: ['conflict', 'savepoint-conflict dialog', 'background-color', 'rgb(1, 2, 3)'],
  field: ['guest', 'savepoint-account input', 'background-color', 'rgb(1, 2, 3)'],
  line: ['guest', 'savepoint-account [part~="sign-out"]', 'border-top-color', 'rgb(1, 2, 3)'],
  rule: ['player', 'savepoint-history li', 'border-top-color', 'rgb(1, 2, 3)'],
  accent: ['guest', 'savepoint-account [part~="primary"]', 'background-color', 'rgb(1, 2, 3)'],
  'accent-text': ['guest', 'savepoint-account [part~="primary"]', 'color', 'rgb(1, 2, 3)'],
  danger: ['guest', 'savepoint-account [part~="danger"]', 'color', 'rgb(1, 2, 3)'],
  radius: ['conflict', 'savepoint-conflict dialog', 'border-top-left-radius', '3px', '7px'],
  gap: ['guest', 'savepoint-account section', 'row-gap', '31px'],
  font: ['guest', 'savepoint-account', 'font-family', '16px monospace', 'monospace'],
};

const styleOf = (page: Page, where: string, style: string): Promise<string> =>
  page
    .locator(where)
    .first()
    .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), style);

describe('the custom properties', () => {
  it('that the guide names are those that the styles ask for', () => {
    const asked = namedIn(sources, /var\(--savepoint-([a-z-]+)/g);
    expect(namedIn(looks, /`--savepoint-([a-z-]+)`/g)).toEqual(asked);
    expect(Object.keys(reach).toSorted()).toEqual(asked);
  });

  it.each(['player', 'guest', 'conflict'] as const)(
    'count where they are set around an element: %s',
    slow,
    async (scene) => {
      const mine = Object.entries(reach).filter(([, [of]]) => of === scene);
      const set = mine.map(([name, [, , , value]]) => `--savepoint-${name}:${value};`).join('');
      const page = await open(scene, { html: `<style>body{${set}}</style>` });
      await showAll(page, scene);
      for (const [name, [, where, style, value, computed = value]] of mine) {
        expect([name, await styleOf(page, where, style)]).toEqual([name, computed]);
      }
      await page.context().close();
    },
  );
});

describe('the parts', () => {
  /** The parts of a page, each as its words, without what has a name by its deed alone. */
  const partsOf = (page: Page): Promise<string[]> =>
    page.evaluate(() =>
      [...document.body.children].flatMap(({ shadowRoot }) =>
        [...(shadowRoot?.querySelectorAll('[part]') ?? [])].map((each) => each.getAttribute('part') ?? ''),
      ),
    );

  it('that the guide names are there, and there is no other', { timeout: 120_000 }, async () => {
    const shown: string[] = [];
    for (const scene of ['player', 'guest', 'conflict'] as const) {
      const page = await open(scene);
      await showAll(page, scene);
      shown.push(...(await partsOf(page)));
      if (scene === 'guest') {
        await page.locator('savepoint-account [part~="fold-delete"] [part~="delete"]').click();
        await page.locator('savepoint-account [part~="yes"]').click();
        await page.locator('savepoint-account [part="deletion"]').waitFor();
        shown.push(...(await partsOf(page)));
      }
      if (scene === 'conflict') {
        await page.locator('savepoint-conflict [part~="take"]').click();
        await page.locator('savepoint-conflict [part~="chosen"] [part~="undo"]').first().waitFor();
        shown.push(...(await partsOf(page)));
      }
      await page.context().close();
    }
    const all = shown.map((part) => part.split(/\s+/).filter((word) => word !== ''));
    const named = namedIn(looks.replaceAll(/`--[^`]*`/g, ''), /`([a-z-]+)`/g).filter(
      (name) => !/^prefers-|^savepoint-/.test(name),
    );
    // Nothing waits in these scenes.
    const known = unique([...all.flat(), ...namedIn(sources, /part: '(waiting)/g)]);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
    // What follows a first word is a button's, a field's, a form's or a fold's own name.
    const first = unique(all.map(([word = '']) => word));
    expect(first.filter((name) => !named.includes(name))).toEqual([]);
  });

  it('take the style of the page, as the guide has it', slow, async () => {
    const [css = ''] = codeBlocks(looks, 'css');
    const page = await open('conflict', { html: `<style>${css}</style>` });
    await showAll(page, 'conflict');
    expect(await styleOf(page, 'savepoint-conflict dialog', 'border-top')).toBe('3px solid rgb(255, 215, 0)');
    await page.context().close();
  });
});

describe('a browser that adopts no style sheets, as Safari 16.0', () => {
  const before = `for (const { prototype } of [Document, ShadowRoot]) delete prototype.adoptedStyleSheets;`;

  it.each(['player', 'guest', 'conflict'] as const)('shows the same elements: %s', slow, async (scene) => {
    const sizes = async (old: boolean): Promise<unknown> => {
      const page = await open(scene, { ...(old ? { before } : {}), reducedMotion: 'reduce' });
      await showAll(page, scene);
      expect(await page.evaluate(() => 'adoptedStyleSheets' in ShadowRoot.prototype)).toBe(!old);
      expect(await misfits(page)).toEqual([]);
      const found = await page.evaluate(() =>
        [...document.body.children].flatMap(({ shadowRoot }) =>
          [...(shadowRoot?.querySelectorAll('button, input, summary, dialog, section') ?? [])].map((each) => {
            const { color, backgroundColor, borderRadius } = getComputedStyle(each);
            const { height } = each.getBoundingClientRect();
            return [each.localName, Math.round(height), color, backgroundColor, borderRadius];
          }),
        ),
      );
      await page.context().close();
      return found;
    };
    expect(await sizes(true)).toEqual(await sizes(false));
  });
});
