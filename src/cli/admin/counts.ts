import type { DayCounts } from '../../server/index.js';
import { readArguments } from '../arguments.js';
import type { ExitCode, Io } from '../io.js';
import { asked, connect, connectOptions } from './connect.js';
import { environmentOf, gameOf } from './scope.js';
import { table, writeJson } from './table.js';

/** `savepoint counts`: what happened in a game, by days. */
export async function counts(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = readArguments({ command: 'counts' }, args, {
    ...connectOptions,
    game: { type: 'string' },
    env: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
  });
  const of = { gameId: gameOf(values, io), environment: environmentOf(values, io) };
  const admin = await connect(values, io);
  const days = await asked(() => admin.counts({ ...of, from: values.from, to: values.to }));
  if (values.json === true) writeJson(io, { days });
  else showDays(io, days);
  return 0;
}

function showDays(io: Io, days: readonly DayCounts[]): void {
  const bar = barsOf(days.map(({ active }) => active));
  table(
    io,
    {
      DAY: ({ day }) => day,
      NEW: (one) => `${one.new}`,
      'SIGN-INS': ({ signIns }) => `${sum(Object.values(signIns))}`,
      CONFLICTS: ({ conflicts }) => `${conflicts}`,
      LOCAL: ({ choices }) => `${choices.local}`,
      CLOUD: ({ choices }) => `${choices.cloud}`,
      MERGE: ({ choices }) => `${choices.merge}`,
      ACTIVE: ({ active }) => `${active}`,
      // The picture of the column before it.
      '': ({ active }) => bar(active),
    },
    days,
  );
  const methods = Object.keys(days[0]?.signIns ?? {}) as (keyof DayCounts['signIns'])[];
  const signIns = methods
    .map((method) => ({ method, times: sum(days.map((one) => one.signIns[method])) }))
    .filter(({ times }) => times > 0);
  if (signIns.length === 0) return;
  const share = barsOf(signIns.map(({ times }) => times));
  io.out('\n');
  table(
    io,
    { METHOD: ({ method }) => method, 'SIGN-INS': ({ times }) => `${times}`, '': ({ times }) => share(times) },
    signIns,
  );
}

const longestBar = 30;

/** Draws a number as a bar, the greatest of all as the longest one. What is more than none has one. */
function barsOf(numbers: readonly number[]): (number: number) => string {
  const greatest = Math.max(1, ...numbers);
  return (number) => '█'.repeat(Math.ceil((number / greatest) * longestBar));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
