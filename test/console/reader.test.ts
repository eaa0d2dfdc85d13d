import { beforeAll, expect, it } from 'vitest';
import { place, settled, visitConsole } from './console-site.js';
import { type Filled, fillService } from './filled-service.js';

const site = visitConsole({ scope: 'read' });
let filled: Filled;

beforeAll(async () => {
  filled = await fillService(site.backend, site.admin);
});

/** What changes something in the page alone. */
const harmless =
  /^(Copy|Skip|Menu|Search|Pause|Clear|Read again|Compare|What it held|Next|Back|reader|position|hats|☰|Close)/;

it.each([
  ['players', () => '/players'],
  ['a player', () => `/players/${filled.ada}`],
  ['saves', () => `/players/${filled.ada}/saves?collection=progress&key=main`],
  ['the timeline', () => `/players/${filled.ada}/timeline`],
  ['snapshots', () => `/players/${filled.ada}/snapshots`],
  ['changes, by their address', () => `/players/${filled.ada}/changes`],
  ['webhooks', () => '/webhooks'],
  ['conflicts', () => '/conflicts'],
])('whoever may only look has no button on %s that the service would refuse', async (_, path) => {
  const page = await site.open(`${path()}${path().includes('?') ? '&' : '?'}${place}`);
  await settled(page);
  const names = await page.getByRole('button').allInnerTexts();
  expect(names.map((name) => name.trim()).filter((name) => !harmless.test(name))).toEqual([]);
  expect(await page.getByRole('link', { name: 'Keys' }).count()).toBe(0);
  expect(site.gateway.asked.filter((asked) => !asked.startsWith('GET '))).toEqual([]);
});
