import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type Backend, createBackend } from 'savepoint/backend';
import { serve } from 'savepoint/backend/node';
import { build } from 'vite';
import demo from '../../examples/web-game/demo.json' with { type: 'json' };
import { browserArgs, findBrowser } from '../../scripts/browser.mjs';
import { serveFiles } from '../../scripts/game-files.mjs';

/** The built game and the service behind one port, as `npm start` serves them, and a browser to play in. */
export interface GameSite {
  readonly url: string;
  readonly backend: Backend;
  /** A browser profile that was never here, on a desktop screen unless another is given. */
  newVisitor(options?: VisitorOptions): Promise<Visitor>;
  /** Ends the service; its data stay. */
  goDown(): Promise<void>;
  /** Starts it again at the same address. */
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

export interface VisitorOptions extends BrowserContextOptions {
  /** Whether the game's picture is drawn, which costs more than all the rest: false unless a test looks at it. */
  draws?: boolean;
}

export interface Visitor {
  readonly context: BrowserContext;
  open(path?: string): Promise<Page>;
  /** What the browser complained about, and requests to other hosts; failed requests as the browser logs them are apart. */
  readonly complaints: string[];
  readonly failedRequests: string[];
  leave(): Promise<void>;
}

const desktop: BrowserContextOptions = { viewport: { width: 1000, height: 760 } };

/**
 * Without a graphics card the picture of one page takes more than a processor, and of two all that there is, so that a page
 * answers a click after seconds. The game makes its context, its shaders and each frame as ever; only the pixels stay away.
 */
function drawNothing(): void {
  for (const { prototype } of [WebGLRenderingContext, WebGL2RenderingContext]) {
    Object.assign(prototype, { clear() {}, drawArrays() {}, drawElements() {} });
  }
}

export async function openGameSite(): Promise<GameSite> {
  const folder = await mkdtemp(join(tmpdir(), 'savepoint-game-'));
  await build({
    configFile: 'examples/web-game/vite.config.ts',
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true },
  });
  const backend = createBackend({
    games: [{ id: demo.gameId, privateKeys: ['a key that no page ever sees'] }],
    insecureFastPasswordsForTests: true,
  });
  const start = (port: number) => serve(backend, { port, host: '127.0.0.1', fallback: serveFiles(folder) });
  let served = await start(0);
  const { port } = served;
  const url = `http://127.0.0.1:${port}/`;
  const executablePath = findBrowser();
  const browser: Browser = await chromium.launch({
    args: browserArgs,
    ...(executablePath === null ? {} : { executablePath }),
  });

  async function newVisitor({ draws = false, ...screen }: VisitorOptions = {}): Promise<Visitor> {
    const context = await browser.newContext({ ...desktop, ...screen });
    context.setDefaultTimeout(20_000);
    if (!draws) await context.addInitScript(drawNothing);
    const complaints: string[] = [];
    const failedRequests: string[] = [];
    context.on('request', (request) => {
      const address = new URL(request.url());
      if (address.protocol.startsWith('http') && address.origin !== new URL(url).origin) {
        complaints.push(`a request to ${address.origin}`);
      }
    });
    context.on('weberror', (error) => complaints.push(String(error.error())));
    context.on('console', (message) => {
      const text = message.text();
      // Chromium's own note about drawing without a graphics card.
      if (!['error', 'warning'].includes(message.type()) || text.includes('GL Driver Message')) return;
      if (text.startsWith('Failed to load resource'))
        failedRequests.push(`${text} ${new URL(message.location().url).pathname}`);
      else complaints.push(text);
    });
    return {
      context,
      complaints,
      failedRequests,
      async open(path = '') {
        const page = await context.newPage();
        await page.goto(url + path);
        return page;
      },
      leave: () => context.close(),
    };
  }

  return {
    url,
    backend,
    newVisitor,
    goDown: () => served.close(),
    async comeBack() {
      served = await start(port);
    },
    async close() {
      await browser.close();
      await served.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
