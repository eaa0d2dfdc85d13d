import * as jose from 'jose';
import { UnusableAnswer } from '../../http/request-json.js';
import { Unreachable } from '../../http/unreachable.js';
import { serviceSizes } from '../../protocol/gaps/service-sizes.js';
import { NoAnswerInTime } from '../providers/ask-outside.js';
import { KeysUnavailable } from '../providers/provider-keys.js';
import type { SocialContext } from '../providers/social.js';
import type { CheckStep, PlatformCheck, PlatformPlayer } from './preset.js';

/** A token does not hold. The message says why, and has nothing secret in it. */
export class DoesNotHold extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DoesNotHold';
  }
}

/** The platform answered, but with nothing that says whether the token holds. The message has nothing secret in it. */
export class UnknownAnswer extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnknownAnswer';
  }
}

/** The platform could not be asked. The message names the step; what was thrown may hold the token, and is left out. */
class PlatformUnavailable extends Error {
  constructor(title: string, step: string, why: string) {
    super(`${title}: it could not be found out whether this holds: ${step}. ${why}`);
    this.name = 'PlatformUnavailable';
  }
}

/** The steps of a check by their names, in the order in which they are taken, each as `explain` shows it. */
export type Steps<Name extends string> = { readonly [Step in Name]: string };

/** Says which step is taken from now on. Whatever is thrown until the next one is what this one has failed by. */
export type At<Name extends string> = (step: Name) => void;

/**
 * Makes both ways of a check, `verify` and `explain`, of one function: they cannot differ. It answers whose token it
 * is, throws DoesNotHold for a token that does not hold, and anything else where that could not be found out.
 */
export function createCheck<Name extends string>(
  title: string,
  steps: Steps<Name>,
  check: (token: string, context: SocialContext, at: At<Name>) => Promise<PlatformPlayer>,
): PlatformCheck {
  const names = Object.keys(steps) as Name[];

  async function take(token: string, context: SocialContext): Promise<Outcome> {
    let step = 0;
    try {
      if (token.length > serviceSizes.credentialTokenLength) throw new DoesNotHold('It is longer than any token.');
      const player = await check(token, context, (name) => {
        step = names.indexOf(name);
      });
      return { player, step: names.length, failure: null };
    } catch (failure) {
      return { player: null, step, failure };
    }
  }

  const stepAt = (index: number): string => steps[names[index] as Name];

  return {
    async verify(token, context) {
      const { player, step, failure } = await take(token, context);
      if (player !== null || failure instanceof DoesNotHold) return player;
      throw new PlatformUnavailable(title, stepAt(step), whyOf(failure));
    },
    async explain(token, context) {
      const { player, step, failure } = await take(token, context);
      return {
        player,
        steps: names.map((_, index): CheckStep => {
          if (index < step) return { step: stepAt(index), result: 'passed' };
          if (index > step) return { step: stepAt(index), result: 'not_reached' };
          return { step: stepAt(index), result: 'failed', detail: whyOf(failure) };
        }),
      };
    },
  };
}

interface Outcome {
  player: PlatformPlayer | null;
  /** The step that failed, or how many there are. */
  step: number;
  failure: unknown;
}

/** What may be told of a failure: only what was written here, since anything else may hold the token. */
function whyOf(failure: unknown): string {
  if (failure instanceof KeysUnavailable) return whyOf(failure.cause);
  if (failure instanceof DoesNotHold || failure instanceof UnknownAnswer || failure instanceof UnusableAnswer) {
    return failure.message;
  }
  if (failure instanceof Unreachable || failure instanceof NoAnswerInTime) return 'No answer came in time, or none.';
  if (failure instanceof jose.errors.JOSEError) return 'The published keys cannot be read.';
  return 'Something failed that should not.';
}
