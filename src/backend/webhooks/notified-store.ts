import { webhookDefaults } from '../../protocol/gaps/webhooks.js';
import type { Game } from '../game.js';
import type { Notice, Notifying } from '../stores/event-requests.js';
import type { OperatorChange, OperatorRequest } from '../stores/operator-requests.js';
import type { Scope } from '../stores/records.js';
import type { Store } from '../stores/store.js';
import { storeWith } from '../stores/store-with.js';

/** Says with a request which events the game's back end is told of. */
type WithNotice = <Request extends Notifying>(request: Request, of: Pick<Scope, 'gameId'>) => Request;

/**
 * A store that keeps what the games' back ends are told of, for the games that have a webhook: those who change
 * accounts need not know that. The store itself where no game has one.
 */
export function notifiedStore(
  store: Store,
  { games, now, newId }: { games: ReadonlyMap<string, Game>; now(): number; newId(): string },
): Store {
  if ([...games.values()].every(({ webhook }) => webhook === null)) return store;

  function noticeOf({ gameId }: Pick<Scope, 'gameId'>): Notice | null {
    const webhook = games.get(gameId)?.webhook ?? null;
    if (webhook === null) return null;
    const at = now();
    const ids = { eventId: newId(), orphanedEventId: newId(), restoredEventId: newId() };
    return { kinds: webhook.events, ...ids, at, expiresAt: at + webhookDefaults.webhookKeptMs };
  }

  const withNotice: WithNotice = (request, of) => {
    const notice = noticeOf(of);
    return notice === null ? request : { ...request, notice };
  };

  const own: Partial<Store> = {
    ensureCustomAccount: (request) => store.ensureCustomAccount(withNotice(request, request.custom)),
    linkMethod: (request) => store.linkMethod(withNotice(request, request.owner)),
    replaceLink: (request) => store.replaceLink(withNotice(request, request.owner)),
    restoreAccount: (request) => store.restoreAccount(withNotice(request, request.owner)),
    deleteAccount: (request) => store.deleteAccount(withNotice(request, request.session)),
    signInByCode: (request) => store.signInByCode(withNotice(request, request.scope)),
    cancelDeletion: (request) => store.cancelDeletion(withNotice(request, request.link)),
    resolveConflict: (request) => store.resolveConflict(withNotice(request, request.scope)),
    changeAsOperator: (request) => store.changeAsOperator(noticedChange(request, withNotice)),
  };
  return storeWith(store, own);
}

/** The changes of an operator that games are told of. */
type NoticedChange =
  | 'restoreAccount'
  | 'deleteAccount'
  | 'undelete'
  | 'banAccount'
  | 'unbanAccount'
  | 'mergeAccounts'
  | 'undoChoice';

const gameOf: { readonly [Change in NoticedChange]: (request: OperatorRequest<Change>['request']) => Scope } = {
  restoreAccount: ({ owner }) => owner,
  deleteAccount: ({ session }) => session,
  undelete: ({ owner }) => owner,
  banAccount: ({ owner }) => owner,
  unbanAccount: ({ owner }) => owner,
  mergeAccounts: ({ owner }) => owner,
  undoChoice: ({ owner }) => owner,
};

function noticedChange<Change extends OperatorChange>(
  asked: OperatorRequest<Change>,
  withNotice: WithNotice,
): OperatorRequest<Change> {
  if (!Object.hasOwn(gameOf, asked.change)) return asked;
  const { request, change } = asked as unknown as OperatorRequest<NoticedChange>;
  const scopeOf = gameOf[change] as (request: Notifying) => Scope;
  const noticed = withNotice(request as Notifying, scopeOf(request));
  return { ...asked, request: noticed as OperatorRequest<Change>['request'] };
}
