import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundleProgram, type Program, start, startDev } from './program.js';

let file: string;
const running: Program[] = [];

beforeAll(async () => {
  file = await bundleProgram();
});
afterEach(() => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
});

function program(...args: string[]): Program {
  const started = start(file, args);
  running.push(started);
  return started;
}

async function dev(...args: string[]) {
  const started = await startDev(file, args);
  running.push(started);
  return started;
}

/** Whether it ends by itself within 5 s. */
async function endsWith(started: Program): Promise<number | null | 'still running'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'still running'>((resolve) => {
    timer = setTimeout(() => resolve('still running'), 5_000);
  });
  const code = await Promise.race([started.ended, late]);
  clearTimeout(timer);
  return code;
}

// Windows ends a process that is sent a signal, and tells it nothing.
const signals = process.platform === 'win32' ? [] : (['SIGTERM', 'SIGINT'] as const);

describe('the program', () => {
  it('says the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const said = program('--version');
    expect(await said.ended).toBe(0);
    expect(said.stdout()).toBe(`${version}\n`);
  });

  it('exits with 2 and one line on stderr for a bad option', async () => {
    const said = program('dev', '--prot', '1');
    expect(await said.ended).toBe(2);
    expect([said.stdout(), said.stderr()]).toEqual([
      '',
      'savepoint: there is no option --prot; did you mean --port? (see: savepoint help dev)\n',
    ]);
  });

  it('exits with 2 and one line on stderr for a taken port', async () => {
    const { ready } = await dev();
    const { port } = new URL(ready.url);
    const second = program('dev', '--port', port, '--json');
    expect(await second.ended).toBe(2);
    expect(second.stdout()).toBe('');
    expect(second.stderr()).toBe(
      `savepoint: Port ${port} of 127.0.0.1 is taken. Take another one: savepoint dev --port 0\n`,
    );
  });

  it('goes on where nobody reads what it prints any more', async () => {
    const started = await dev();
    started.child.stdout?.destroy();
    started.child.stderr?.destroy();
    for (let times = 0; times < 3; times += 1) {
      expect((await fetch(`${started.ready.url}/v2/auth/account`)).status).toBe(401);
    }
  });
});

describe.each(signals)('%s', (signal) => {
  it('ends savepoint dev with 0 and one line on stdout', async () => {
    const started = await dev();
    started.child.kill(signal);
    expect(await endsWith(started)).toBe(0);
    expect(started.stdout()).toBe(`${JSON.stringify(started.ready)}\n`);
    expect(started.stderr()).toBe('');
  });

  it('ends it with 0 under connections that are open, idle, silent or half sent', async () => {
    const started = await dev();
    const { hostname, port } = new URL(started.ready.url);
    const agent = new Agent({ keepAlive: true });
    await new Promise<void>((resolve) => {
      request(`${started.ready.url}/.well-known/jwks.json`, { agent }, (response) =>
        response.resume().on('end', resolve),
      ).end();
    });
    const sockets = await Promise.all(
      [
        '',
        'POST /v2/auth/guest HT',
        'POST /v2/auth/guest HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
      ].map(async (text) => {
        const socket = connect(Number(port), hostname).on('error', () => {});
        await once(socket, 'connect');
        socket.write(text);
        return socket;
      }),
    );
    // The port has read what came before this answer.
    await fetch(`${started.ready.url}/.well-known/jwks.json`);
    started.child.kill(signal);
    expect(await endsWith(started)).toBe(0);
    for (const socket of sockets) socket.destroy();
    agent.destroy();
  });
});
