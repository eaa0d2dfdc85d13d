import { operations } from '../../protocol/operations.js';
import { bearer } from '../wire.js';
import type { Area, Check, Finding } from './contract.js';
import type { Visit } from './deployment.js';
import { member } from './facts.js';
import { NotThere } from './world.js';

export interface Row extends Finding {
  area: string;
  spec: string;
  what: string;
  expected: string;
}

/**
 * Makes the checks one after the other, since each may need what the ones before it were answered.
 * Stops where it is asked to.
 */
export async function* rowsOf(areas: readonly Area[], world: Visit, stop: AbortSignal): AsyncGenerator<Row> {
  for (const area of areas) {
    for (const check of area.checks) {
      if (stop.aborted) return;
      const { spec, what, expected } = check;
      yield { area: area.name, spec, what, expected, ...(await looked(check, world)) };
    }
  }
}

async function looked(check: Check, world: Visit): Promise<Finding> {
  try {
    return await check.look(world);
  } catch (error) {
    if (error instanceof NotThere) return { holds: false, got: 'not asked: what it needs did not go right' };
    return { holds: false, got: `no answer (${whyNoAnswer(error)})` };
  }
}

export function whyNoAnswer(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException;
  return name === 'AbortError' || name === 'TimeoutError' ? 'not within 10 s' : (code ?? 'the connection was lost');
}

/** What is left of an account. */
export interface Remains {
  userId: string;
  /** When the service removes it; null where it could not be deleted. */
  removedAt: number | null;
}

/** Deletes the accounts that were made, whatever came of the checks. */
export async function cleanUp(world: Visit): Promise<Remains[]> {
  const remains: Remains[] = [];
  for (const [userId, tokens] of world.accounts()) {
    remains.push({ userId, removedAt: await removed(world, tokens) });
  }
  return remains;
}

async function removed(world: Visit, tokens: readonly string[]): Promise<number | null> {
  for (const token of tokens) {
    try {
      const answer = await world.toAuth({
        method: 'DELETE',
        path: operations.readAccount.path,
        headers: [bearer(token)],
      });
      const at = member(answer.json, 'removedAt');
      if (answer.status === 200 && typeof at === 'number') return at;
    } catch {
      // Another session may still get through.
    }
  }
  return null;
}
