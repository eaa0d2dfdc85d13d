import { providerDefaults } from '../../protocol/gaps/providers.js';
import { DoesNotHold } from './check.js';
import { requireField } from './settings.js';

/** What is shown a week after it was signed says nothing of who shows it. */
const longestAgeSeconds = 604_800;

/** Reads a number of seconds from 1 to a week. */
export function readSeconds(name: string, text: string | undefined, byDefault: number): number {
  if (text === undefined) return byDefault;
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  requireField(seconds >= 1 && seconds <= longestAgeSeconds, name, 'a number of seconds from 1 to 604800');
  return seconds;
}

/** Refuses what was signed too long ago, or more than a minute in the future; `signedAt` is in seconds since 1970. */
export function checkAge(signedAt: unknown, now: number, maxAgeMs: number): void {
  if (typeof signedAt !== 'number') throw new DoesNotHold('It does not say when it was signed.');
  const ageMs = now - signedAt * 1000;
  if (ageMs > maxAgeMs) throw new DoesNotHold('It is too old.');
  if (ageMs < -providerDefaults.clockToleranceMs) throw new DoesNotHold('It is of the future.');
}
