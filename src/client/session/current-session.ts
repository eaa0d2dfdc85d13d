import { SdkError, StateError } from '../../errors.js';
import type { ConflictSides } from '../../protocol/conflict.js';
import { accessTokens } from '../../protocol/gaps/access-tokens.js';
import type { PlayerAuthAnswer } from '../../protocol/player-messages.js';
import type { ClientEvents } from '../client-events.js';
import type { ExternalValues } from '../config.js';
import type { EventSource } from '../events.js';
import type { Platform } from '../platform/platform.js';
import { readClaims } from './access-token.js';
import { type Basis, emptyRecord, type Session, type SessionRecord, type SessionStore } from './session-store.js';
import {
  type Effect,
  type InitializedReason,
  type State,
  type StateName,
  type Trigger,
  transition,
} from './state-machine.js';

/** What a change of account asks of the other rooms. */
export interface SessionEffects {
  closeConflict(): void;
  raiseConflict(): void;
  revoke(session: Session): void;
  /** Empties what was loaded of the account before, and loads it again for this one. */
  reload(): Promise<void>;
  /** The session or its tokens are others now. */
  changed(): void;
}

export interface CurrentSession {
  readonly session: Session | null;
  readonly state: State;
  /** The account that the device's own id leads to, as far as is known. */
  readonly deviceUserId: string | null;
  /** Whether the account is another already than the one that the game was last told of by `initialized`. */
  readonly isSwitching: boolean;
  /** The service's clock, ms since 1970. */
  serverTime(): number;
  /** Reads what is stored; `restore` takes the session over, and gives back the conflict that was open in it. */
  open(options: { restore: boolean }): Promise<ConflictSides | null>;
  /**
   * Carries out a trigger of Spec 3, to the account of the session given. In memory it holds at once; the promise settles
   * after the events.
   */
  apply(
    trigger: { readonly type: Exclude<Trigger['type'], 'adopt'> },
    change: { session: Session | null; deviceUserId?: string | null },
  ): Promise<void>;
  /** The same for a conflict: it is kept for the next start, until it ends. The account stays as it is. */
  applyConflict(type: 'conflict' | 'close', sides: ConflictSides): Promise<void>;
  /** Takes new tokens for the same account. */
  renew(session: Session): Promise<void>;
  /** Takes over what another tab has stored. */
  sync(): Promise<void>;
  read(answer: PlayerAuthAnswer, method: string): Session;
  readExternal(userId: string, values: ExternalValues): Session;
  dispose(): void;
}

export function createCurrentSession(
  store: SessionStore,
  platform: Platform,
  emit: EventSource<ClientEvents>['emit'],
  effects: SessionEffects,
): CurrentSession {
  let record: SessionRecord = emptyRecord;
  let state: State = { name: 'starting' };
  let announced: StateName = state.name;
  let toldOf: string | null = null;
  let clockOffset = 0;
  /** Whether this tab's own conflict is stored. */
  let isKept = false;
  let saves = 0;
  let disposed = false;

  const userId = (): string | null => record.session?.userId ?? null;
  const methodsOf = (user: string): string[] | undefined => (user === userId() ? record.session?.methods : undefined);

  function announce(): void {
    if (state.name === announced || disposed) return;
    const previous = announced;
    announced = state.name;
    emit('stateChanged', { state: announced, previous });
  }

  /** Changes memory at once; what has to wait is in the promise. */
  async function carryOut(type: Trigger['type'], next: SessionRecord, save?: () => Promise<void>): Promise<void> {
    const { session } = next;
    const trigger = { type, linked: isLinked(session), sameAccount: session?.userId === userId() };
    const step = disposed ? null : transition(state, trigger as Trigger);
    if (step === null) throw superseded();
    const before = record.session;
    state = step.state;
    record = next;
    effects.changed();
    for (const effect of step.effects) await perform(effect, before, next, save);
    announce();
  }

  async function perform(
    effect: Effect,
    before: Session | null,
    mine: SessionRecord,
    save: (() => Promise<void>) | undefined,
  ): Promise<void> {
    switch (effect) {
      case 'save':
        return save?.();
      case 'closeConflict':
        return effects.closeConflict();
      case 'revoke':
        return before === null ? undefined : effects.revoke(before);
      case 'reload':
        return effects.reload();
      case 'raiseConflict':
        announce();
        return effects.raiseConflict();
      case 'raiseExpired':
        announce();
        return emit('sessionExpired', { userId: before?.userId as string });
      default: {
        announce();
        // While the profile was loading, the account can have become another.
        const user = mine.session?.userId;
        if (user === undefined || user !== userId() || disposed) return;
        toldOf = user;
        return emit('initialized', { userId: user, reason: effect.split(':')[1] as InitializedReason });
      }
    }
  }

  async function save(mine: SessionRecord, basis: Basis): Promise<void> {
    saves += 1;
    const { dropped, stored } = await store.save({ ...mine, clockOffset }, basis);
    saves -= 1;
    if (!dropped) {
      if (record === mine) record = stored;
      return;
    }
    // Spec gap: a write based on an older generation is dropped; what is stored holds here too.
    if (stored.generation >= record.generation) await adopt(stored);
    if (userId() !== (mine.session?.userId ?? null)) throw superseded();
  }

  async function adopt(stored: SessionRecord): Promise<void> {
    if (stored.session !== null) return carryOut('adopt', stored);
    if (record.session !== null) return carryOut('adoptSignOut', stored);
    record = stored;
  }

  /** Carries out what this tab has decided, and stores it. */
  function change(type: Trigger['type'], next: SessionRecord): Promise<void> {
    const { generation } = record;
    // A sign-out counts, whatever another tab has written in the meantime.
    const always = type === 'signOut' || type === 'end';
    return carryOut(type, next, () => save(next, { generation, always, keepsConflict: type !== 'local' }));
  }

  const current: CurrentSession = {
    get session() {
      return record.session;
    },
    get state() {
      return state;
    },
    get deviceUserId() {
      return record.deviceUserId;
    },
    get isSwitching() {
      return toldOf !== null && userId() !== null && toldOf !== userId();
    },
    serverTime: () => platform.now() + clockOffset,
    open: async ({ restore }) => {
      const stored = await store.read();
      clockOffset = stored.clockOffset;
      if (stored.session === null || !restore) {
        record = { ...stored, session: null };
        return null;
      }
      await carryOut('restore', stored);
      const { conflict } = stored;
      if (conflict === null || conflict.expiresAt > current.serverTime()) return conflict;
      await store.keepConflict(conflict, false);
      return null;
    },
    apply: ({ type }, account) => change(type, { ...record, ...account, generation: record.generation + 1 }),
    applyConflict: (type, sides) => {
      isKept = false;
      return carryOut(type, record, async () => {
        await store.keepConflict(sides, type === 'conflict');
        isKept = type === 'conflict';
      });
    },
    renew: (session) => change('renew', { ...record, session }),
    sync: async () => {
      const stored = await store.read();
      // What this tab is just writing finds out by itself, and is not undone by what was there before it.
      if (disposed || saves > 0) return;
      // It was ended in another tab, which had known it again at its start.
      if (isKept && stored.conflict === null) effects.closeConflict();
      if (state.name === 'starting') {
        // Nobody is here yet; only what is written next must not count as old.
        record = { ...stored, session: null };
        return;
      }
      const other = stored.session?.userId !== userId();
      const ahead = stored.generation - record.generation;
      if (ahead > 0 || (ahead === 0 && other)) {
        adopt(stored).catch(() => {});
      } else if (ahead === 0 && (stored.session?.expiresAt ?? 0) > (record.session?.expiresAt ?? 0)) {
        record = stored;
        effects.changed();
      }
    },
    read: (answer, method) => {
      clockOffset = answer.time - platform.now();
      const { userId: user, accessToken, refreshToken, country } = answer;
      const expiresAt = expiryOf(accessToken, answer.time);
      const methods = answer.methods ?? [...new Set([...(methodsOf(user) ?? []), method])];
      return { userId: user, accessToken, refreshToken, expiresAt, methods, country };
    },
    readExternal: (user, { accessToken, country, serverTime }) => {
      const { sub } = readClaims(accessToken);
      if (typeof sub === 'string' && sub.toLowerCase() !== user.toLowerCase()) {
        throw new StateError('invalid_argument', 'The access token is for another user.');
      }
      if (serverTime !== undefined) clockOffset = serverTime - platform.now();
      return {
        userId: user,
        accessToken,
        refreshToken: null,
        expiresAt: expiryOf(accessToken, current.serverTime()),
        methods: methodsOf(user) ?? ['custom'],
        country: country ?? null,
      };
    },
    dispose: () => {
      disposed = true;
      record = emptyRecord;
    },
  };
  return current;
}

/** Whether the player has linked a method: the device, the game's own user id and a recovery code are none. */
function isLinked(session: Session | null): boolean {
  return session?.methods.some((method) => !['device', 'custom', 'recovery'].includes(method)) === true;
}

export function notAuthenticated(): StateError {
  return new StateError('not_authenticated', 'Nobody is authenticated.');
}

export function superseded(): SdkError {
  return new SdkError('aborted', 'The account was signed out or switched in the meantime.');
}

/** Spec gap: a token that does not say when it ends lives an hour. */
function expiryOf(accessToken: string, now: number): number {
  const { exp } = readClaims(accessToken);
  return typeof exp === 'number' ? exp * 1000 : now + accessTokens.accessTtlMs;
}
