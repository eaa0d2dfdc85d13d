import type { Owner } from '../records.js';
import type { WriteRefusal } from '../requests.js';
import { refusedWrite } from '../rules/write-access.js';
import { accountKey, lockAccount, whereAccount } from './accounts.js';
import type { RowLocks } from './row-locks.js';
import { firstRow, type Steps } from './statement.js';

/**
 * The condition under which a statement may write in an account: the player's session lives, and the account is not being
 * deleted. `$1` to `$3` are those of `accountKey`, `session` is the parameter of the session's id, null for the game's
 * back end.
 *
 * It locks both rows, the account's first as everybody does. A statement on PostgreSQL sees what was committed when it
 * began; of a row that it had to wait for it sees what is there now, and of no other. So the account's lock has a choice
 * in a conflict wait for the write, or the write for the choice; and the session's lock is what shows a write that has
 * waited that its session is gone. Writers take turns in an account: if they shared the lock, a choice would wait for as long
 * as they go on.
 */
export function writeAccess(session: string | null, { exclusive, present }: RowLocks): string {
  const account = `EXISTS (SELECT 1 FROM @accounts WHERE ${whereAccount} AND deleted_at IS NULL ${exclusive})`;
  if (session === null) return account;
  return `EXISTS (SELECT 1 FROM @sessions WHERE ${whereAccount} AND session_id = ${session} AND ${account} ${present})`;
}

/** The same in a transaction of several statements: locks the account, and says why it may not be written in, if so. */
export function* lockForWrite(
  { owner, sessionId }: { owner: Owner; sessionId: string | null },
  { present }: RowLocks,
): Steps<WriteRefusal | null> {
  const account = yield* lockAccount(owner);
  if (sessionId === null) return refusedWrite(account, { sessionId, hasSession: false });
  const text = `SELECT session_id FROM @sessions WHERE ${whereAccount} AND session_id = $4 ${present}`;
  const session = yield* firstRow(text, ...accountKey(owner), sessionId);
  return refusedWrite(account, { sessionId, hasSession: session !== null });
}
