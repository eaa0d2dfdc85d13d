import { operations } from '../../../src/protocol/operations.js';
import { post, signedRequest } from '../../support/service.js';
import type { Random } from '../stores/writers.js';
import type { FoundEntry, Ledger } from './ledger.js';
import type { Processes, Told } from './processes.js';

/** What leads to an account, besides its devices. */
export type Way = 'name' | 'social' | 'custom' | 'recovery';

/** An account as the person knows it. */
export interface Account {
  userId: string;
  devices: Set<string>;
  ways: Set<Way>;
  isDeleted: boolean;
}

/** A session as the person knows it. */
export interface Session {
  id: number;
  account: Account;
  device: string;
  by: Way | 'device';
  /** The recovery code that it came from, if it came from one. */
  code: string | null;
  /** What it came from before, and would end with as well: its ways but the device, with their recovery codes. */
  before: { by: Way; code: string | null }[];
  accessToken: string;
  refreshToken: string;
  isAlive: boolean;
}

/**
 * Somebody with accounts, devices, a name, an id in a portal and one in the game's own system, who does one thing after the
 * other, each with several requests at once, and knows what has to come of it.
 */
export interface Person {
  id: string;
  random: Random;
  processes: Processes;
  ledger: Ledger;
  accounts: Account[];
  sessions: Session[];
  password: string;
  formerPasswords: string[];
  /** The recovery code that is good, if there is one, and one that was. */
  code: string | null;
  formerCode: string | null;
  history: string[];
  /** How many of each thing were done. */
  done: Map<string, number>;
  counter: number;
  wrong(what: string): void;
}

/** The account's own answer to a sign-in. */
export interface Entered {
  userId: string;
  accessToken: string;
  refreshToken: string;
  code?: string;
  // biome-ignore lint/suspicious/noExplicitAny: a failure has other members.
  [member: string]: any;
}

export function createPerson(
  id: string,
  { random, processes, ledger, wrong }: Pick<Person, 'random' | 'processes' | 'ledger' | 'wrong'>,
): Person {
  return {
    id,
    random,
    processes,
    ledger,
    wrong,
    accounts: [],
    sessions: [],
    password: `password-of-${id}-0`,
    formerPasswords: [],
    code: null,
    formerCode: null,
    history: [],
    done: new Map(),
    counter: 0,
  };
}

export function any<Item>(person: Person, items: readonly Item[]): Item {
  return items[person.random(items.length)] as Item;
}

/** A number that this person uses once. */
export function next(person: Person): number {
  person.counter += 1;
  return person.counter;
}

export function note(person: Person, line: string): void {
  person.history.push(line);
}

/** What somebody has done to its end. */
export function count(person: Person, what: string): void {
  person.done.set(what, (person.done.get(what) ?? 0) + 1);
}

export function alive(person: Person, account?: Account): Session[] {
  return person.sessions.filter((session) => session.isAlive && (account === undefined || session.account === account));
}

export function ownerOfWay(person: Person, way: Way): Account | undefined {
  return person.accounts.find(({ ways }) => ways.has(way));
}

/** Whether a session came from what leads to its account now. */
export function cameFrom(person: Person, session: Session, what: Way | 'device'): boolean {
  const { by, code, before, account, device } = session;
  if (what === 'device') return by === what && account.devices.has(device);
  return [...before, { by, code }].some((one) => one.by === what && (what !== 'recovery' || one.code === person.code));
}

/** The person has shown another way in the session: it comes from that from now on. */
export function moveTo(session: Session, way: Exclude<Way, 'recovery'>): void {
  const { by, code } = session;
  if (by !== 'device') session.before.push({ by, code });
  Object.assign(session, { by: way, code: null });
}

export function ownerOfDevice(person: Person, device: string): Account | undefined {
  return person.accounts.find(({ devices }) => devices.has(device));
}

export function newDevice(person: Person): string {
  return `${person.id}-device-${next(person)}`;
}

/** Marks sessions as ended. */
export function end(sessions: readonly Session[]): void {
  for (const session of sessions) session.isAlive = false;
}

/** Takes a way or a device from an account. One that nothing leads to has no session. */
export function detach(person: Person, account: Account, what: { way?: Way; device?: string }): void {
  if (what.way !== undefined) account.ways.delete(what.way);
  if (what.device !== undefined) account.devices.delete(what.device);
  if (account.ways.size === 0 && account.devices.size === 0) end(alive(person, account));
}

/** The account of an answer: another one than it should be is somebody else's. */
export function accountOf(person: Person, userId: string, expected: Account | 'new'): Account {
  const known = person.accounts.find((account) => account.userId === userId);
  if (expected === 'new') {
    if (known !== undefined) person.wrong(`a new account was to be made, and ${userId} was entered`);
    const account = known ?? { userId, devices: new Set<string>(), ways: new Set<Way>(), isDeleted: false };
    if (known === undefined) person.accounts.push(account);
    return account;
  }
  if (expected.userId !== userId) person.wrong(`${expected.userId} was to be entered, and it was ${userId}`);
  return expected;
}

export function addSession(
  person: Person,
  body: Entered,
  session: Pick<Session, 'account' | 'device' | 'by'>,
): Session {
  const { accessToken, refreshToken } = body;
  const code = session.by === 'recovery' ? person.code : null;
  const added = { ...session, id: next(person), code, before: [], accessToken, refreshToken, isAlive: true };
  person.sessions.push(added);
  return added;
}

/** Asks to enter by a device or one of the ways, or to link it where a token is given. */
export function enter(
  person: Person,
  by: Exclude<Session['by'], 'custom'>,
  { device, session, ...more }: { device: string; session?: Session } & Record<string, unknown>,
  first?: 0 | 1,
): Promise<Told<Entered>> {
  const { id, password, code } = person;
  const [path, credential] = {
    device: [operations.signInAsGuest.path, {}],
    name: [operations.signInWithName.path, { username: id, password }],
    social: [operations.signInWithSocialToken.path, { token: id }],
    recovery: [operations.signInWithRecoveryCode.path, { code }],
  }[by] as [string, Record<string, unknown>];
  const token = session?.accessToken;
  return person.processes.ask(
    (service) => post<Entered>(service, path, { ...credential, ...more }, { deviceId: device, token }),
    first,
  );
}

/** Has the game's back end sign the person in. Each try has a nonce of its own, as it has to. */
export function enterByGame(person: Person, device: string, first?: 0 | 1): Promise<Told<Entered>> {
  return person.processes.ask(async (service) => {
    const nonce = `${person.id}-${next(person)}`.padEnd(32, '-');
    const request = await signedRequest(service, { nonce, body: { custom_user_id: person.id, device_id: device } });
    const answer = await service.fetch(request);
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Entered };
  }, first);
}

/** An answer's entries as the ledger has them. */
export function found(entries: readonly { key: string; version: number; value: unknown }[]): FoundEntry[] {
  return entries.map(({ key, version, value }) => ({ key, version, text: JSON.stringify(value) }));
}

/** Says that an answer is wrong where it is none of these. */
export function expectStatus(
  person: Person,
  what: string,
  { status, body }: { status: number; body: { code?: string } | undefined },
  ...expected: (number | string)[]
): boolean {
  const isExpected = expected.includes(status) || expected.includes(body?.code ?? '');
  if (!isExpected) person.wrong(`${what}: ${status} ${body?.code ?? ''} in place of ${expected.join(' or ')}`);
  return isExpected;
}
