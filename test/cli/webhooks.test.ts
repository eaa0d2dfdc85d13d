import { createMemoryStore } from 'savepoint/backend';
import { type ServedBackend, serve } from 'savepoint/backend/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOperatedService, nobody, testOperatorKey } from '../support/operators.js';
import { testGameId, testStart } from '../support/service.js';
import { runCommand } from './in-process.js';

const dead = 1_001;
const uuidOf = (n: number) => `00000000-0000-4000-8000-${`${n}`.padStart(12, '0')}`;

let served: ServedBackend;
let env: { [name: string]: string };

beforeEach(async () => {
  const store = createMemoryStore();
  const account = { gameId: testGameId, environment: 2, accountId: nobody, kind: 'banned' } as const;
  const state = { at: testStart, attempts: 32, lastStatus: 503, dueAt: 1, expiresAt: testStart * 2 };
  const details = { reason: 'a secret of the support', until: null };
  const events = Array.from({ length: dead + 1 }, (_, n) => {
    // The first one waits, and another was never answered.
    const own = { lastStatus: n === dead ? null : 503, deadAt: n === 0 ? null : testStart + n * 1_000 };
    return { ...account, ...state, ...own, details, ordinal: n, eventId: uuidOf(n) };
  });
  store.load({ ...store.dump(), events });
  served = await serve(createOperatedService({ store }).backend, { port: 0 });
  env = { SAVEPOINT_URL: served.url, SAVEPOINT_OPERATOR_KEY: testOperatorKey, SAVEPOINT_GAME_ID: testGameId };
});
afterEach(() => served.close());

const webhooks = (...args: string[]) => runCommand(['webhooks', ...args], { env });

describe('savepoint webhooks', () => {
  it('shows what waits and what was set aside as a table, and as JSON for scripts', async () => {
    const { code, out, err } = await webhooks('list', '--limit', '2');
    expect(code).toBe(0);
    expect(out.split('\n').slice(0, 2)).toEqual([
      'waiting    1, the oldest since 2026-01-15 12:00:00',
      `set aside  ${dead}`,
    ]);
    expect(out).toMatch(/^EVENT +KIND +ENV +PLAYER +HAPPENED +TRIES +LAST ANSWER +SET ASIDE$/m);
    expect(out).toMatch(new RegExp(`^${uuidOf(dead)} +banned +production +${nobody} .* 32 +none in time +2026-`, 'm'));
    expect(out).toMatch(new RegExp(`^${uuidOf(dead - 1)} .* 503 `, 'm'));
    expect(out).not.toContain('secret');
    const [, cursor = ''] = /--cursor (\S+)/.exec(err) ?? [];
    const rest = JSON.parse((await webhooks('list', '--limit', '200', '--cursor', cursor, '--json')).out);
    expect(rest).toMatchObject({ waiting: 1, dead });
    expect(rest.events[0]).toMatchObject({ id: uuidOf(dead - 2), lastStatus: 503 });
  });

  it('sends one again, or all, however many there are', async () => {
    expect(await webhooks('retry', '--id', uuidOf(1))).toEqual({ code: 0, out: '1 event is sent again\n', err: '' });
    const again = await webhooks('retry', '--id', uuidOf(1));
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('(not_found)')]);
    expect((await webhooks('retry', '--all', '--json')).out).toBe(`{"retried":${dead - 1}}\n`);
    expect((await webhooks('retry', '--all')).out).toBe('0 events are sent again\n');
    expect((await webhooks('list')).out).toBe(
      `waiting    ${dead + 1}, the oldest since 2026-01-15 12:00:00\nset aside  0\n`,
    );
  });

  it.each([
    [['retry'], '--id <id> | --all'],
    [['retry', '--id', nobody, '--all'], '--id <id> | --all'],
    [['resend'], 'savepoint webhooks list'],
    [['retry', '--id', 'x'], 'id must be'],
    [['list', '--game', 'x'], 'gameId must be'],
  ])('says what is wrong with %j', async (args, said) => {
    const { code, out, err } = await webhooks(...args);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(said)]);
  });

  it('says which game has to be named', async () => {
    delete env['SAVEPOINT_GAME_ID'];
    const { code, err } = await webhooks('list');
    expect([code, err]).toEqual([2, expect.stringContaining('SAVEPOINT_GAME_ID')]);
  });
});
