import { operations } from '../../../src/protocol/operations.js';
import { post, send } from '../../support/service.js';
import { any, count, expectStatus, found, next, note, type Person, type Session } from './person.js';
import { anyAlive, newText, readAs, readAsGame, wasWritten, write } from './writing.js';

const keys = ['main', 'purse', 'map', 'quests'];

/** What a person who is in does with saves. */
export const entryActs: { [act: string]: (person: Person) => Promise<void> } = {
  async 'write by version'(person) {
    const session = anyAlive(person);
    const key = any(person, keys);
    for (let tries = 0; tries < 20; tries += 1) {
      const last = person.ledger.last(session.account.userId, key);
      const name = person.random(2) === 0 ? `n${next(person)}` : undefined;
      const text = newText(person, key);
      const writer = { account: session.account, session };
      const told = await write(person, writer, { key, text, name, version: last < 0 ? 'absent' : last });
      if (wasWritten(told, text)) {
        const version = told.status === 200 ? told.body.version : told.body.currentVersion;
        if (version !== last + 1) person.wrong(`${key}: written on ${last}, and it is ${version}`);
        return;
      }
      // Someone else of the person, or a merge, has written since.
      if (!expectStatus(person, `write of ${key}`, told, 'version_mismatch')) return;
      const { currentVersion = -1, currentValue } = told.body;
      const seen = { key, version: currentVersion, text: JSON.stringify(currentValue) };
      const { userId } = session.account;
      const known = [...person.ledger.floor(userId)].filter(([name]) => name === key);
      for (const problem of person.ledger.problems(userId, [seen], new Map(known))) person.wrong(`refusal: ${problem}`);
      const forced = await write(person, writer, { key, text: newText(person, key), version: currentVersion });
      if (forced.status === 200) return;
    }
    person.wrong(`${key}: 20 times somebody else was first`);
  },

  async 'forced write'(person) {
    const session = anyAlive(person);
    const { userId } = session.account;
    const key = any(person, keys);
    const before = person.ledger.last(userId, key);
    const name = person.random(2) === 0 ? `n${next(person)}` : undefined;
    const text = newText(person, key);
    const told = await write(person, { account: session.account, session }, { key, text, name, version: -1 });
    if (!expectStatus(person, `forced write of ${key}`, told, 200)) return;
    if (told.body.version <= before) person.wrong(`${key}: forced over ${before}, and it is ${told.body.version}`);
    if (before < 0 || told.lost > 0 || told.body.version !== before + 1) return;
    const kept = await newestSnapshot(person, session, 'overwrite');
    if (kept?.some((entry) => entry.key === key && entry.version === before)) return;
    person.wrong(`${key}: version ${before} was overwritten, and no snapshot has it`);
  },

  async 'two writes at once on one version'(person) {
    const session = anyAlive(person);
    const key = any(person, keys);
    const last = person.ledger.last(session.account.userId, key);
    const texts = [newText(person, key), newText(person, key)];
    const version = last < 0 ? 'absent' : last;
    const writer = { account: session.account, session };
    const told = await Promise.all(
      texts.map((text, at) => write(person, writer, { key, text, version }, at === 0 ? 0 : 1)),
    );
    // A lost answer may have been a write that the other one has built upon.
    const written = told.filter((one, at) => wasWritten(one, texts[at] ?? '')).length;
    if (written > 1) person.wrong(`${key}: both writes on ${last} were done`);
    for (const one of told) expectStatus(person, `write at once of ${key}`, one, 200, 'version_mismatch');
  },

  async 'a write comes twice at once'(person) {
    const session = anyAlive(person);
    const key = `twice-${next(person) % 3}`;
    const text = newText(person, key);
    const name = `n${next(person)}`;
    const last = person.ledger.last(session.account.userId, key);
    const version = person.random(2) === 0 ? -1 : last < 0 ? 'absent' : last;
    const writer = { account: session.account, session };
    const told = await Promise.all(
      ([0, 1] as const).map((at) => write(person, writer, { key, text, name, version }, at)),
    );
    const codes = told.map(({ status, body }) => (status === 200 ? body.version : body.code));
    if (new Set(codes).size > 1) person.wrong(`${key}: one write came twice, and was answered ${codes.join(' and ')}`);
  },

  async read(person) {
    const session = anyAlive(person);
    const status = await readAs(person, session);
    expectStatus(person, `session ${session.id} reads`, { status, body: undefined }, 200);
  },

  async 'read by the game'(person) {
    await readAsGame(person, any(person, person.accounts));
  },

  async 'write by the game'(person) {
    const account = any(person, person.accounts);
    const key = any(person, keys);
    const last = person.ledger.last(account.userId, key);
    const text = newText(person, key);
    const name = person.random(2) === 0 ? `n${next(person)}` : undefined;
    const version = last < 0 ? 'absent' : last;
    const told = await write(person, { account, session: null }, { key, text, name, version });
    if (account.isDeleted) expectStatus(person, 'the game writes to a deleted account', told, 'account_deleted');
    else expectStatus(person, 'the game writes', told, 200, 'version_mismatch');
  },

  async export(person) {
    const session = anyAlive(person);
    const { userId } = session.account;
    const floor = person.ledger.floor(userId);
    const { status, body } = await person.processes.ask((service) =>
      send(service, operations.exportAccount.path, { token: session.accessToken }),
    );
    if (status === 429) return;
    if (!expectStatus(person, 'export', { status, body }, 200)) return;
    if (body.userId !== userId) person.wrong(`the export of ${userId} is of ${body.userId}`);
    for (const problem of person.ledger.problems(userId, found(body.entries), floor)) {
      person.wrong(`export of ${userId}: ${problem}`);
    }
    const foreign = body.snapshots.flatMap(({ content }: { content: { value: { by: string } }[] }) =>
      content.filter(({ value }) => value.by !== person.id),
    );
    if (foreign.length > 0) person.wrong(`the export of ${userId} has a snapshot of ${JSON.stringify(foreign[0])}`);
  },

  async 'give an entry up'(person) {
    const session = anyAlive(person);
    const value = { by: person.id, lost: next(person) };
    const request = { collection: 'progress', key: 'main', value };
    const headers = { 'Idempotency-Key': `${person.id}:s${next(person)}` };
    const path = operations.addSnapshot.path;
    const told = await Promise.all(
      ([0, 1] as const).map((at) =>
        person.processes.ask((service) => post(service, path, request, { token: session.accessToken, headers }), at),
      ),
    );
    for (const one of told) expectStatus(person, 'an entry given up', one, 200);
    if (told[0]?.body.id !== told[1]?.body.id) person.wrong('an entry was given up once, and kept twice');
    const kept = await readSnapshot(person, session, told[0]?.body.id);
    if (!kept?.some(({ text }) => text === JSON.stringify(value)))
      person.wrong('an entry that was given up is not kept');
  },

  async 'restore a snapshot'(person) {
    const session = anyAlive(person);
    const { account } = session;
    const listed = await person.processes.ask((service) =>
      send(service, operations.listSnapshots.path, { token: session.accessToken }),
    );
    const [snapshot] = (listed.body.snapshots ?? []).filter(() => person.random(3) === 0);
    if (snapshot === undefined) return;
    const content = (await readSnapshot(person, session, snapshot.id)) ?? [];
    for (const { key, text } of content) person.ledger.sending(account.userId, key, text);
    const path = `${operations.listSnapshots.path}/${snapshot.id}/restore`;
    const { status, body, lost } = await person.processes.ask((service) =>
      send(service, path, { method: 'POST', token: session.accessToken }),
    );
    note(person, `session ${session.id} restores ${snapshot.id}: ${status} ${JSON.stringify(body)}, ${lost} lost`);
    if (!expectStatus(person, 'restore', { status, body }, 200)) return;
    const texts = new Map(content.map(({ key, text }) => [key, text]));
    for (const { key, version } of body.entries) {
      person.ledger.acknowledged(account.userId, key, { version, text: texts.get(key) ?? '', lost });
    }
    count(person, 'entries restored');
  },
};

interface SnapshotEntry {
  key: string;
  version: number;
  text: string;
}

/** A snapshot's entries, all of which have to be the person's. */
async function readSnapshot(
  person: Person,
  session: Session,
  id: string,
): Promise<(SnapshotEntry & { from?: string })[] | null> {
  const { status, body } = await person.processes.ask((service) =>
    send(service, `${operations.listSnapshots.path}/${id}`, { token: session.accessToken }),
  );
  if (status !== 200) return null;
  const foreign = body.content.find(({ value }: { value: { by: string } }) => value.by !== person.id);
  if (foreign !== undefined) person.wrong(`snapshot ${id} holds ${JSON.stringify(foreign)}`);
  return found(body.content);
}

/** The entries of the newest snapshot of a kind, and of an account. */
export async function newestSnapshot(
  person: Person,
  session: Session,
  reason: string,
  from: string = session.account.userId,
): Promise<SnapshotEntry[] | null> {
  const { body } = await person.processes.ask((service) =>
    send(service, operations.listSnapshots.path, { token: session.accessToken }),
  );
  const newest = (body.snapshots ?? []).find(
    (one: { reason: string; fromUserId: string }) => one.reason === reason && one.fromUserId === from,
  );
  return newest === undefined ? null : readSnapshot(person, session, newest.id);
}
