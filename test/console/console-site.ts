import axe from 'axe-core';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { browserArgs, findBrowser } from '../../scripts/browser.mjs';
import { type Backend, createBackend, type GameOptions } from '../../src/backend/index.js';
import { type ServedBackend, serve } from '../../src/backend/node.js';
import { platformPresets } from '../../src/backend/platforms/index.js';
import { seedDemo } from '../../src/cli/dev/seed-demo.js';
import { createSender } from '../../src/http/sender.js';
import { type AdminClient, assembleAdminClient } from '../../src/server/create-admin-client.js';
import { sealingKey, wave } from '../support/platforms.js';
import { testGameId, testPrivateKey } from '../support/service.js';
import { createGatewayDouble, type GatewayDouble } from './gateway-double.js';

export const operatorKey = 'the-first-operators-key-0123456789abcdef';
export const here = { gameId: testGameId, environment: 0 } as const;
export const place = `game=${testGameId}&env=0`;

/** A service with the console before it, and a browser. */
export interface ConsoleSite {
  readonly url: string;
  readonly backend: Backend;
  readonly gateway: GatewayDouble;
  /** What the game's back end answers its webhook; it may be changed. */
  readonly receiver: { status: number };
  /** The operators' SDK, by which a test sees what a press of a button has done. */
  readonly admin: AdminClient;
  /** A page of the console in a browser that was never here; `path` is what follows `#`. */
  open(path?: string, options?: BrowserContextOptions): Promise<Page>;
  /** What a browser may complain about in this test. */
  expectComplaints(pattern: RegExp): void;
}

/** The site for the tests of a file; after each, no browser may have complained. */
export function visitConsole({
  mode = 'dev',
  scope = 'admin',
  game = {},
}: {
  mode?: 'dev' | 'serve';
  scope?: 'admin' | 'read' | 'support';
  /** What the configuration says of the game besides. */
  game?: Partial<GameOptions>;
} = {}): ConsoleSite {
  let served: ServedBackend;
  let backend: Backend;
  let gateway: GatewayDouble;
  let browser: Browser;
  let admin: AdminClient;
  const receiver = { status: 500 };
  let contexts: BrowserContext[] = [];
  let complaints: string[] = [];
  let expected: RegExp | null = null;

  beforeAll(async () => {
    backend = createBackend({
      games: [
        {
          id: testGameId,
          privateKeys: [testPrivateKey],
          ...game,
          webhook: {
            url: 'https://game.test/hooks',
            fetch: async () => new Response(null, { status: receiver.status }),
          },
        },
      ],
      operatorKey,
      sealingKey,
      platformPresets: [...platformPresets, wave],
      insecureFastPasswordsForTests: true,
    });
    await backend.ready();
    const seeded = await seedDemo(backend, testGameId);
    const send = createSender({ fetch: (request) => backend.fetch(request) });
    admin = assembleAdminClient({ key: operatorKey, baseUrl: 'http://service.test' }, send);
    const key = scope === 'admin' ? operatorKey : (await admin.makeKey({ name: `${scope}er`, scope })).key;
    gateway = createGatewayDouble({
      backend,
      files: inject('consoleFiles'),
      mode,
      operators: [{ key, name: scope === 'admin' ? 'the first key' : `${scope}er`, scope }],
      games: [testGameId],
      seeded,
    });
    served = await serve(backend, { port: 0, fallback: (request) => gateway.fallback(request) });
    browser = await chromium.launch({ executablePath: findBrowser() ?? '', args: browserArgs });
  });
  afterAll(async () => {
    await browser.close();
    await served.close();
  });
  afterEach(async () => {
    for (const context of contexts) await context.close();
    contexts = [];
    const unexpected = complaints.filter((text) => expected?.test(text) !== true);
    complaints = [];
    expected = null;
    expect(unexpected).toEqual([]);
  });

  return {
    get url() {
      return served.url;
    },
    get backend() {
      return backend;
    },
    get gateway() {
      return gateway;
    },
    receiver,
    get admin() {
      return admin;
    },
    async open(path = '/', options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', ...options });
      context.setDefaultTimeout(15_000);
      contexts.push(context);
      context.on('weberror', (error) => complaints.push(String(error.error())));
      context.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      });
      context.on('request', (request) => {
        const { protocol, origin } = new URL(request.url());
        if (protocol.startsWith('http') && origin !== served.url) complaints.push(`a request to ${origin}`);
      });
      const page = await context.newPage();
      await page.goto(`${served.url}/console/#${path}`);
      await page.locator('h1').first().waitFor();
      return page;
    },
    expectComplaints(pattern) {
      expected = pattern;
    },
  };
}

/** What axe finds against WCAG 2.2 AA, each as its rule and the elements. */
export async function axeFindings(page: Page): Promise<string[]> {
  const alreadyThere = await page.evaluate(() => 'axe' in globalThis);
  if (!alreadyThere) await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: inPage } = globalThis as unknown as {
      axe: {
        run(
          context: Document,
          options: object,
        ): Promise<{ violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[] }>;
      };
    };
    const runOnly = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] };
    const { violations } = await inPage.run(document, { runOnly });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
    );
  });
}

/** How far the page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Waits until nothing is being loaded any more. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () => document.querySelector('.loading, .starting') === null && document.querySelector('h1') !== null,
  );
}
