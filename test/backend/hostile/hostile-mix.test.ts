import { afterAll, describe, expect, it } from 'vitest';
import { grouped, printFigures } from '../../support/figures.js';
import { type Attackable, type Mix, type MixReport, runMix, startAttackable } from './mix.js';
import type { Sizes } from './orders.js';

const isProof = process.env['PROVE'] === '1';
const mostMib = 400;
/** How much later the players' answers may come at the 99th percentile, in ms. */
const laterMs = 250;
/** Nearly 10 MiB each: few large entries, and as many as a collection may have. */
const large: Sizes = { entries: 68, entryBytes: 150 * 1_024 };
const many: Sizes = isProof ? { entries: 1_990, entryBytes: 5_000 } : { entries: 400, entryBytes: 5_000 };
const mixes: { [store in 'sqlite' | 'memory']: Mix } = isProof
  ? {
      sqlite: { clients: 50, large, many, quiet: { ms: 30_000 }, mixed: { ms: 300_000 } },
      memory: { clients: 50, large, many, quiet: { ms: 15_000 }, mixed: { ms: 60_000 } },
    }
  : {
      sqlite: { clients: 20, large, many, mixed: { requests: 15 } },
      memory: { clients: 20, large, many, mixed: { requests: 5 } },
    };

describe('a service that is attacked in every way at once', () => {
  const running: Attackable[] = [];
  afterAll(async () => {
    for (const service of running) await service.stop();
  });

  it.each(['sqlite', ...(isProof ? (['memory'] as const) : [])] as const)(
    'loses no request of those who play, and stays within its memory, on %s',
    { timeout: 600_000 },
    async (store) => {
      const service = await startAttackable(store);
      running.push(service);
      const report = await runMix(service, mixes[store]);
      if (isProof) printFigures(line(store, report));
      expect(report.mixed.failures).toEqual([]);
      expect(report.checked.lost).toEqual([]);
      expect([report.isAlive, report.health]).toEqual([true, 200]);
      expect(report.memory.most).toBeLessThan(mostMib);
      // Every attack was made, and none was answered as a failure of the service.
      for (const [attack, { answers }] of Object.entries(report.attacked)) {
        expect([attack, Object.keys(answers)]).toEqual([attack, expect.not.arrayContaining(['500'])]);
      }
      expect(Object.keys(report.attacked)).toHaveLength(8);
      // How long something takes is a figure, and decides in `npm run prove` alone.
      if (report.quiet !== null) expect(report.mixed.p99 - report.quiet.p99).toBeLessThan(laterMs);
    },
  );
});

function line(store: string, { quiet, mixed, checked, attacked, memory }: MixReport): string {
  const times = Object.entries(attacked).map(([attack, { times: count, answers }]) => {
    const said = Object.entries(answers).map(([answer, number]) => `${answer} ${grouped(number)}`);
    return `${attack} ${grouped(count)} (${said.join(', ')})`;
  });
  const ms = (value: number | undefined): string => `${(value ?? 0).toFixed(0)} ms`;
  return (
    `hostile mix on ${store}: ${grouped(mixed.requests)} requests of players, ${mixed.failures.length} failed, ` +
    `${checked.lost.length} of ${grouped(checked.acknowledged)} writes lost; 99 of 100 within ${ms(mixed.p99)}, ` +
    `without the mix ${ms(quiet?.p99)} (half within ${ms(mixed.p50)}, without ${ms(quiet?.p50)}; slowest ` +
    `${ms(mixed.slowest)}, without ${ms(quiet?.slowest)}); memory ${memory.before.toFixed(0)} MiB before, at most ` +
    `${memory.most.toFixed(0)} MiB; ${times.join(', ')}`
  );
}
