import { findWebKit } from '../../../scripts/other-browsers.mjs';
import { callExpression, type DrivenBrowser, type DrivenPage, type LaunchOptions } from './driven-browser.js';
import { type Call, startDriver } from './webkit-driver.js';

/** How often a page is asked whether a function that runs in it has ended, in ms. */
const askEachMs = 20;

/** How long a page may take to load, in ms. Then the driver says that it has not. */
const loadMs = 30_000;

/**
 * Steers WebKitGTK by WebDriver. What it stores ends with it: a session of WebKitWebDriver has no profile, and all of its windows
 * are as private ones. There is no setting for frames of other sites.
 */
export async function launchWebKit({
  profile,
  deniesSiteData = false,
  isShown = false,
}: LaunchOptions): Promise<DrivenBrowser> {
  if (profile !== undefined) throw new Error('A session of WebKitWebDriver has no profile.');
  const { call: callDriver, end } = await startDriver();
  let session: string;
  try {
    session = await newSession(callDriver, deniesSiteData);
  } catch (error) {
    end();
    throw error;
  }
  const call: Call = (method, path, body) => callDriver(method, `${session}${path}`, body);
  const inTurn = turns();

  // The window that is there from the start stays: the session ends with its last one, and a closed one opens no other.
  const first = (await call('GET', '/window')) as string;

  async function openWindow(): Promise<string> {
    await call('POST', '/window', { handle: first });
    return ((await call('POST', '/window/new', { type: isShown ? 'window' : 'tab' })) as { handle: string }).handle;
  }

  return {
    open: async (url) => {
      const handle = await inTurn(openWindow);
      const page = drive(call, (task) =>
        inTurn(async () => {
          await call('POST', '/window', { handle });
          return task();
        }),
      );
      await page.goTo(url);
      const isHidden = isShown && (await page.run(() => document.hidden));
      if (isHidden) throw new Error(`WebKit has opened ${url} in a window that nobody sees: its frames would wait.`);
      return page;
    },
    close: async () => {
      await inTurn(() => call('DELETE', '')).catch(() => {});
      end();
    },
    kill: async () => end(),
  };
}

function drive(call: Call, inWindow: <T>(task: () => Promise<T>) => Promise<T>): DrivenPage {
  let runs = 0;
  return {
    // A session carries out one command at a time. So a function is started by one, and asked for by others, and
    // meanwhile other pages have their turn.
    run: async (code, ...args) => {
      runs += 1;
      const id = runs;
      await inWindow(() =>
        call('POST', '/execute/sync', { script: startScript(id, callExpression(code, args)), args: [] }),
      );
      for (;;) {
        const script = `const { [arguments[0]]: run } = window.runsOfTheTest; return run;`;
        const run = (await inWindow(() => call('POST', '/execute/sync', { script, args: [id] }))) as Run;
        if (run.error !== undefined) throw new Error(run.error);
        if (run.json !== undefined) return JSON.parse(run.json);
        await new Promise((resolve) => setTimeout(resolve, askEachMs));
      }
    },
    goTo: async (url) => void (await inWindow(() => call('POST', '/url', { url }))),
    close: async () => void (await inWindow(() => call('DELETE', '/window'))),
    resize: async (width, height) =>
      inWindow(async () => {
        // A window has a frame around its page.
        const room = (await call('POST', '/execute/sync', {
          script: 'return [outerWidth - innerWidth, outerHeight - innerHeight];',
          args: [],
        })) as [number, number];
        await call('POST', '/window/rect', { width: width + room[0], height: height + room[1] });
      }),
  };
}

interface Run {
  readonly json?: string;
  readonly error?: string;
}

function startScript(id: number, expression: string): string {
  return `const run = {};
    (window.runsOfTheTest ??= {})[${id}] = run;
    Promise.resolve().then(() => ${expression}).then(
      (json) => { run.json = json; },
      (error) => { run.error = String(error) + '\\n' + (error?.stack ?? ''); },
    );`;
}

/** Carries out one task after the other. */
function turns(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const mine = last.then(task, task);
    last = mine;
    return mine;
  };
}

async function newSession(callDriver: Call, deniesSiteData: boolean): Promise<string> {
  const { browser = '' } = findWebKit() ?? {};
  const denial = ['--enable-html5-local-storage=FALSE', '--enable-html5-database=FALSE'];
  const options = { binary: browser, args: ['--automation', ...(deniesSiteData ? denial : [])] };
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options, timeouts: { pageLoad: loadMs } } };
  const { sessionId } = (await callDriver('POST', '/session', { capabilities })) as { sessionId: string };
  return `/session/${sessionId}`;
}
