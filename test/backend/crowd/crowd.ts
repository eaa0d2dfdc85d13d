import { createRandom } from '../stores/writers.js';
import { accountActs } from './account-acts.js';
import { conflictActs } from './conflict-acts.js';
import { entryActs } from './entry-acts.js';
import { guardActs } from './guard-acts.js';
import { createLedger, type Ledger } from './ledger.js';
import { alive, any, count, createPerson, note, type Person } from './person.js';
import type { Processes } from './processes.js';
import { leaveOld, sessionActs } from './session-acts.js';
import { expectIn, knock } from './writing.js';

const acts = { ...entryActs, ...sessionActs, ...accountActs, ...guardActs, ...conflictActs };

/** Those that are done more often than the others. */
const often = [
  ...['write by version', 'write by version', 'forced write', 'write by the game', 'read'],
  ...[
    'a conflict, and a choice at both at once',
    'a conflict, and a choice at both at once',
    'a conflict, and a merge',
  ],
  ...['link at both at once', 'a first sign-in, four times at once', 'a way leads in', 'refresh at both at once'],
];

export interface Crowd {
  persons: Person[];
  ledger: Ledger;
  /** What should not have been, each with whose it is. */
  wrong: string[];
  /** Has all of them do one thing after the other, each by themselves, until it is over. */
  play(isOver: (round: number) => boolean): Promise<void>;
  /** Every session that lives is let in, and every one that has ended is not. */
  checkSessions(): Promise<void>;
  /** How often each thing was done. */
  done(): Map<string, number>;
  /** What is wrong, and what those have done with whom something is. */
  report(): string;
}

export function createCrowd(processes: Processes, { seed, size }: { seed: number; size: number }): Crowd {
  const wrong: string[] = [];
  const ownerOf = (userId: string): Person | undefined =>
    persons.find(({ accounts }) => accounts.some((account) => account.userId === userId));
  const ledger = createLedger((userId, problem) => {
    const owner = ownerOf(userId);
    if (owner === undefined) wrong.push(problem);
    else owner.wrong(problem);
  });
  const persons: Person[] = Array.from({ length: size }, (_, at) => {
    const id = `p${at}`;
    const person = createPerson(id, {
      random: createRandom(seed + at * 7_919),
      processes,
      ledger,
      wrong(what) {
        wrong.push(`${id}: ${what}`);
        note(person, `WRONG: ${what}`);
      },
    });
    return person;
  });

  async function act(person: Person): Promise<void> {
    if (alive(person).length === 0) await comeBack(person);
    await leaveOld(person);
    const name = person.random(2) === 0 ? any(person, often) : any(person, Object.keys(acts));
    if (alive(person).length === 0) return;
    note(person, `--- ${name}`);
    await acts[name]?.(person);
    count(person, name);
  }

  return {
    persons,
    ledger,
    wrong,
    async play(isOver) {
      await Promise.all(
        persons.map(async (person) => {
          for (let round = 0; !isOver(round) && wrong.length === 0; round += 1) await act(person);
        }),
      );
    },
    async checkSessions() {
      await Promise.all(
        persons.map(async (person) => {
          for (const session of alive(person)) await expectIn(person, session);
          const ended = person.sessions.filter(({ isAlive }) => !isAlive);
          for (const session of ended.slice(-8)) await knock(person, session);
        }),
      );
    },
    done() {
      const all = new Map<string, number>();
      for (const { done } of persons) for (const [name, times] of done) all.set(name, (all.get(name) ?? 0) + times);
      return all;
    },
    report() {
      const owners = persons.filter(({ id }) => wrong.some((line) => line.startsWith(`${id}: `)));
      const histories = owners.slice(0, 2).map(({ id, history }) => `${id} did:\n${history.slice(-60).join('\n')}`);
      return [`seed ${seed}`, ...wrong.slice(0, 20), ...histories].join('\n');
    },
  };
}

/** Whoever has no session enters as a guest of a new device, or by what leads to an account. */
async function comeBack(person: Person): Promise<void> {
  const entries = ['a first sign-in, four times at once', 'a way leads in', 'a device enters again'];
  const entry = person.accounts.length === 0 ? entries[0] : any(person, entries);
  note(person, `--- comes back: ${entry}`);
  await acts[entry ?? '']?.(person);
}
