import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleProgram, type Program, start, untilSaid } from './program.js';

const folder = mkdtempSync(join(tmpdir(), 'savepoint-companion-'));
let program: string;

beforeAll(async () => {
  program = await bundleProgram();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `savepoint dev -- node <text>` on a free port. */
function beside(text: string): Program {
  const file = join(folder, 'page.mjs');
  writeFileSync(file, text);
  return start(program, ['dev', '--port', '0', '--', process.execPath, file, '--port', '1'], { cwd: folder });
}

const asksTheService = `
  const { SAVEPOINT_URL, VITE_SAVEPOINT_URL } = process.env;
  const { status } = await fetch(new URL('/.well-known/jwks.json', SAVEPOINT_URL));
  await fetch(new URL('/nowhere', SAVEPOINT_URL));
  console.log(JSON.stringify({ status, same: SAVEPOINT_URL === VITE_SAVEPOINT_URL, args: process.argv.slice(2) }));
`;

describe('a command beside savepoint dev', () => {
  it('has the address of the service, and its own arguments; when it ends, so does the service', async () => {
    const started = beside(asksTheService);
    expect(await started.ended).toBe(0);
    const [first = '', second = ''] = started.stdout().trim().split('\n');
    expect(first).toMatch(/savepoint {2}(http:\S+) {3}console {2}\1\/console\/ {3}stop {2}Ctrl-C$/);
    expect(JSON.parse(second)).toEqual({ status: 200, same: true, args: ['--port', '1'] });
    // Of requests those alone are shown that fail.
    expect(started.stderr().trim().split('\n')).toEqual([expect.stringMatching(/404 \d+ ms not_found$/)]);
  });

  it('is asked to end when the service is', async () => {
    const started = beside(`setInterval(() => {}, 1_000);
      process.on('SIGTERM', () => { console.log('the page has ended'); process.exit(3); });
      console.log('page');`);
    await untilSaid(started, 'page');
    started.child.kill('SIGTERM');
    expect(await started.ended).toBe(0);
    expect(started.stdout()).toContain('the page has ended');
  });

  it('is part of the advice where the port is taken, quoted where a terminal would take it apart', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const args = ['dev', '--port', String(port), '--', 'vite', '--mode', "the game's"];
    const started = start(program, args, { cwd: folder });
    expect(await started.ended).toBe(2);
    other.close();
    expect(started.stderr()).toBe(
      `savepoint: Port ${port} of 127.0.0.1 is taken. ` +
        "Take another one: savepoint dev --port 0 -- vite --mode 'the game'\\''s'\n",
    );
  });

  it('that fails makes the exit code 1', async () => {
    expect(await beside('process.exit(7);').ended).toBe(1);
  });

  it('that is not there is named, with the way out', async () => {
    const started = start(program, ['dev', '--port', '0', '--', 'no-such-program-here'], { cwd: folder });
    expect(await started.ended).toBe(2);
    expect(started.stderr()).toBe('savepoint: "no-such-program-here" is not there: is it installed (npm install)?\n');
  });
});
