import { quotaDefaults, quotaFactorOfMerges } from '../protocol/gaps/quotas.js';
import { Refusal } from './refusal.js';
import type { EntryQuotas, QuotaRefusal } from './stores/entry-requests.js';

/**
 * How much an account may hold. What is left out has its default. Lowering a quota removes nothing: an account that
 * holds more can still read, and write what takes no more than before.
 *
 * @see docs/interface.md#ours-errors-and-limits
 */
export interface QuotaOptions {
  /** The bytes of all values together, as JSON in UTF-8, from 1 up; 10 MiB by default. */
  values?: number;
  /** How many entries a collection may have, from 1 up; 2,000 by default. */
  entries?: number;
  /** How many collections an account may have, from 1 up; 100 by default. */
  collections?: number;
  /** How many snapshots are kept of what was lost, from 1 up; 200 by default. For one more, another one goes. */
  snapshots?: number;
  /** The bytes of the values in all snapshots together, from 1 up; 20 MiB by default. Beyond that, some of them go. */
  snapshotBytes?: number;
  /** How many devices may lead to an account, from 1 up; 50 by default. */
  devices?: number;
  /** How many sessions an account may have, from 1 up; 50 by default. */
  sessions?: number;
}

/** All quotas of a service. */
export type Quotas = Readonly<Required<QuotaOptions>>;

/** The quotas that an option asks for. Throws TypeError naming what is wrong. */
export function quotasOf(option: QuotaOptions | undefined): Quotas {
  if (option === undefined) return quotaDefaults;
  if (typeof option !== 'object' || option === null) throw new TypeError('limits.quotas must be an object');
  const given = Object.entries(option).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    if (!Object.hasOwn(quotaDefaults, name))
      throw new TypeError(`limits.quotas.${name} must be left out: there is no such quota`);
    if (!Number.isSafeInteger(value) || value < 1)
      throw new TypeError(`limits.quotas.${name} must be an integer from 1 up`);
  }
  return { ...quotaDefaults, ...Object.fromEntries(given) };
}

/** What a merge or the return of a snapshot may take an account to: no player is to lose a save for a quota. */
export function quotasOfMerges({ values, entries, collections }: Quotas): EntryQuotas {
  const factor = quotaFactorOfMerges;
  return { values: values * factor, entries: entries * factor, collections: collections * factor };
}

/** Tells a caller which quota it is. */
export function quotaExceeded({ quota, limit, used }: QuotaRefusal): Refusal {
  return new Refusal('quota_exceeded', { quota, limit, used });
}
