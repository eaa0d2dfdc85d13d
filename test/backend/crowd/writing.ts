import { pathOf } from '../../../src/protocol/addresses.js';
import * as headers from '../../../src/protocol/headers.js';
import { operations } from '../../../src/protocol/operations.js';
import { readEntries, send, type TestService, testPrivateKey } from '../../support/service.js';
import {
  type Account,
  alive,
  any,
  count,
  expectStatus,
  found,
  next,
  note,
  type Person,
  type Session,
} from './person.js';
import type { Told } from './processes.js';

/** Who writes: a session of the account, or the game's back end. */
export type Writer = { account: Account; session: Session | null };

interface WriteBody {
  version: number;
  code?: string;
  currentVersion?: number;
  currentValue?: unknown;
}

/** On what a write rests, and whether it has a name. */
export interface WriteKind {
  /** A version, -1 to overwrite, or `absent`. */
  version: number | 'absent';
  name?: string | undefined;
}

/** A value that nobody else has, and that says whose it is. */
export function newText(person: Person, key: string): string {
  return JSON.stringify({ by: person.id, key, n: next(person) });
}

/** Sends a write, and enters into the ledger what was answered. */
export async function write(
  person: Person,
  { account, session }: Writer,
  { key, text, version, name }: WriteKind & { key: string; text: string },
  first?: 0 | 1,
): Promise<Told<WriteBody>> {
  const { ledger } = person;
  const { userId } = account;
  ledger.sending(userId, key, text);
  const told = await person.processes.ask<WriteBody>(
    (service) =>
      send(service, `${pathOfEntry(service, { account, session }, key)}?env=0`, {
        method: 'PATCH',
        token: session?.accessToken ?? testPrivateKey,
        text: `{"version":${version === 'absent' ? -1 : version},"value":${text}}`,
        headers: {
          ...(version === 'absent' ? { [headers.ifNoneMatch]: '*' } : {}),
          ...(name === undefined ? {} : { [headers.idempotencyKey]: `${person.id}:${name}` }),
        },
      }),
    first,
  );
  const { status, body, lost } = told;
  const who = session === null ? 'game' : `session ${session.id}`;
  note(
    person,
    `${who} writes ${key} of ${userId} on ${version}${name ? ` as ${name}` : ''}, ${text}: ${status} ${body.code ?? body.version}, ${lost} lost`,
  );
  if (status === 200)
    ledger.acknowledged(userId, key, { version: body.version, text, lost: name === undefined ? lost : 0 });
  // The first try may have been the one: then this is what the refusal shows.
  else if (lost > 0 && body.code === 'version_mismatch' && JSON.stringify(body.currentValue) === text) {
    ledger.acknowledged(userId, key, { version: body.currentVersion ?? -1, text, lost: lost - 1 });
  } else ledger.refused(userId, key, { text, lost });
  return told;
}

function pathOfEntry({ gameId: game }: TestService, { account, session }: Writer, key: string): string {
  const entry = { game, collection: 'progress', key };
  if (session !== null) return pathOf(operations.updateEntry, entry);
  return pathOf(operations.updateUserEntry, { ...entry, user: account.userId });
}

/** Whether a write that was answered so has been done. */
export function wasWritten({ status, body, lost }: Told<WriteBody>, text: string): boolean {
  return status === 200 || (lost > 0 && JSON.stringify(body.currentValue) === text);
}

/** Reads the account's entries as one of its sessions, and holds them against what was acknowledged before. */
export async function readAs(person: Person, session: Session, first?: 0 | 1): Promise<number> {
  const { userId } = session.account;
  const floor = person.ledger.floor(userId);
  const { status, body } = await person.processes.ask((service) => readEntries(service, session), first);
  if (status !== 200) return status;
  for (const problem of person.ledger.problems(userId, found(body), floor))
    person.wrong(`read of ${userId}: ${problem}`);
  return status;
}

/** The same as the game's back end. */
export async function readAsGame(person: Person, { userId }: Account): Promise<void> {
  const floor = person.ledger.floor(userId);
  const { status, body } = await person.processes.ask((service) => {
    const path = pathOf(operations.readUserCollection, { game: service.gameId, user: userId, collection: 'progress' });
    return send(service, `${path}?env=0`, { token: service.privateKey });
  });
  if (status !== 200) return person.wrong(`the game reads ${userId}: ${status}`);
  for (const problem of person.ledger.problems(userId, found(body), floor)) {
    person.wrong(`the game's read of ${userId}: ${problem}`);
  }
}

/** Writers, each in an entry of its own, who go on while something happens to their accounts. */
export interface Alongside {
  /** How many writes each of them makes at most. */
  atMost?: number;
}

/**
 * Lets others of the person's sessions, and the game's back end, write while `event` goes on. `event` says itself which
 * sessions it has ended: those have to be refused then, and no others.
 */
export async function alongside<Result>(
  person: Person,
  event: () => Promise<Result>,
  { atMost = Number.POSITIVE_INFINITY }: Alongside = {},
): Promise<Result> {
  const sessions = alive(person).filter(() => person.random(2) === 0);
  const games = person.accounts.filter(({ isDeleted }) => !isDeleted && person.random(4) === 0);
  const writers: Writer[] = [
    ...sessions.map((session) => ({ account: session.account, session })),
    ...games.map((account) => ({ account, session: null })),
  ];
  let isOver = false;
  const writing = writers.map(async (writer) => {
    for (let done = 0; done < atMost && !isOver; done += 1) {
      const refused = await writeOwn(person, writer);
      if (refused !== null) return { writer, refused };
    }
    return { writer, refused: null };
  });
  let result: Result;
  try {
    result = await event();
  } finally {
    isOver = true;
  }
  for (const { writer, refused: before } of await Promise.all(writing)) {
    const refused = before ?? (await writeOwn(person, writer));
    const { account, session } = writer;
    const mayWrite = session === null ? !account.isDeleted : session.isAlive;
    const who = session === null ? `the game in ${account.userId}` : `session ${session.id}`;
    if (mayWrite && refused !== null) person.wrong(`${who} was refused with ${refused}, and has not ended`);
    if (!mayWrite && refused === null) person.wrong(`${who} has written after its end`);
  }
  count(person, 'writers beside it');
  return result;
}

/** Writes an entry that nobody else writes; gives the code of a refusal. */
async function writeOwn(person: Person, writer: Writer): Promise<string | null> {
  const { account, session } = writer;
  const key = session === null ? 'of-game' : `of-session-${session.id}`;
  const last = person.ledger.last(account.userId, key);
  const name = person.random(2) === 0 ? `w${next(person)}` : undefined;
  const text = newText(person, key);
  const told = await write(person, writer, { key, text, name, version: last < 0 ? 'absent' : last });
  if (wasWritten(told, text)) return null;
  // A merge or a restored snapshot may have made a version of it, which is where the next one goes on.
  if (told.body.code === 'version_mismatch') {
    const forced = await write(person, writer, { key, text, version: -1 });
    return forced.status === 200 ? null : (forced.body.code ?? 'no code');
  }
  return told.body.code ?? 'no code';
}

/** What a session that has ended may not do: anything. */
export async function knock(person: Person, session: Session): Promise<void> {
  const key = `of-session-${session.id}`;
  const text = newText(person, key);
  const asks = [
    readAs(person, session, 0),
    readAs(person, session, 1),
    write(person, { account: session.account, session }, { key, text, version: -1 }).then(({ status }) => status),
    person.processes
      .ask((service) => send(service, operations.readAccount.path, { token: session.accessToken }))
      .then(({ status }) => status),
    person.processes
      .ask((service) => send(service, operations.exportAccount.path, { token: session.accessToken }))
      .then(({ status }) => status),
  ];
  const statuses = await Promise.all(asks);
  if (statuses.some((status) => status !== 401)) {
    person.wrong(`session ${session.id}, which has ended, was answered ${statuses.join(', ')}`);
  }
  count(person, 'knock of an ended session');
}

/** A session that lives is let in at both processes. */
export async function expectIn(person: Person, session: Session): Promise<void> {
  const statuses = await Promise.all([readAs(person, session, 0), readAs(person, session, 1)]);
  const both = statuses.map((status) => ({ status, body: undefined }));
  for (const answer of both)
    expectStatus(person, `session ${session.id} of ${session.account.userId} reads`, answer, 200);
}

export function anyAlive(person: Person): Session {
  return any(person, alive(person));
}
