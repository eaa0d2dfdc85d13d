import type { createNameTags } from './name-tags.js';
import type { Player } from './player.js';
import type { Saves } from './saves.js';
import { errorText } from './texts.js';

export type Outcome = { ok: true } | { ok: false; text: string };

/** Who plays: each thing that a player can do about it is one call here. The panel only shows it. */
export interface Account {
  readonly state: Player['auth']['state'];
  readonly userId: string | null;
  /** The name this account was opened with; null for a guest, and where it is not known here. */
  readonly name: string | null;
  /** Whether only this device opens the account. */
  readonly isGuest: boolean;
  /** The name that a running sign-in is about. */
  readonly asked: string;
  /** As in "you still play as ada". */
  readonly playing: string;
  /** Links the name to this save; signed out, it opens the save of that name. */
  withName(name: string, password: string): Promise<Outcome>;
  switchTo(name: string, password: string): Promise<Outcome>;
  asGuest(): Promise<Outcome>;
  signOut(): Promise<Outcome>;
  /** The name opens another account from now on. */
  forgetName(): void;
}

export interface AccountOptions {
  player: Player;
  saves: Saves;
  tags: ReturnType<typeof createNameTags>;
}

export function createAccount({ player, saves, tags }: AccountOptions): Account {
  const { auth } = player;
  let asked = '';

  /** A name that was lost is remembered as an empty one. */
  const tagNow = (): string | null => (auth.userId === null ? null : tags.get(auth.userId));
  const nameNow = (): string | null => (auth.state === 'guest' ? null : tagNow() || null);

  function playing(): string {
    if (auth.state === 'signedOut') return 'every save stays where it is';
    const name = nameNow();
    return name === null ? 'you still play the save on this device' : `you still play as ${name}`;
  }

  async function signIn(name: string, password: string): Promise<Outcome> {
    asked = name;
    const result = await auth.withName(name, password);
    if (!result.success) return failed(result.error);
    tags.set(result.userId, name);
    return { ok: true };
  }

  function failed(error: unknown): Outcome {
    return { ok: false, text: errorText(error, playing()) };
  }

  return {
    get state() {
      return auth.state;
    },
    get userId() {
      return auth.userId;
    },
    get name() {
      return nameNow();
    },
    get isGuest() {
      return auth.state === 'guest' || tagNow() === '' || (auth.state === 'conflict' && nameNow() === null);
    },
    get asked() {
      return asked;
    },
    get playing() {
      return playing();
    },
    forgetName() {
      if (auth.userId !== null) tags.set(auth.userId, '');
    },
    async withName(name, password) {
      const problem = check(name, password);
      if (problem !== null) return problem;
      // What is new goes first: a conflict should show what this device really holds.
      if (auth.isAuthorized) await saves.save();
      return signIn(name.trim(), password);
    },
    async switchTo(name, password) {
      const problem = check(name, password);
      if (problem !== null) return problem;
      if (!(await saves.save())) {
        return { ok: false, text: `Your latest coins could not be saved yet: ${playing()}. Please try again.` };
      }
      const left = await auth.signOut();
      if (!left.success) return failed(left.error);
      const outcome = await signIn(name.trim(), password);
      return outcome.ok ? outcome : { ok: false, text: `${outcome.text} You are signed out meanwhile.` };
    },
    async asGuest() {
      const result = await auth.asGuest();
      return result.success ? { ok: true } : failed(result.error);
    },
    async signOut() {
      const result = await auth.signOut();
      return result.success ? { ok: true } : failed(result.error);
    },
  };
}

/** What can be said without asking the service. */
function check(name: string, password: string): Outcome | null {
  if (name.trim() === '') return { ok: false, text: 'Please type a name.' };
  if (password.length < 8) return { ok: false, text: 'A password has at least 8 characters.' };
  return null;
}
