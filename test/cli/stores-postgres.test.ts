import { afterAll, beforeAll, expect, it } from 'vitest';
import { demoGame } from '../../src/cli/demo.js';
import { describeOnPostgres, type TestSchema } from '../support/on-postgres.js';
import { runCommand } from './in-process.js';
import { bundleProgram, type Program, start } from './program.js';

describeOnPostgres('savepoint serve on PostgreSQL', (newSchema) => {
  let file: string;
  let schema: TestSchema;
  let signingKey: string;
  const running: Program[] = [];

  beforeAll(async () => {
    schema = newSchema();
    file = await bundleProgram();
    signingKey = (await runCommand(['new-key', 'signing'])).out;
  });
  afterAll(async () => {
    for (const { child, ended } of running) {
      child.kill('SIGKILL');
      await ended;
    }
    await schema.drop();
  });

  const env = () => ({
    SAVEPOINT_GAME_ID: demoGame.id,
    SAVEPOINT_PRIVATE_KEY: 'a-private-key',
    SAVEPOINT_SIGNING_KEY: signingKey,
    SAVEPOINT_STORE: `${schema.url}?schema=${schema.schema}`,
  });

  async function serve(): Promise<{ url: string; program: Program }> {
    const program = start(file, ['serve', '--port', '0'], { env: env() });
    running.push(program);
    await expect.poll(() => program.stdout() + program.stderr(), { timeout: 10_000 }).toContain('"listening"');
    const { url, store } = JSON.parse(program.stdout());
    expect(store).toBe('postgres');
    return { url, program };
  }

  it('holds the contract, also over two processes', { timeout: 120_000 }, async () => {
    const [first, second] = [await serve(), await serve()];
    expect((await fetch(`${first.url}/health`)).status).toBe(200);
    const args = [first.url, '--auth-url', second.url, '--game-id', demoGame.id, '--quick'];
    const check = start(file, ['check', ...args], { env: env() });
    expect(await check.ended, check.stdout()).toBe(0);
    first.program.child.kill('SIGTERM');
    expect(await first.program.ended).toBe(0);
  });
});
