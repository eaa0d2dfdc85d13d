import type { Notes } from './notes.js';
import type { Player } from './player.js';
import { errorText } from './texts.js';

/** `text` is for the player: what went wrong, or what else there is to know. */
export type Outcome = { ok: boolean; text: string };

/** Who plays: each thing that a player can do about it is one call here. The panel only shows it. */
export interface Account {
  readonly state: Player['auth']['state'];
  readonly userId: string | null;
  /** The name that leads to the account; null for a guest, and where it is not known here. */
  readonly name: string | null;
  /** Whether only this device opens the account. */
  readonly isGuest: boolean;
  /** Whether this browser keeps nothing of a page that is closed. */
  readonly isForgotten: boolean;
  /** The name that a running sign-in is about. */
  readonly asked: string;
  /** As in "you still play as ada". */
  readonly playing: string;
  /** Links the name to this save; signed out, it opens the save of that name. */
  withName(name: string, password: string): Promise<Outcome>;
  switchTo(name: string, password: string): Promise<Outcome>;
  asGuest(): Promise<Outcome>;
  signOut(): Promise<Outcome>;
  /** Asks the service which name leads to the account; it is known here from then on, with or without a network. */
  learnName(): Promise<void>;
}

export function createAccount(player: Player, notes: Notes): Account {
  const { auth } = player;
  let asked = '';

  const noteOf = (userId: string): string => `name:${userId}`;
  /** A guest's is empty; null where the service was not asked yet. */
  const nameNow = (): string | null => (auth.userId === null ? null : notes.get(noteOf(auth.userId)));

  function playing(): string {
    if (auth.state === 'signedOut') return 'every save stays where it is';
    return `you still play ${nameNow() ? `as ${nameNow()}` : 'the save on this device'}`;
  }

  async function learnName(): Promise<void> {
    const { userId } = auth;
    if (userId === null) return;
    try {
      const methods = await player.account.methods();
      notes.set(noteOf(userId), methods.find(({ method }) => method === 'name')?.label ?? '');
    } catch {
      // Later, then: the name is for show.
    }
  }

  async function outcomeOf(result: Awaited<ReturnType<Player['auth']['withName']>>): Promise<Outcome> {
    if (!result.success) return { ok: false, text: errorText(result.error, playing()) };
    await learnName();
    return { ok: true, text: '' };
  }

  return {
    get state() {
      return auth.state;
    },
    get userId() {
      return auth.userId;
    },
    get name() {
      return nameNow() || null;
    },
    get isGuest() {
      return auth.state === 'guest' || nameNow() === '';
    },
    get isForgotten() {
      return player.storage.kind === 'memory';
    },
    get asked() {
      return asked;
    },
    get playing() {
      return playing();
    },
    learnName,
    async withName(name, password) {
      asked = name.trim();
      const problem = check(asked, password);
      return problem ?? outcomeOf(await auth.withName(asked, password));
    },
    async switchTo(name, password) {
      const username = name.trim();
      const problem = check(username, password);
      return problem ?? outcomeOf(await auth.switchTo({ method: 'name', username, password }));
    },
    asGuest: async () => outcomeOf(await auth.asGuest()),
    async signOut() {
      const who = nameNow() ? `${nameNow()} plays` : 'you play as guest';
      const result = await auth.signOut();
      if (!result.success) return outcomeOf(result);
      const owed = `What could not be sent yet stays on this device. It goes out when ${who} here again.`;
      return { ok: true, text: result.unsent > 0 ? owed : '' };
    },
  };
}

/** What can be said without asking the service. */
function check(name: string, password: string): Outcome | null {
  if (name === '') return { ok: false, text: 'Please type a name.' };
  if (password.length < 8) return { ok: false, text: 'A password has at least 8 characters.' };
  return null;
}
