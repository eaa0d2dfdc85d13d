import fc from 'fast-check';
import type { Store } from '../../../../src/backend/stores/store.js';
import { anyCommand } from './commands.js';
import type { DatabaseMaker } from './databases.js';
import type { DeviceKind } from './device.js';
import { endWorld } from './ending.js';
import type { Choice } from './game.js';
import { search } from './search.js';
import { names as all, type Name } from './values.js';
import { createModelWorld, type World } from './world.js';

const kind: fc.Arbitrary<DeviceKind> = fc
  .record({
    storage: fc.constantFrom<DeviceKind['storage']>('browser', 'browser', 'at once', 'in promises', 'with swap'),
    hasLocks: fc.constantFrom(true, true, false),
    hasChannel: fc.constantFrom(true, true, true, false),
    delays: fc.oneof(fc.constant([]), fc.array(fc.nat({ max: 8 }), { minLength: 1, maxLength: 4 })),
  })
  // Without locks, nobody can share a storage of three methods that answers later.
  .map((made) => (made.storage === 'in promises' ? { ...made, hasLocks: true } : made));

const wanted = all.filter((name) => search.names?.includes(name) ?? true);

/** How two devices stand to each other as it begins; what comes is up to the commands. */
export const anyBeginning = fc.record({
  how: fc.constantFrom('two players', 'one player', 'one player', 'a conflict'),
  kinds: fc.tuple(kind, kind, kind),
  // Not all at once: each costs a request at every change of account.
  names: fc.shuffledSubarray(wanted, { minLength: Math.min(2, wanted.length), maxLength: Math.min(4, wanted.length) }),
  last: fc.constantFrom<Choice>('cancel', 'cloud'),
});

/** What a sequence is carried out on. */
export interface Ground {
  readonly store: Store;
  /** The double of IndexedDB by default. */
  readonly databases?: DatabaseMaker | undefined;
}

async function start(
  { how, kinds, names }: { how: string; kinds: DeviceKind[]; names: Name[] },
  { store, databases }: Ground,
): Promise<World> {
  const world = createModelWorld(kinds, names, store, databases);
  const { turns } = world;
  const first = world.open(0, 0);
  const second = world.open(1, 0);
  await turns.rest();
  if (how === 'two players') return world;
  first.signIn('ada');
  if (how === 'one player') second.signOut();
  await turns.rest();
  for (const name of names) first.write(name);
  if (how === 'a conflict') for (const name of names) second.write(name);
  await turns.rest();
  second.signIn('ada');
  await turns.pass(1_000);
  return world;
}

type Beginning = typeof anyBeginning extends fc.Arbitrary<infer Made> ? Made : never;
type Commands = Iterable<fc.AsyncCommand<World, World>>;

/** `replayPath` says which of a sequence's commands were carried out when it failed. */
export const anyCommands = (replayPath?: string): fc.Arbitrary<Commands> =>
  fc.commands(anyCommand, { maxCommands: 40, size: 'max', ...(replayPath === undefined ? {} : { replayPath }) });

/** Carries a sequence out from its beginning to its end. Rejects with what has been found wrong. */
export async function runSequence(begun: Beginning, commands: Commands, ground: Ground): Promise<void> {
  const world = await start(begun, ground);
  await fc.asyncModelRun(() => ({ model: world, real: world }), commands);
  await endWorld(world, begun.last);
  for (const { databases } of world.devices) await databases.remove?.();
}
