import type { Device } from './device.js';
import type { Jump, Kept, WatchedService } from './service.js';
import { type CounterName, counterNames, countOf, isCounter } from './values.js';

/** One more, by a game or a back end. */
export interface Step {
  readonly collection: CounterName;
  readonly account: string;
  readonly device: Device | null;
  isKept: boolean;
}

/**
 * What the counters must come to. Their values say nothing of who has written them: devices write equal ones. So the sum is
 * held against the steps that were made: each counts once, and one whose promise did not resolve once at most.
 */
export interface Totals {
  begin(step: Omit<Step, 'isKept'>): Step;
  kept(step: Step): void;
  accountsOf(device: Device): string[];
  /** Looks at what was stored since the last time. */
  look(): void;
  /** Says what is wrong with that. By now it is known which devices have given somebody what they had of others. */
  judge(): void;
  /** Whether accounts have come together here in so many ways that nobody can say what is whose. */
  isTangled(account: string): boolean;
  checkEnd(lost: ReadonlySet<string>): Promise<void>;
}

const key = 'main';

export function createTotals(service: WatchedService, wrong: (what: string) => void): Totals {
  const steps: Step[] = [];
  const lineage = createLineage(wrong);
  /** What an account had besides its steps: from merges, and from what was written back. */
  const extra = new Map<string, number>();
  /** Counters that were lost to another device and kept as a snapshot: an update whose page is gone. */
  const givenUp = new Set<string>();
  /** What is more than the steps that were made, but what a device has given that had it of somebody else. */
  const tooMany: { account: string; what: string }[] = [];
  let jumped = 0;
  let looked = 0;

  const at = (account: string, collection: string): string => `${account}/${collection}`;

  function look(): void {
    for (; looked < service.history.length; looked += 1) {
      jumpTo(looked);
      check(service.history[looked] as Kept);
    }
    jumpTo(looked);
  }

  /** Notes what came by no write, up to this place in the history. */
  function jumpTo(place: number): void {
    for (; (service.jumps[jumped]?.at ?? Number.POSITIVE_INFINITY) <= place; jumped += 1) {
      const jump = service.jumps[jumped] as Jump;
      lineage.add(jump);
      for (const { collection, before, after } of jump.changes) {
        const place = at(jump.account, collection);
        if (isCounter(collection)) extra.set(place, (extra.get(place) ?? 0) + countOf(after) - countOf(before));
      }
    }
  }

  function check({ account, collection, version, value, reason }: Kept): void {
    if (!isCounter(collection)) return;
    if (version === null) {
      if (reason === 'mismatch' || reason === 'overwrite') givenUp.add(at(account, collection));
      return;
    }
    const most = mostOf(account, collection);
    if (countOf(value) > most) {
      const what = `counted twice: ${countOf(value)} of ${most} in ${collection} ${version} of ${account}`;
      tooMany.push({ account, what });
    }
  }

  function stepsOf(account: string, collection: string): Step[] {
    return steps.filter((step) => step.account === account && step.collection === collection);
  }

  const mostOf = (account: string, collection: string): number =>
    stepsOf(account, collection).length + (extra.get(at(account, collection)) ?? 0);

  const leastOf = (account: string, collection: string): number =>
    stepsOf(account, collection).filter(({ isKept }) => isKept).length + (extra.get(at(account, collection)) ?? 0);

  /**
   * What a device had of a guest is in the guest's account or in its heir's, whatever else leads to the guest. Together it is as
   * much as was counted in either, where nothing but that has come between them.
   */
  async function checkFamily(family: ReadonlySet<string>, collection: CounterName, lost: ReadonlySet<string>) {
    const accounts = [...family];
    const isSimple = accounts.every(
      (account) =>
        [...service.sources(account)].every((one) => family.has(one)) &&
        !(lost.has(account) && !service.heirs.has(account)) &&
        !service.undone.has(account) &&
        !service.everDeleted.has(account) &&
        !givenUp.has(at(account, collection)) &&
        !service.jumps.some((jump) => jump.account === account),
    );
    if (!isSimple) return;
    const values = await Promise.all(accounts.map((account) => service.value(account, collection, key)));
    const counts = values.map(countOf);
    const sum = (parts: number[]): number => parts.reduce((all, part) => all + part, 0);
    const least = sum(accounts.map((account) => leastOf(account, collection)));
    const most = sum(accounts.map((account) => mostOf(account, collection)));
    // What was carried out for the guest, and not answered, is given to the heir as well: it counts once in each.
    if (sum(counts) < least || Math.max(...counts) > most)
      wrong(`not counted right: ${counts} of ${least} to ${most} in ${collection} of ${accounts.join(' and ')}`);
  }

  return {
    begin: (made) => {
      const step = { ...made, isKept: false };
      steps.push(step);
      return step;
    },
    kept: (step) => {
      step.isKept = true;
    },
    accountsOf: (device) => steps.filter((step) => step.device === device).map(({ account }) => account),
    look,
    judge: () => {
      for (const { account, what } of tooMany.splice(0)) if (!service.isUnited(account)) wrong(what);
    },
    isTangled: lineage.isTangled,
    checkEnd: async (lost) => {
      look();
      const families = familiesOf(service.heirs);
      for (const collection of counterNames) {
        for (const family of families) await checkFamily(family, collection, lost);
        for (const account of service.accounts()) {
          if (families.some((family) => family.has(account)) || service.isUnited(account)) continue;
          if (lost.has(account) || givenUp.has(at(account, collection))) continue;
          const count = countOf(await service.value(account, collection, key));
          const least = leastOf(account, collection);
          if (count < least) wrong(`not counted: ${count} of ${least} in ${collection} of ${account}`);
        }
      }
    },
  };
}

/** The accounts that devices have brought together: each guest with its heir, and whoever that has with it. */
function familiesOf(heirs: ReadonlyMap<string, string>): ReadonlySet<string>[] {
  let families: ReadonlySet<string>[] = [];
  for (const pair of heirs) {
    const isApart = (family: ReadonlySet<string>): boolean => !pair.some((account) => family.has(account));
    const joined = families.filter((family) => !isApart(family));
    families = [...families.filter(isApart), new Set([...pair, ...joined.flatMap((family) => [...family])])];
  }
  return families;
}

/**
 * Which accounts were merged into which. Two that were merged before, in either direction, have in common what was merged then:
 * only what has come since is added.
 */
function createLineage(wrong: (what: string) => void) {
  /** The accounts whose values are in an account's. */
  const holds = new Map<string, ReadonlySet<string>>();
  /** What the two had in common when they were merged last, by both and the collection. */
  const common = new Map<string, number>();
  /** How often something has come into an account, and how often into each of two when they were merged last. */
  const arrivals = new Map<string, number>();
  const metAt = new Map<string, string>();
  const tangled = new Set<string>();

  const holdsOf = (account: string): ReadonlySet<string> => holds.get(account) ?? new Set([account]);
  const count = (account: string): number => arrivals.get(account) ?? 0;
  const pairOf = (one: string, other: string): string => [one, other].sort().join(' ');
  const stateOf = (one: string, other: string): string => [one, other].sort().map(count).join(' ');

  /** Notes that two accounts meet, and whether it is known what both have already. */
  function meet(account: string, from: string): void {
    const isKnown = metAt.get(pairOf(account, from)) === stateOf(account, from);
    const isShared = [...holdsOf(from)].some((one) => holdsOf(account).has(one));
    if ((isShared && !isKnown) || tangled.has(from)) tangled.add(account);
    holds.set(account, new Set([...holdsOf(account), ...holdsOf(from)]));
    arrivals.set(account, count(account) + 1);
    metAt.set(pairOf(account, from), stateOf(account, from));
  }

  return {
    isTangled: (account: string): boolean => tangled.has(account),
    add: ({ account, from, changes }: Jump): void => {
      if (from === null) {
        // What of another account is in this one, nobody can say any more.
        arrivals.set(account, count(account) + 1);
        return;
      }
      meet(account, from);
      for (const { collection, before, added, after } of changes) {
        if (collection !== 'purse' && collection !== 'aged') continue;
        const place = `${pairOf(account, from)} ${collection}`;
        const shared = common.get(place) ?? 0;
        const isRight = countOf(after) === countOf(before) + countOf(added) - shared;
        if (!isRight && !tangled.has(account)) {
          wrong(
            `merged ${countOf(added)} into ${countOf(before)}, ${shared} in both: ${countOf(after)} in ${collection}`,
          );
        }
        common.set(place, countOf(added));
      }
    },
  };
}
