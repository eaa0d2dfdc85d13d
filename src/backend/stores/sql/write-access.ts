import type { WriteRefusal } from '../entry-requests.js';
import type { Owner, SessionKey } from '../records.js';
import { refusedWrite } from '../rules/write-access.js';
import { accountKey, lockAccount, whereAccount } from './accounts.js';
import type { RowLocks } from './row-locks.js';
import { firstRow, type Steps } from './statement.js';

/**
 * The condition under which a statement may write in an account: the player's session lives, and the account is
 * not being deleted. `$1` to `$3` are those of `accountKey`, `session` is the parameter of the session's id, null
 * for the game's back end.
 *
 * It locks both rows, the account's first as everybody does. A statement on PostgreSQL sees what was committed when
 * it began; of a row that it had to wait for it sees what is there now, and of no other. So the account's lock has
 * a choice in a conflict wait for the write, or the write for the choice; and the session's lock is what shows a
 * write that has waited that its session is gone. Writers take turns in an account: if they shared the lock, a
 * choice would wait for as long as they go on. `besides` is what else must hold of the account's row: it is the row
 * as it is once it is locked.
 */
export function writeAccess(session: string | null, { exclusive, present }: RowLocks, besides: string): string {
  const account = `EXISTS (SELECT 1 FROM @accounts
    WHERE ${whereAccount} AND deleted_at IS NULL AND ${besides} ${exclusive})`;
  if (session === null) return account;
  return `EXISTS (SELECT 1 FROM @sessions WHERE ${whereAccount} AND session_id = ${session} AND ${account} ${present})`;
}

/** The same in a transaction of several statements: locks the account, or says why it may not be written in. */
export function* lockForWrite(
  { owner, sessionId }: { owner: Owner; sessionId: string | null },
  { present }: RowLocks,
): Steps<WriteRefusal | null> {
  const account = yield* lockAccount(owner);
  const hasSession = sessionId !== null && (yield* lockSession({ ...owner, sessionId }, present));
  return refusedWrite(account, { sessionId, hasSession });
}

function* lockSession({ sessionId, ...owner }: SessionKey, present: string): Steps<boolean> {
  const text = `SELECT session_id FROM @sessions WHERE ${whereAccount} AND session_id = $4 ${present}`;
  return (yield* firstRow(text, ...accountKey(owner), sessionId)) !== null;
}
