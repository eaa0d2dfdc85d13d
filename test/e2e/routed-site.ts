import { type BrowserContext, chromium, type Page, type Request as PageRequest } from 'playwright-core';
import { type Client, createClient } from 'savepoint';
import { type Backend, createBackend } from 'savepoint/backend';
import { browserArgs, findBrowser } from '../../scripts/browser.mjs';
import { demoGame } from '../../src/cli/demo.js';

/** Where the recipes look for `savepoint dev`. Nothing listens there: the test answers what the browser asks. */
const origin = 'http://127.0.0.1:4873';

/** Pages and the service at one address that no port has. */
export interface RoutedSite {
  readonly backend: Backend;
  /** A page of this body in a browser that was never here; the one before is closed. */
  open(body: string): Promise<Page>;
  /** A player elsewhere, with this name and these coins. */
  addPlayer(name: string, coins: number): Promise<Client>;
  /** What pages complained about since the last time. */
  complaints(): string[];
  close(): Promise<void>;
}

/** `scripts` are the texts of what pages load, by path. */
export async function openRoutedSite(scripts: ReadonlyMap<string, string>): Promise<RoutedSite> {
  const backend = createBackend({
    games: [{ id: demoGame.id, privateKeys: [demoGame.privateKey] }],
    insecureFastPasswordsForTests: true,
  });
  const executablePath = findBrowser();
  const browser = await chromium.launch({
    args: browserArgs,
    ...(executablePath === null ? {} : { executablePath }),
  });
  const complaints: string[] = [];
  const clients: Client[] = [];
  let present: BrowserContext | null = null;

  async function ask(request: PageRequest): Promise<{ status: number; headers: Record<string, string>; body: Buffer }> {
    const body = request.postData();
    const headers = Object.entries(await request.allHeaders()).filter(([name]) => !name.startsWith(':'));
    const asked = { method: request.method(), headers, ...(body === null ? {} : { body }) };
    const answer = await backend.fetch(new Request(request.url(), asked));
    const answered = Buffer.from(await answer.arrayBuffer());
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: answered };
  }

  return {
    backend,
    open: async (body) => {
      await present?.close();
      const context = await browser.newContext({ viewport: { width: 500, height: 400 } });
      present = context;
      context.setDefaultTimeout(20_000);
      context.on('weberror', (error) => complaints.push(String(error.error())));
      context.on('request', (request) => {
        const url = new URL(request.url());
        if (url.protocol.startsWith('http') && url.origin !== origin) complaints.push(`a request to ${url.origin}`);
      });
      await context.route('**/*', async (route) => {
        const { pathname } = new URL(route.request().url());
        const script = scripts.get(pathname);
        if (pathname === '/') await route.fulfill({ contentType: 'text/html', body: `<!doctype html>${body}` });
        else if (script !== undefined) await route.fulfill({ contentType: 'text/javascript', body: script });
        else await route.fulfill(await ask(route.request()));
      });
      const page = await context.newPage();
      await page.goto(origin);
      return page;
    },
    addPlayer: async (name, coins) => {
      const fetch = (request: Request) => backend.fetch(request);
      const client = createClient({ gameId: demoGame.id, environment: 0, baseUrl: origin, fetch });
      clients.push(client);
      await client.init();
      const linked = await client.auth.withName(name, 'correct horse');
      if (!linked.success) throw linked.error;
      await client.profile.collection('progress').set('main', { coins });
      await client.profile.flush();
      return client;
    },
    complaints: () => complaints.splice(0),
    close: async () => {
      for (const client of clients) client.dispose();
      await browser.close();
    },
  };
}
