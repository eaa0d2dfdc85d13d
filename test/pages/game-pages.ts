import { serve } from 'savepoint/backend/node';
import { createServerClient } from 'savepoint/server';
import { it as base, expect, inject, vi } from 'vitest';
import { languageLevel } from '../../scripts/oldest-browsers.mjs';
import {
  type BrowserName,
  callExpression,
  type DrivenBrowser,
  type DrivenPage,
} from '../support/browsers/driven-browser.js';
import { launchBrowser } from '../support/browsers/launch-browser.js';
import { clientBundle } from '../support/client-bundle.js';
import { createTestService, type TestService } from '../support/service.js';
import type { Fault } from './game/faults.js';
import type { Purse, Standing } from './game/game.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The browser that the tests of this project run in. */
    browser: BrowserName;
  }
}

/** How long a page may take for what is waited for: a stalled storage takes 6 s, and machines can be slow. */
const waiting = { timeout: 30_000, interval: 50 };

/** Whether this is `npm run prove`: the same tests with many more runs each. */
export const isProof = process.env['PROVE'] === '1';
export const patient = { timeout: isProof ? 900_000 : 90_000 };

/** The service, with a game on its address. Each has an origin of its own, and so a storage that was never used. */
export interface GameSite {
  readonly url: string;
  readonly service: TestService;
  /** What the pages have asked for outside of the service, by its path with its query. */
  readonly told: readonly string[];
  /** Opens the game in the browser of this file, with these faults. */
  open(...faults: Fault[]): Promise<GamePage>;
  /** The same in another browser. */
  openIn(browser: DrivenBrowser, ...faults: Fault[]): Promise<GamePage>;
  /** Opens the game in a frame on a page of another site; what is run of it runs in the frame. */
  openFramedIn(browser: DrivenBrowser): Promise<GamePage>;
  /** What the service has of a player, as the game's back end reads it. */
  savedPurse(userId: string, key?: string): Promise<Purse | undefined>;
}

/** A page with the game. */
export interface GamePage extends DrivenPage {
  /** Loads the game again, with these faults. */
  reload(...faults: Fault[]): Promise<void>;
  /** Starts the game; gives the failure's code, or null. */
  start(): Promise<string | null>;
  look(): Promise<Standing>;
  /** Waits until the game stands so. */
  see(standing: Partial<Standing>): Promise<Standing>;
  /** Collects a coin, and waits until that is acknowledged. */
  collect(name: string): Promise<void>;
  /** Collects a coin, and waits for nothing. */
  startToCollect(name: string): Promise<void>;
  /** Waits until the service has all. */
  flush(): Promise<void>;
}

/** What the site gives beside its page, by path. */
type Scripts = Readonly<Record<string, string>>;

/** A test whose `site` is a site for it alone, to be visited in the browser of this project. */
export const it = base
  .extend('browserName', { scope: 'file' }, () => inject('browser'))
  .extend('scripts', { scope: 'file' }, async (): Promise<Scripts> => {
    const names = ['around', 'faults', 'page', 'worker'];
    const scripts = await Promise.all(names.map(async (name) => [`/${name}.js`, await scriptOf(name)] as const));
    return Object.fromEntries(scripts);
  })
  .extend('browser', { scope: 'file' }, async ({ browserName }, { onCleanup }) => {
    const browser = await launchBrowser(browserName);
    onCleanup(() => browser.close());
    return browser;
  })
  .extend('site', async ({ scripts, browser }, { onCleanup }) => {
    const { site, close } = await openSite(scripts, browser);
    onCleanup(close);
    return site;
  });

async function scriptOf(name: string): Promise<string> {
  const { code } = await clientBundle({
    entryPoints: [`test/pages/game/${name}.ts`],
    format: 'iife',
    target: languageLevel,
    define: { GAME_ID: JSON.stringify(createTestService().gameId) },
    alias: { savepoint: './src/index.ts' },
  });
  return code;
}

const html =
  '<!doctype html><link rel="icon" href="data:,"><title>A game</title>' +
  '<script src="/faults.js"></script><script src="/page.js"></script>';

/** The page of another site around the game: it is asked for under another name of this machine. */
const htmlAround =
  '<!doctype html><link rel="icon" href="data:,"><title>A portal</title>' +
  '<iframe style="width:100%;height:400px"></iframe><script src="/around.js"></script>';

async function openSite(scripts: Scripts, browser: DrivenBrowser): Promise<{ site: GameSite; close(): Promise<void> }> {
  const service = createTestService({ clock: () => Date.now() });
  const { gameId, privateKey } = service;
  const told: string[] = [];
  const fallback = (request: Request): Response => {
    const { pathname, search } = new URL(request.url);
    const { [pathname]: script } = scripts;
    if (script !== undefined) return new Response(script, { headers: { 'content-type': 'text/javascript' } });
    const type = { headers: { 'content-type': 'text/html' } };
    if (pathname === '/around') return new Response(htmlAround, type);
    if (pathname !== '/') told.push(pathname + search);
    return new Response(html, type);
  };
  const served = await serve(service.backend, { port: 0, fallback });
  const pages = new Set<GamePage>();
  const close = async (): Promise<void> => {
    service.backend.control.restore();
    // Those of a browser that was killed are gone.
    await Promise.all([...pages].map((page) => page.close().catch(() => {})));
    await served.close();
  };
  const server = createServerClient({ gameId, environment: 0, privateKey, baseUrl: served.url, authUrl: served.url });

  async function openAt(inBrowser: DrivenBrowser, address: Address, faults: readonly Fault[]): Promise<GamePage> {
    const opened = await inBrowser.open(address(faults));
    const page = asGamePage(address === framed ? inFrameOf(opened) : opened, address, () => pages.delete(page));
    pages.add(page);
    return page;
  }
  const plain: Address = (faults) => `${served.url}/?${new URLSearchParams(faults.map((fault) => ['fault', fault]))}`;
  const framed: Address = (faults) =>
    `${served.url.replace('127.0.0.1', 'localhost')}/around?${new URLSearchParams({ frame: plain(faults) })}`;
  const openIn = (inBrowser: DrivenBrowser, ...faults: Fault[]) => openAt(inBrowser, plain, faults);

  const site: GameSite = {
    url: served.url,
    service,
    told,
    open: (...faults) => openIn(browser, ...faults),
    openIn,
    openFramedIn: (inBrowser) => openAt(inBrowser, framed, []),
    savedPurse: async (userId, key = 'main') => {
      const entries = await server.readCollection({ userId, collection: 'purse' });
      return entries.find((entry) => entry.key === key)?.value as Purse | undefined;
    },
  };
  return { site, close };
}

/** Where the game is with these faults. */
type Address = (faults: readonly Fault[]) => string;

/** What is run runs in the frame that the page has. */
function inFrameOf(page: DrivenPage): DrivenPage {
  return {
    ...page,
    run: async (code, ...args) =>
      JSON.parse(await page.run((expression) => runInFrame(expression), callExpression(code, args))),
  };
}

function asGamePage(driven: DrivenPage, address: Address, closed: () => void): GamePage {
  const look = (): Promise<Standing> => driven.run(() => game.look());
  const { crash } = driven;
  return {
    ...driven,
    close: async () => {
      closed();
      await driven.close();
    },
    ...(crash === undefined ? {} : { crash: () => crash().then(closed) }),
    reload: (...faults) => driven.goTo(address(faults)),
    start: () => driven.run(() => game.start()),
    look,
    see: async (standing) => {
      // Not by expect.poll, which knows no test where several run at once.
      return vi.waitFor(async () => {
        const seen = await look();
        expect(seen).toMatchObject(standing);
        return seen;
      }, waiting);
    },
    collect: (name) => driven.run((one) => game.collect(one), name),
    startToCollect: (name) => driven.run((one) => void game.collect(one), name),
    flush: () => driven.run(() => game.client.profile.flush()),
  };
}
