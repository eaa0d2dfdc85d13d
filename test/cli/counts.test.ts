import { createMemoryStore } from 'savepoint/backend';
import { type ServedBackend, serve } from 'savepoint/backend/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CountKind } from '../../src/backend/stores/count-requests.js';
import { dayOf } from '../../src/backend/stores/rules/counts.js';
import { createOperatedService, testOperatorKey } from '../support/operators.js';
import { testGameId, testStart } from '../support/service.js';
import { runCommand } from './in-process.js';

let served: ServedBackend;
let env: { [name: string]: string };

beforeEach(async () => {
  const store = createMemoryStore();
  const today = dayOf(testStart);
  const counted: [day: number, kind: CountKind, n: number][] = [
    [today, 'active', 90],
    [today, 'new', 12],
    [today, 'sign_in_device', 60],
    [today, 'sign_in_name', 3],
    [today - 1, 'active', 1],
    [today - 1, 'conflict', 5],
    [today - 1, 'choice_cloud', 4],
  ];
  const scope = { gameId: testGameId, environment: 2 } as const;
  store.load({ ...store.dump(), counts: counted.map(([day, kind, n]) => ({ ...scope, day, kind, n })) });
  served = await serve(createOperatedService({ store }).backend, { port: 0 });
  const named = { SAVEPOINT_GAME_ID: testGameId, SAVEPOINT_ENV: 'production' };
  env = { SAVEPOINT_URL: served.url, SAVEPOINT_OPERATOR_KEY: testOperatorKey, ...named };
});
afterEach(() => served.close());

const counts = (...args: string[]) => runCommand(['counts', ...args], { env });

describe('savepoint counts', () => {
  it('draws the days, and the sign-ins by their methods', async () => {
    const { code, out, err } = await counts('--from', '2026-01-13');
    expect([code, err]).toEqual([0, '']);
    expect(out.split('\n')).toEqual([
      'DAY         NEW  SIGN-INS  CONFLICTS  LOCAL  CLOUD  MERGE  ACTIVE',
      '2026-01-13  0    0         0          0      0      0      0',
      '2026-01-14  0    0         5          0      4      0      1       █',
      `2026-01-15  12   63        0          0      0      0      90      ${'█'.repeat(30)}`,
      '',
      'METHOD  SIGN-INS',
      `device  60        ${'█'.repeat(30)}`,
      'name    3         ██',
      '',
    ]);
  });

  it('gives scripts JSON', async () => {
    const { days } = JSON.parse((await counts('--json')).out);
    expect(days).toHaveLength(30);
    expect(days.at(-1)).toMatchObject({ day: '2026-01-15', active: 90, new: 12 });
  });

  it.each([
    [['--from', 'monday'], 'must be a day as 2026-12-01'],
    [['--env', 'live'], '--env production'],
    [['--game', 'x'], 'gameId must be'],
  ])('says what is wrong with %j', async (args, said) => {
    const { code, out, err } = await counts(...args);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(said)]);
  });
});
