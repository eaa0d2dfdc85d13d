import type { Client, Conflict } from 'savepoint';
import type { Result } from './calls.js';
import type { Choice } from './game.js';
import type { Parts } from './game-parts.js';
import { conflictName } from './service.js';

/** What a player does with accounts, on one page. */
export function accountActions(
  { page, where, calls, world, listening, choices: made }: Parts,
  inPage: (task: () => void) => void,
) {
  const { client, device } = page;
  const { truth, service } = world;
  /** What is asked for by hand may be sent, whatever the service has asked for. */
  const ask = (name: string, call: (client: Client) => Promise<unknown>): void =>
    inPage(() => {
      device.network.allow(12);
      calls.trackResult(name, () => call(client) as Promise<Result>);
    });

  function chosen(conflict: Conflict, code: string | undefined): void {
    const { choice: carriedOut = '', by } = service.choiceOf(conflictName(conflict)) ?? {};
    const isDenied = code === 'conflict_cancelled' || code === 'conflict_stale' || code === 'conflict_expired';
    // Where the account that it led to has been deleted since, nobody comes there any more.
    const isGone = service.deleted.has((carriedOut === 'local' ? conflict.local : conflict.cloud).userId);
    // Another page may have carried the same out, when this one had taken back its own.
    if (isDenied && !isGone && by === page && made.get(conflict)?.has(carriedOut)) {
      truth.wrong(`${code} in ${where}, and the choice ${carriedOut} was carried out`);
    }
    // An entry that waits is no reason.
    if (code === 'too_large' || code === 'wrong_env' || code === 'entry_conflict') {
      truth.wrong(`the choice fails with ${code} in ${where}`);
    }
  }

  async function choose(conflict: Conflict | null, choice: Choice): Promise<Result> {
    if (conflict === null) return { success: true };
    const choices = made.get(conflict) ?? new Set();
    made.set(conflict, choices.add(choice));
    const result = await conflict.resolve(choice);
    if (choice !== 'merge') chosen(conflict, result.success ? undefined : result.error.code);
    return result as Result;
  }

  return {
    signOut: () => {
      listening.forget();
      ask('sign out', ({ auth }) => auth.signOut());
    },
    signIn: (username: string | null) =>
      ask(`sign in as ${username}`, ({ auth }) =>
        username === null ? auth.asGuest() : auth.withName(username, 'correct horse'),
      ),
    choose: (choice: Choice) => ask(`choose ${choice}`, ({ conflict }) => choose(conflict, choice)),
    undo: () =>
      inPage(() => {
        device.network.allow(12);
        calls.track('undo', async () => {
          const [snapshot] = await client.account.snapshots();
          if (snapshot !== undefined) await client.account.restore(snapshot.id);
        });
      }),
    remove: () =>
      inPage(() => {
        const account = client.auth.userId;
        device.network.allow(12);
        calls.track(
          'delete',
          () => client.account.delete(),
          ({ recoveryCode }) => world.removed(account as string, recoveryCode),
        );
      }),
    restore: (code: string) =>
      ask('restore', ({ auth }) => auth.switchTo({ method: 'recovery', code }, { restore: true })),
    switchNetwork: (network: 'on' | 'off') =>
      inPage(() => {
        page.isOffline = network === 'off';
        device.network.allow(12);
        calls.trackResult(`network ${network}`, () => client.setNetwork(network) as Promise<Result>);
      }),
  };
}
