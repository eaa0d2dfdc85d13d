import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { findWebKit, howToInstall, otherBrowsers } from '../../../scripts/other-browsers.mjs';

/** How long the driver may take to answer one command, in ms. */
const answerMs = 45_000;

/** How often it is asked whether it is ready, in ms. */
const askEachMs = 20;

export type Call = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) => Promise<unknown>;

/** Starts WebKitWebDriver on a display of its own; `end` ends it with all that it has started. */
export async function startDriver(): Promise<{ call: Call; end: () => void }> {
  const found = findWebKit();
  const webkit = otherBrowsers.find(({ name }) => name === 'webkit');
  if (found === null) throw new Error(webkit === undefined ? '' : howToInstall(webkit));
  const started: ChildProcess[] = [];
  const end = (): void => {
    process.off('exit', end);
    for (const { pid } of started.splice(0).reverse()) endGroup(pid);
  };
  process.on('exit', end);
  try {
    const port = await freePort();
    const display = spawn(found.display, ['-displayfd', '3', '-nolisten', 'tcp', '-screen', '0', '1280x1024x24'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      detached: true,
    });
    started.push(display);
    const env = { ...process.env, DISPLAY: `:${await Promise.race([numberOf(display), endOf(display)])}` };
    const driver = spawn(found.driver, [`--port=${port}`], { stdio: 'ignore', detached: true, env });
    started.push(driver);
    const call: Call = (method, path, body) => askDriver(port, method, path, body);
    await Promise.race([readyDriver(call), endOf(driver)]);
    return { call, end };
  } catch (error) {
    end();
    throw error;
  }
}

/** The number of a display, which it says when it can be used. */
function numberOf(display: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let said = '';
    display.stdio[3]?.on('data', (bytes: Buffer) => {
      said += bytes;
      if (said.endsWith('\n')) resolve(said.trim());
    });
  });
}

/** Rejects when a process ends, or has not started at all. */
function endOf(child: ChildProcess): Promise<never> {
  const end = new Promise<never>((_resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`${child.spawnfile} has ended with ${code ?? signal}.`)));
  });
  // Once it is in use, its end shows where it is asked.
  end.catch(() => {});
  return end;
}

/** Sends the driver one command, which it may refuse, or leave without an answer. */
async function askDriver(port: number, method: string, path: string, body: unknown): Promise<unknown> {
  const sent = {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(answerMs),
  };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, sent).catch((error: Error) => {
    throw new Error(`WebKitWebDriver has not answered ${method} ${path}: ${error.message}`, { cause: error });
  });
  const { value } = (await response.json()) as { value: { error?: string; message?: string } | null };
  if (!response.ok) throw new Error(`${path}: ${value?.error}: ${value?.message}`);
  return value;
}

/** Waits until the driver says that it takes a session. */
async function readyDriver(call: Call): Promise<void> {
  const deadline = Date.now() + answerMs;
  for (;;) {
    try {
      const { ready } = (await call('GET', '/status')) as { ready: boolean };
      if (ready) return;
    } catch (error) {
      // Nobody listens yet.
      if (Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, askEachMs));
  }
}

/** Ends a process with all that it has started. */
function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGTERM');
  } catch {
    // It has ended by itself.
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}
