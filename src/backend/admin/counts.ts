import type { DayCounts } from '../../protocol/admin-counts.js';
import { operatorDefaults } from '../../protocol/gaps/operators.js';
import { days } from '../../protocol/gaps/units.js';
import type { Service } from '../service.js';
import type { CountKind } from '../stores/count-requests.js';
import type { Scope } from '../stores/records.js';
import { dayOf } from '../stores/rules/counts.js';
import { wrong } from './pages.js';

/** What was counted in a game on each day from `from` to `to` of an address, both among them. */
export async function readCounts(service: Service, scope: Scope, url: URL): Promise<DayCounts[]> {
  const { from, to } = readDays(url, dayOf(service.now()));
  const counted = new Map<number, Map<CountKind, number>>();
  for (const { day, kind, n } of await service.store.readCounts({ scope, from, to })) {
    const kinds = counted.get(day) ?? new Map<CountKind, number>();
    counted.set(day, kinds.set(kind, n));
  }
  return Array.from({ length: to - from + 1 }, (_, index) => showDay(from + index, counted.get(from + index)));
}

function showDay(day: number, kinds: ReadonlyMap<CountKind, number> | undefined): DayCounts {
  const of = (kind: CountKind): number => kinds?.get(kind) ?? 0;
  return {
    day: textOf(day),
    new: of('new'),
    active: of('active'),
    conflicts: of('conflict'),
    choices: { local: of('choice_local'), cloud: of('choice_cloud'), merge: of('choice_merge') },
    signIns: {
      device: of('sign_in_device'),
      name: of('sign_in_name'),
      identity: of('sign_in_identity'),
      social: of('sign_in_social'),
      custom: of('sign_in_custom'),
      recovery: of('sign_in_recovery'),
    },
  };
}

/** Refuses with `invalid_request` what is no day, and more days than one answer has. */
function readDays({ searchParams }: URL, today: number): { from: number; to: number } {
  const { countedDays, countedMaxDays } = operatorDefaults;
  const to = readDay(searchParams, 'to') ?? today;
  const from = readDay(searchParams, 'from') ?? to - countedDays + 1;
  if (from > to) throw wrong('from', 'must not be after "to"');
  if (to - from >= countedMaxDays)
    throw wrong('from', `must be at most ${countedMaxDays} days, with both ends, before "to"`);
  return { from, to };
}

function readDay(parameters: URLSearchParams, name: string): number | null {
  const text = parameters.get(name);
  if (text === null) return null;
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  // Some engines take the 31st of February for a day in March.
  if (Number.isNaN(at) || textOf(dayOf(at)) !== text) throw wrong(name, 'must be a day as 2026-12-01');
  return dayOf(at);
}

function textOf(day: number): string {
  return new Date(day * days(1)).toISOString().slice(0, 10);
}
