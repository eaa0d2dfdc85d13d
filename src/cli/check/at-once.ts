import type { FailureCode } from '../../protocol/failures.js';
import type { Answer } from './ask.js';
import { type Check, codeOf } from './contract.js';
import type { World } from './world.js';

const times = 8;

/**
 * A check that sends the same thing 8 times at once, of which so many have to succeed, and all others to be refused.
 */
export function atOnce(
  spec: string,
  what: string,
  { good, status, otherwise }: { good: number; status: number; otherwise: FailureCode },
  send: (world: World) => Promise<Answer>,
): Check {
  return {
    spec,
    what,
    expected: `${good} x ${status}, ${times - good} x ${otherwise}`,
    async look(world) {
      const all = await Promise.all(Array.from({ length: times }, () => send(world)));
      const succeeded = all.filter((answer) => answer.status === status).length;
      const refused = all.filter((answer) => codeOf(answer) === otherwise).length;
      return {
        holds: succeeded === good && refused === times - good,
        got: `${succeeded} x ${status}, ${refused} x ${otherwise}${succeeded + refused < times ? ', and others' : ''}`,
      };
    },
  };
}
