import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './in-process.js';
import { bundleProgram, missing, type Program, type Ready, start, startDev } from './program.js';

interface Vector {
  name: string;
  valid: boolean;
  encoding: string;
  key: string;
  timestamp: string;
  nonce: string;
  body?: string;
  signature: string;
}

const file = new URL('../protocol/vectors.json', import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] };
/** Those that a signer can be asked for: bodies that the service takes, signatures as one is written. */
const askable = vectors.filter(
  ({ valid, body, encoding, signature }) =>
    valid && isJson(body) && (encoding === 'base64' || signature === signature.toLowerCase()),
);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'savepoint-sign-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const body =
  '{"custom_user_id":"player-1","device_id":"device-1","game_id":"3fa85f64-5717-4562-b3fc-2c963f66afa6","env":0}';
const env = { SAVEPOINT_PRIVATE_KEY: 'the-private-key' };

describe('savepoint sign', () => {
  it('is tried with enough vectors', () => {
    expect(askable.length).toBeGreaterThanOrEqual(20);
  });

  it.each(askable)('gives the known answer: $name', async ({ key, timestamp, nonce, encoding, body, signature }) => {
    const argv = ['sign', '--timestamp', timestamp, `--nonce=${nonce}`, '--encoding', encoding];
    const { code, out } = await runCommand(argv, { input: body ?? '', env: { SAVEPOINT_PRIVATE_KEY: key } });
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n')).toEqual([
      `Service-Signature: ${signature}`,
      `Service-Timestamp: ${timestamp}`,
      `Service-Nonce: ${nonce}`,
      'Content-Type: application/json',
    ]);
  });

  it("adds the player's address", async () => {
    const { out } = await runCommand(['sign', '--ip', '203.0.113.7'], { input: body, env });
    expect(out).toContain('X-Forwarded-For: 203.0.113.7\n');
  });

  it.each(['the-private-key', 'the-private-key\n', 'the-private-key\r\n'])(
    'takes the key from a file, without its line end: %j',
    async (text) => {
      const fixed = ['--timestamp', '1760000000000', '--nonce', 'n'.repeat(32)];
      const fromFile = await runCommand(['sign', '--private-key-file', fileWith('key', text), ...fixed], {
        input: body,
      });
      const fromEnv = await runCommand(['sign', ...fixed], { input: body, env });
      const fromNamed = await runCommand(['sign', ...fixed], {
        input: body,
        env: { SAVEPOINT_PRIVATE_KEY_FILE: fileWith('key', text) },
      });
      const fromStdin = await runCommand(
        ['sign', '--private-key-file', '-', '--body-file', fileWith('body', body), ...fixed],
        { input: text },
      );
      expect(fromEnv.code).toBe(0);
      expect([fromFile.out, fromNamed.out, fromStdin.out]).toEqual([fromEnv.out, fromEnv.out, fromEnv.out]);
    },
  );

  it.each([
    [[], { input: body }, /private key is missing: give --private-key-file <file>, or set SAVEPOINT_PRIVATE_KEY/],
    [['--private-key', 'geheim'], { input: body }, /no option --private-key; did you mean --private-key-file\?/],
    [['--private-key-file', 'geheim-file'], { input: body }, /--private-key-file: there is no such file/],
    [['--private-key-file', '.'], { input: body }, /that is a folder/],
    [['--private-key-file', '-'], { input: body }, /stdin cannot be both .* --body-file/],
    [
      [],
      { input: body, env: { SAVEPOINT_PRIVATE_KEY: ' geheim' } },
      /in SAVEPOINT_PRIVATE_KEY has white space around it/,
    ],
    [[], { input: body, env: { SAVEPOINT_PRIVATE_KEY_FILE: 'nowhere' } }, /SAVEPOINT_PRIVATE_KEY_FILE: there is no/],
    [[], { env }, /the body comes in on stdin/],
    [[], { input: '\n', env }, /there is no body/],
    [[], { input: '{"geheim":', env }, /the body is not JSON/],
    [[], { input: Uint8Array.from([0x22, 0xff, 0x22]), env }, /not UTF-8/],
    [['--body-file', 'nowhere'], { env }, /--body-file: there is no such file/],
    [['--curl'], { input: body, env }, /--curl needs --auth-url/],
    [['--auth-url', 'https://a.example'], { input: body, env }, /--auth-url is for --curl/],
    [['--curl', '--auth-url', 'geheim'], { input: body, env }, /--auth-url must be an absolute http\(s\) address/],
    [['--ip', 'geheim'], { input: body, env }, /--ip must be an IPv4 or IPv6 address/],
    [['--timestamp', '1760000000'], { input: body, env }, /looks like seconds/],
    [['--nonce', 'geheim'], { input: body, env }, /nonce must be 32 characters/],
    [['--encoding', 'geheim'], { input: body, env }, /--encoding must be hex or base64/],
  ])('answers %j, %j with the way out, exit code 2 and no secret', async (more, given, message) => {
    const { code, out, err } = await runCommand(['sign', ...more], given);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
    expect(err).toMatch(/^savepoint: [^\n]+\n$/);
    expect(err).not.toContain('geheim');
  });
});

describe('what it prints', () => {
  let dev: Program & { ready: Ready };
  let program: string;
  beforeAll(async () => {
    program = await bundleProgram();
    dev = await startDev(program);
  });
  afterAll(async () => {
    dev.child.kill('SIGTERM');
    await dev.ended;
  });

  const withUser = (id: string): string =>
    JSON.stringify({ custom_user_id: id, device_id: `device-${id}`, game_id: dev.ready.gameId, env: 0 });

  async function signed(input: string, ...more: string[]): Promise<string> {
    const said = start(program, ['sign', ...more], { input, env: { SAVEPOINT_PRIVATE_KEY: dev.ready.privateKey } });
    expect([await said.ended, said.stderr()]).toEqual([0, '']);
    return said.stdout();
  }

  it('is taken by the service, once', async () => {
    const input = withUser('player-one');
    const lines = (await signed(input)).trimEnd().split('\n');
    const headers = lines.map((line) => line.split(': ') as [string, string]);
    const request = () => fetch(`${dev.ready.authUrl}/v2/auth/server`, { method: 'POST', headers, body: input });
    expect((await request()).status).toBe(200);
    expect((await request()).status).toBe(401);
  });

  const noShell = missing(['sh', ['-c', 'exit 0']], ['curl', ['--version']]);
  const hard = [
    ['plain', ''],
    ['quotes and dollars', `it's "a" $HOME \`id\` !! \\ %s %b \\n \\c -`],
    ['letters of the world', 'Zoë 玩家 игрок 👩‍🚀 \u2028 \u0085 \u007f'],
  ] as const;

  it.each(hard)(
    `with --curl runs in a shell as it is: %s${noShell === null ? '' : `: not tried, ${noShell}`}`,
    async (name, more) => {
      if (noShell !== null) return;
      const plain = JSON.stringify({ ...JSON.parse(withUser(`user ${name}`)), more });
      const pretty = `\t${JSON.stringify(JSON.parse(plain), null, '\t')}\r\n`;
      const ids = [];
      for (const input of [plain, `${JSON.stringify(JSON.parse(plain), null, 2)}\n\n`, pretty]) {
        const command = await signed(input, '--curl', '--auth-url', dev.ready.authUrl, '--ip', '2001:db8::7');
        const answer = JSON.parse(execFileSync('sh', ['-c', command], { encoding: 'utf8', timeout: 10_000 }));
        expect(answer).toMatchObject({ userId: expect.any(String), accessToken: expect.any(String) });
        ids.push(answer.userId);
        expect(command).not.toContain(dev.ready.privateKey);
      }
      expect(new Set(ids).size).toBe(1);
    },
  );
});

function isJson(text: string | undefined): boolean {
  try {
    JSON.parse(text ?? '');
    return true;
  } catch {
    return false;
  }
}
