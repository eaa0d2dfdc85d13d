import { describe, expect, it } from 'vitest';
import { readSettings, type ServeArguments } from '../../src/cli/serve/settings.js';
import { runCommand } from './in-process.js';
import { setUpServe } from './served.js';

const { serve, whole, fileWith } = setUpServe();

describe('savepoint serve', () => {
  it('warns once of a proxy that it was not told of, in the log and at /health', async () => {
    const { url, lines } = await serve();
    const ask = (headers: Record<string, string>) => fetch(`${url}/.well-known/jwks.json`, { headers });
    await ask({});
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok', store: 'reachable' });
    for (let n = 0; n < 3; n += 1) await ask({ 'x-forwarded-for': '203.0.113.1' });
    const health = await fetch(`${url}/health`);
    expect([health.status, await health.json()]).toEqual([
      200,
      { status: 'ok', store: 'reachable', warnings: ['untrusted_proxy'] },
    ]);
    const warnings = lines().filter(({ kind }) => kind === 'warning');
    expect(warnings).toEqual([
      expect.objectContaining({ level: 'warn', code: 'untrusted_proxy', address: '127.0.0.1' }),
    ]);
  });

  it('takes its rates from the command line, else the environment, else the file', async () => {
    const file = (rates: unknown) => fileWith('rates.config.json', JSON.stringify({ limits: { rates } }));
    const ratesOf = async (given: ServeArguments, env: Record<string, string>, rates?: unknown) => {
      const config = rates === undefined ? {} : { limits: { rates } };
      const settings = await readSettings(given, config as never, { env: { ...whole(), ...env } } as never);
      return settings.backend.limits?.rates;
    };
    const inEnvironment = {
      SAVEPOINT_RATES: 'readsPerAccount=7/60, lockMaxMs=1000',
      SAVEPOINT_NEW_GUESTS_PER_ADDRESS_PER_HOUR: '50',
    };
    const read = { readsPerAccount: { tries: 7, windowMs: 60_000 }, lockMaxMs: 1_000 };
    expect(await ratesOf({}, {})).toBe(true);
    expect(await ratesOf({}, {}, false)).toBe(false);
    expect(await ratesOf({}, inEnvironment, false)).toEqual({ ...read, newGuestsPerAddressPerHour: 50 });
    const writes = { writesPerAccount: { tries: 1, windowMs: 1 } };
    const onLine = { 'new-guests-per-address-per-hour': '60', rate: ['readsPerAccount=8/1'] };
    expect(await ratesOf(onLine, inEnvironment, { ...writes, lockMaxMs: 5 })).toEqual({
      ...writes,
      lockMaxMs: 1_000,
      readsPerAccount: { tries: 8, windowMs: 1_000 },
      newGuestsPerAddressPerHour: 60,
    });
    for (const [args, message] of [
      [['--rate', 'readsPerAccount'], /a rate must be as in readsPerAccount=3000\/60/],
      [['--rate', 'readsPerAcount=1/1'], /limits\.rates\.readsPerAcount must be left out/],
      [['--rate', 'readsPerAccount=1'], /limits\.rates\.readsPerAccount must be \{ tries, windowMs \}/],
      [['--new-guests-per-address-per-hour', '0'], /a rate must be/],
      [['--config', file({ guests: 1 })], /limits\.rates\.guests must be left out/],
    ] as const) {
      const { code, err } = await runCommand(['serve', ...args], { env: whole() });
      expect([code, err]).toEqual([2, expect.stringMatching(message)]);
    }
  });
});
