import { isSdkError } from 'savepoint';

/** What went wrong, in the player's words. `playing` says who plays on, as in "You still play as ada". */
export function errorText(error: unknown, playing: string): string {
  const code = isSdkError(error) ? error.code : 'unknown';
  const wait = isSdkError(error) && 'retryAfterMs' in error ? Number(error.retryAfterMs) : Number.NaN;
  switch (code) {
    case 'invalid_credentials':
      return `No save opens with this name and this password. Nothing is lost: ${playing}.`;
    case 'method_already_linked':
      return `This save already has a name, and it can have only one. Nothing has changed: ${playing}.`;
    case 'conflict_cancelled':
      return `You put the choice off. Nothing has changed: ${playing}.`;
    case 'conflict_expired':
    case 'conflict_stale':
      return `Something changed while you were choosing, so nothing was done: ${playing}. Please try again.`;
    case 'merge_failed':
    case 'merge_not_allowed':
      return `These two saves cannot be merged: ${playing}. Please choose one of them.`;
    case 'not_found':
      return `It is not kept any more: ${playing}.`;
    case 'rate_limited':
      return Number.isFinite(wait)
        ? `Too many tries. Please wait ${Math.ceil(wait / 1000)} seconds; nothing is lost.`
        : 'Too many tries. Please wait a little; nothing is lost.';
    case 'network':
    case 'timeout':
    case 'unavailable':
      return `The service cannot be reached. Nothing is lost: ${playing}. Please try again.`;
    case 'password_too_short': {
      const least = isSdkError(error) && 'minLength' in error ? Number(error.minLength) : 8;
      return `A password has at least ${least} characters.`;
    }
    case 'name_not_allowed':
      return nameText(isSdkError(error) && 'reason' in error ? String(error.reason) : '');
    default:
      return `That did not work (${code}). Nothing has changed: ${playing}.`;
  }
}

function nameText(reason: string): string {
  if (reason === 'too_long') return 'This name is too long.';
  if (reason === 'invisible_characters') return 'This name has characters that nobody can see. Please type it anew.';
  return 'This name cannot be used. Please try another one.';
}

/** "just now", "3 minutes ago". */
export function ago(then: number, now: number): string {
  const steps: [number, Intl.RelativeTimeFormatUnit][] = [
    [86_400_000, 'day'],
    [3_600_000, 'hour'],
    [60_000, 'minute'],
  ];
  const passed = Math.max(0, now - then);
  for (const [size, unit] of steps) {
    if (passed >= size) return new Intl.RelativeTimeFormat('en').format(-Math.floor(passed / size), unit);
  }
  return 'just now';
}

export function coinCount(coins: number): string {
  return coins === 1 ? '1 coin' : `${coins} coins`;
}

/** "23 coins, level 2": how a save is told from another. */
export function progressText({ coins, level }: { coins: number; level: number }): string {
  return `${coinCount(coins)}, level ${level}`;
}

const methodNames: Readonly<Record<string, string>> = {
  device: 'device',
  name: 'name',
  identity: 'identity',
  social: 'social network',
  custom: 'game account',
};

/** "device, name": the ways into an account. */
export function waysIn(methods: readonly string[]): string {
  return methods.map((method) => methodNames[method] ?? method).join(', ') || 'nothing';
}

/** The start of a user's id is enough to tell two players apart. */
export function shortId(userId: string): string {
  return userId.slice(0, 8);
}
