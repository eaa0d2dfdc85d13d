import type {
  AdminPlayers,
  EntriesOfMerge,
  FindPlayerOptions,
  ListPlayersOptions,
  PlayerSummary,
} from '../../server/index.js';
import { readArguments } from '../arguments.js';
import type { ExitCode, Io } from '../io.js';
import { writeSmallFile } from '../new-file.js';
import { readBytes } from '../secrets.js';
import { UsageError } from '../usage-error.js';
import { pageOptions, readPage } from './audit.js';
import { asked, connect, connectOptions } from './connect.js';
import { environmentOf, gameOf } from './scope.js';
import { banned, showPlayer } from './show-player.js';
import { type Columns, moment, printable, table, tellDone, tellMore, writeJson } from './table.js';
import { timelineColumns } from './timeline.js';

const options = {
  ...connectOptions,
  ...pageOptions,
  game: { type: 'string' },
  env: { type: 'string' },
  list: { type: 'string' },
  user: { type: 'string' },
  name: { type: 'string' },
  custom: { type: 'string' },
  method: { type: 'string' },
  provider: { type: 'string' },
  subject: { type: 'string' },
  snapshot: { type: 'string' },
  into: { type: 'string' },
  entries: { type: 'string' },
  deletion: { type: 'boolean' },
  until: { type: 'string' },
  reason: { type: 'string' },
  device: { type: 'string' },
  'device-file': { type: 'string' },
  out: { type: 'string' },
  yes: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof readArguments<typeof options>>['values'];

interface Verb {
  players: AdminPlayers;
  values: Values;
  io: Io;
}

const verbs: { readonly [verb: string]: (verb: Verb) => Promise<void> } = {
  async list({ players, values, io }) {
    const list = values.list as ListPlayersOptions['list'];
    const page = await asked(() => players.list({ ...readPage(values), list }));
    if (values.json === true) return writeJson(io, page);
    table(io, playerColumns, page.players);
    tellMore(io, page.cursor);
  },

  async find({ players, values, io }) {
    const { user: id, name, custom: customId, method, provider, subject } = values;
    const who = { id, name, customId, method, provider, subject } as FindPlayerOptions;
    const found = await asked(() => players.find(who));
    if (values.json === true) return writeJson(io, { players: found });
    if (found.length === 0) io.err('nobody is called so\n');
    else table(io, playerColumns, found);
  },

  async show({ players, values, io }) {
    const user = userOf(values);
    const found = await asked(async () => ({
      player: await players.get(user),
      saves: await players.entries(user, readPage(values)),
      snapshots: await players.snapshots(user),
      audit: await players.audit(user),
    }));
    if (values.json === true) writeJson(io, found);
    else showPlayer(io, found);
  },

  async timeline({ players, values, io }) {
    const page = await asked(() => players.timeline(userOf(values), readPage(values)));
    if (values.json === true) return writeJson(io, page);
    table(io, timelineColumns, page.events);
    tellMore(io, page.cursor);
  },

  async export({ players, values, io }) {
    const text = `${JSON.stringify(await asked(() => players.export(userOf(values))))}\n`;
    if (values.out === undefined) return io.out(text);
    await writeSmallFile(values.out, text).catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`--out: it cannot be written (${error.code})`);
    });
  },

  async 'sign-out'({ players, values, io }) {
    const userId = userOf(values);
    await asked(() => players.signOut(userId));
    tellDone(io, values, { userId, signedOut: true }, 'all sessions have ended');
  },

  async unlink({ players, values, io }) {
    const [userId, { method, device }] = [userOf(values), values];
    if ((method === undefined) === (device === undefined)) {
      throw new UsageError('say what to unlink: --method <kind>, or --device <name> (savepoint players show has both)');
    }
    if (method !== undefined) await asked(() => players.unlink(userId, method));
    else if (device !== undefined) await asked(() => players.revokeDevice(userId, device));
    const sentence = 'it leads to the account no longer, and the sessions that came from it have ended';
    tellDone(io, values, { userId, unlinked: { method, device } }, sentence);
  },

  async ban({ players, values, io }) {
    const { reason } = values;
    if (reason === undefined) throw new UsageError('say why, for the player to read: --reason <text>');
    const [userId, ban] = [userOf(values), { until: untilOf(values), reason }];
    await asked(() => players.ban(userId, ban));
    const howLong = ban.until === null ? 'for good' : `until ${moment(ban.until)}`;
    tellDone(io, values, { userId, ban }, `the player is banned ${howLong}`);
  },

  async unban({ players, values, io }) {
    const userId = userOf(values);
    await asked(() => players.unban(userId));
    tellDone(io, values, { userId, ban: null }, 'the player can sign in again');
  },

  async delete({ players, values, io }) {
    const user = userOf(values);
    if (values.yes !== true) throw new UsageError('to delete a player takes --yes; it can be taken back for 30 days');
    const deleted = await asked(() => players.delete(user));
    if (values.json === true) return writeJson(io, deleted);
    io.out(`it is removed at ${moment(deleted.removedAt)}; until then it can be restored\n`);
    io.out(`the code that lets the player restore it: ${deleted.recoveryCode}\n`);
  },

  async undo({ players, values, io }) {
    const user = userOf(values);
    const { choice } = await asked(() => players.get(user));
    if (choice === undefined) throw new UsageError('the player has made no choice that can be taken back');
    const undone = await asked(() => players.undoChoice(user, choice.id));
    if (values.json === true) return writeJson(io, undone);
    const { methods, userId, written } = undone;
    const back = methods.length === 0 ? 'nothing was moved' : `${methods.join(', ')} lead to ${userId} again`;
    io.out(`${back}; ${written} saves were written back\n`);
  },

  async merge({ players, values, io }) {
    const [user, { into, entries }] = [userOf(values), values];
    if (into === undefined) throw new UsageError('say what it is to lead to: --into <id>');
    if (values.yes !== true) {
      throw new UsageError(`to merge takes --yes: all that leads to ${user} will lead to ${into}`);
    }
    const merged = await asked(() => players.merge(user, { into, entries: entries as EntriesOfMerge | undefined }));
    if (values.json === true) return writeJson(io, merged);
    const { methods, deviceCount, customId, written, userId } = merged;
    io.out(
      `${[...methods, `${deviceCount} devices`].join(', ')} lead to ${userId} now; ${written} saves were written\n`,
    );
    if (customId !== undefined) io.out(`the game's own user ${printable(customId)} is ${userId} now\n`);
  },

  async 'reset-code'({ players, values, io }) {
    const made = await asked(() => players.makeResetCode(userOf(values)));
    if (values.json === true) return writeJson(io, made);
    io.out(`${made.code} sets a new password for the name "${made.name}", once, until ${moment(made.expiresAt)}\n`);
  },

  async 'sign-in-code'({ players, values, io }) {
    const made = await asked(() => players.makeSignInCode(userOf(values)));
    if (values.json === true) return writeJson(io, made);
    io.out(`${made.code} signs in to the account on another device, once, until ${moment(made.expiresAt)}\n`);
  },

  async restore({ players, values, io }) {
    const [user, { snapshot }] = [userOf(values), values];
    if ((snapshot === undefined) === (values.deletion !== true)) {
      throw new UsageError('say what to restore: --snapshot <id>, or --deletion');
    }
    if (snapshot === undefined) {
      const deviceId = await deviceOf(values);
      await asked(() => players.restore(user, { deviceId }));
      return tellDone(io, values, { userId: user, restored: true }, 'the account is there again');
    }
    const entries = await asked(() => players.restoreSnapshot(user, snapshot));
    if (values.json === true) return writeJson(io, { entries });
    table(
      io,
      { COLLECTION: (one) => one.collection, KEY: (one) => one.key, VERSION: (one) => `${one.version}` },
      entries,
    );
  },
};

/** `savepoint players`: what an operator does for players. */
export async function players(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positional } = readArguments(
    { command: 'players', takes: Object.keys(verbs).join(', '), such: '--name <name> or --user <id>' },
    args,
    options,
  );
  const verb = Object.hasOwn(verbs, positional) ? verbs[positional] : undefined;
  if (verb === undefined) throw new UsageError(`say what to do: savepoint players ${Object.keys(verbs).join('|')}`);
  const gameId = gameOf(values, io);
  const environment = environmentOf(values, io);
  const admin = await connect(values, io);
  const of = await asked(async () => admin.players({ gameId, environment }));
  await verb({ players: of, values, io });
  return 0;
}

export const playerColumns: Columns<PlayerSummary> = {
  USER: ({ userId }) => userId,
  MADE: ({ createdAt }) => moment(createdAt),
  SEEN: ({ lastSeenAt }) => moment(lastSeenAt),
  METHODS: ({ methods, deviceCount }) =>
    [
      ...methods.map(({ method, label, subject }) => `${method} ${label ?? subject ?? ''}`.trim()),
      deviceCount === 1 ? '1 device' : `${deviceCount} devices`,
    ].join(', '),
  STATE: ({ orphanedAt, deletedAt, ban }) =>
    [
      ...(orphanedAt === undefined ? [] : [`orphaned ${moment(orphanedAt)}`]),
      ...(deletedAt === undefined ? [] : [`deleted ${moment(deletedAt)}`]),
      ...(ban === undefined ? [] : [banned(ban)]),
    ].join(', '),
};

/** A day is meant as it begins in UTC, and a time takes its zone: nobody has to know where the service stands. */
function untilOf({ until }: Values): number | null {
  if (until === undefined) return null;
  const isWhole = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d))?$/.test(until);
  // JavaScript takes February 30th for March 2nd.
  const at = isWhole && isDay(until.slice(0, 10)) ? Date.parse(until) : Number.NaN;
  if (Number.isNaN(at)) throw new UsageError('--until takes a day as 2026-12-01, or a time as 2026-12-01T18:00Z');
  return at;
}

function isDay(day: string): boolean {
  const at = Date.parse(day);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

function userOf({ user }: Values): string {
  if (user === undefined) throw new UsageError('say which player: --user <id> (savepoint players find has it)');
  return user;
}

/** A device id is a secret of the player, and what stands on the command line is in the list of processes. */
async function deviceOf(values: Values): Promise<string | undefined> {
  const file = values['device-file'];
  return file === undefined ? undefined : (await readBytes(file, '--device-file')).toString('utf8').trim();
}
