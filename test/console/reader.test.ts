import { beforeAll, describe, expect, it } from 'vitest';
import { here, place, settled, visitConsole } from './console-site.js';
import { type Filled, fillService, seenRequest } from './filled-service.js';

/** Every page, as an address that somebody may know. */
const pages = (filled: Filled): { readonly [name: string]: string } => ({
  overview: '/',
  players: '/players',
  'a player': `/players/${filled.ada}`,
  saves: `/players/${filled.ada}/saves?collection=progress&key=main`,
  'the timeline': `/players/${filled.ada}/timeline`,
  snapshots: `/players/${filled.ada}/snapshots`,
  changes: `/players/${filled.ada}/changes`,
  'changes of a banned player': `/players/${filled.grace}/changes`,
  conflicts: '/conflicts',
  requests: '/requests',
  'the audit log': '/audit',
  keys: '/keys',
  webhooks: '/webhooks',
  platforms: '/platforms',
  limits: '/limits',
});
const names = Object.keys(pages({ ada: '', grace: '', guest: '', hostile: '' }));

/** What changes something in the page alone. */
const harmless =
  /^(Copy|Try again|Skip|Menu|Search|Pause|Clear|Read again|Compare|What it held|Next|Back|reader|supporter|position|hats|☰|Close|\d\d:\d\d)/;

/** What takes the scope `admin`. */
const ofAdmins =
  /^(Make a key|Revoke|Add a platform|Change|Remove|Try a token|Merge into|Delete|Restore the account|Empty the store)/;

describe.each([
  ['read', 'look', (name: string) => !harmless.test(name), []],
  ['support', 'help', (name: string) => ofAdmins.test(name), ['Ban', 'Edit', 'Restore', 'Sign out everywhere']],
] as const)('whoever may only %s', (scope, _, isForbidden, allowed) => {
  const site = visitConsole({ scope });
  const shown = new Set<string>();
  let filled: Filled;

  beforeAll(async () => {
    filled = await fillService(site.backend, site.admin);
    const settings = { app: '1234', appSecret: 'a secret of the wave' };
    await site.admin.savePlatform({ ...here, name: 'wave', preset: 'wave', settings });
    site.gateway.tell(seenRequest());
  });

  it.each(names)('has no button on %s that the service would refuse', async (name) => {
    if (name === 'keys' || name === 'platforms') site.expectComplaints(/403/);
    const path = pages(filled)[name] ?? '';
    const page = await site.open(`${path}${path.includes('?') ? '&' : '?'}${place}`);
    await settled(page);
    const buttons = (await page.getByRole('button').allInnerTexts()).map((text) => text.trim());
    for (const text of buttons) shown.add(text);
    expect(buttons.filter(isForbidden)).toEqual([]);
    expect(await page.getByRole('link', { name: 'Keys' }).count()).toBe(0);
    expect(site.gateway.asked.filter((asked) => !asked.startsWith('GET '))).toEqual([]);
  });

  it('has those that it would carry out', () => {
    for (const text of allowed) expect([...shown]).toContain(text);
  });
});
