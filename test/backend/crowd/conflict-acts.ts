import { operations } from '../../../src/protocol/operations.js';
import { post } from '../../support/service.js';
import { newestSnapshot } from './entry-acts.js';
import type { Floor } from './ledger.js';
import {
  type Account,
  accountOf,
  addSession,
  alive,
  any,
  cameFrom,
  count,
  detach,
  type Entered,
  end,
  enter,
  expectStatus,
  found,
  note,
  ownerOfWay,
  type Person,
  type Session,
} from './person.js';
import type { Told } from './processes.js';
import { alongside, expectIn, knock } from './writing.js';

type Way = 'name' | 'social' | 'recovery';
type Choice = 'local' | 'cloud' | 'merge';

interface Conflict {
  session: Session;
  way: Way;
  ticket: string;
  local: Account;
  cloud: Account;
}

/** What a person does who meets another account of their own. */
export const conflictActs: { [act: string]: (person: Person) => Promise<void> } = {
  async 'a conflict, and a choice at both at once'(person) {
    const conflict = await meet(person);
    if (conflict === null) return;
    await choose(person, conflict, any(person, ['local', 'cloud'] as const));
  },

  async 'a conflict, and a merge'(person) {
    const conflict = await meet(person);
    if (conflict !== null) await choose(person, conflict, 'merge');
  },

  async 'a conflict, and nothing'(person) {
    await meet(person);
  },
};

/** Shows a credential that leads to another account of the person's; null where there is none. */
async function meet(person: Person): Promise<Conflict | null> {
  const meetings = alive(person).flatMap((session) =>
    (['name', 'social', 'recovery'] as const).flatMap((way) => {
      const owner = ownerOfWay(person, way);
      return owner === undefined || owner === session.account || owner.isDeleted
        ? []
        : [{ session, way, cloud: owner }];
    }),
  );
  if (meetings.length === 0) return null;
  const { session, way, cloud } = any(person, meetings);
  const told = await enter(person, way, { device: session.device, session });
  if (!expectStatus(person, `${way} meets another account`, told, 'profile_conflict')) return null;
  const { ticket, local: mine, cloud: other } = told.body['conflict'];
  if (mine.userId !== session.account.userId || other.userId !== cloud.userId) {
    person.wrong(`the conflict is between ${mine.userId} and ${other.userId}`);
  }
  const entries = person.ledger.floor(cloud.userId).size;
  if (other.entries < entries) person.wrong(`the conflict shows ${other.entries} entries of ${entries}`);
  note(person, `session ${session.id} of ${session.account.userId} meets ${cloud.userId} by ${way}`);
  return { session, way, ticket, local: session.account, cloud };
}

async function choose(person: Person, conflict: Conflict, choice: Choice): Promise<void> {
  const { session, way, local, cloud } = conflict;
  const [chosen, other] = choice === 'local' ? [local, cloud] : [cloud, local];
  const isRefused = choice === 'local' && local.ways.has(way);
  const before = { other: person.ledger.floor(other.userId), chosen: person.ledger.floor(chosen.userId) };
  const ended = choice === 'local' ? strangersOf(person, conflict) : [session];
  let isChosen = false;
  const opened = await alongside(
    person,
    async () => {
      const told = choice === 'merge' ? await merge(person, conflict) : await chooseAtBoth(person, conflict, choice);
      note(
        person,
        `${choice} by session ${session.id}: ${told.map(({ status, body }) => `${status} ${body['code'] ?? ''}`)}`,
      );
      const expected = isRefused ? 'method_already_linked' : 200;
      if (!told.every((one) => expectStatus(person, choice, one, expected)) || isRefused) return null;
      isChosen = true;
      for (const { body } of told) accountOf(person, body.userId, chosen);
      carryOut(person, conflict, choice, ended);
      const [first] = told;
      return choice === 'local' || first === undefined
        ? null
        : addSession(person, first.body, { account: chosen, device: session.device, by: way });
    },
    choice === 'merge' ? { atMost: 2 } : {},
  );
  if (!isChosen) return;
  count(person, `choice ${choice}`);
  for (const one of ended.slice(0, 2)) await knock(person, one);
  const goesOn = opened ?? session;
  if (!goesOn.isAlive) return;
  await expectIn(person, goesOn);
  await expectKept(person, goesOn, {
    reason: choice,
    account: other,
    floor: withKeysOf(person, other, ended, before.other),
  });
  if (choice === 'merge') await expectKept(person, goesOn, { reason: 'merge', account: chosen, floor: before.chosen });
}

/** The sessions that the choice Local ends: by the way that moves, and on no device of the former owner. */
function strangersOf(person: Person, { way, cloud }: Conflict): Session[] {
  return alive(person, cloud).filter((one) => cameFrom(person, one, way) && !cloud.devices.has(one.device));
}

/** What a choice makes of the accounts. */
function carryOut(person: Person, { session, way, local, cloud }: Conflict, choice: Choice, ended: Session[]): void {
  end(ended);
  if (choice === 'local') {
    local.ways.add(way);
    detach(person, cloud, { way });
  } else if (local.devices.has(session.device)) {
    cloud.devices.add(session.device);
    detach(person, local, { device: session.device });
  }
}

function chooseAtBoth(
  person: Person,
  { ticket, session: { device: deviceId } }: Conflict,
  choice: Choice,
): Promise<Told<Entered>[]> {
  const asks = ([0, 1] as const).map((at) =>
    person.processes.ask(
      (service) => post<Entered>(service, operations.resolveConflict.path, { ticket, choice }, { deviceId }),
      at,
    ),
  );
  return Promise.all(asks);
}

interface SideEntry {
  collection: string;
  key: string;
  value: unknown;
  version: number;
}

/** Reads both sides, and takes the local one of each entry; again, where somebody has written meanwhile. */
async function merge(
  person: Person,
  { ticket, local, cloud, session: { device: deviceId } }: Conflict,
): Promise<Told<Entered>[]> {
  for (let tries = 0; tries < 20; tries += 1) {
    const floors = [person.ledger.floor(local.userId), person.ledger.floor(cloud.userId)] as const;
    const sides = await person.processes.ask((service) =>
      post(service, operations.readConflictSides.path, { ticket }, { deviceId }),
    );
    if (sides.status !== 200) return [sides];
    const { local: ours, cloud: theirs } = sides.body as { local: SideEntry[]; cloud: SideEntry[] };
    const problems = [
      ...person.ledger.problems(local.userId, found(ours), floors[0]),
      ...person.ledger.problems(cloud.userId, found(theirs), floors[1]),
    ];
    for (const problem of problems) person.wrong(`sides of a conflict: ${problem}`);
    for (const { key, value } of ours) person.ledger.maybeAlso(cloud.userId, key, JSON.stringify(value));
    const restsOn = (side: SideEntry[]) => side.map(({ collection, key, version }) => ({ collection, key, version }));
    const request = {
      ticket,
      choice: 'merge',
      entries: ours.map(({ collection, key, value }) => ({ collection, key, value })),
      rests_on: { local: restsOn(ours), cloud: restsOn(theirs) },
    };
    const told = await person.processes.ask((service) =>
      post<Entered>(service, operations.resolveConflict.path, request, { deviceId }),
    );
    if (told.body['code'] !== 'conflict_stale') return [told];
  }
  person.wrong('a merge was stale 20 times');
  return [];
}

/** What was acknowledged before, and all that those who were ended were told. */
function withKeysOf(person: Person, { userId }: Account, ended: readonly Session[], before: Floor): Floor {
  const floor = new Map(before);
  for (const { id, account } of ended) {
    const key = `of-session-${id}`;
    const last = person.ledger.last(userId, key);
    if (account.userId === userId && last >= 0) floor.set(key, last);
  }
  return floor;
}

/** The account that was chosen keeps what the other one held, with all that was acknowledged. */
async function expectKept(
  person: Person,
  session: Session,
  { reason, account, floor }: { reason: string; account: Account; floor: Floor },
): Promise<void> {
  const kept = await newestSnapshot(person, session, reason, account.userId);
  if (kept === null && floor.size === 0) return;
  if (kept === null) return person.wrong(`${reason}: no snapshot of ${account.userId}`);
  for (const problem of person.ledger.problems(account.userId, kept, floor)) {
    person.wrong(`snapshot of ${reason} of ${account.userId}: ${problem}`);
  }
}
