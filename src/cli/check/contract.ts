import { type FailureCode, failures } from '../../protocol/failures.js';
import type { Answer } from './ask.js';
import { type Fact, problemFacts } from './facts.js';
import type { World } from './world.js';

export interface Finding {
  holds: boolean;
  got: string;
  /** What an operator has set in one way or another, where either is right. */
  note?: string;
  /** Only where nothing was asked; `note` says why, and what to give. */
  wasAsked?: false;
}

/** Where a visitor cannot or had better not ask: it says nothing of the service. */
export function notAsked(note: string): Finding {
  return { holds: true, wasAsked: false, got: 'not asked', note };
}

/** One row of the table. */
export interface Check {
  what: string;
  /** The paragraph of the spec, or `gap` for what it leaves open. */
  spec: string;
  expected: string;
  /** Takes half a minute: left out by --quick. */
  isSlow?: boolean;
  /** Counts as a wrong password of this address: left out where these are used up on purpose. */
  isTry?: boolean;
  look(world: World): Promise<Finding>;
}

/** Checks that belong together, in the order in which they are made. */
export interface Area {
  name: string;
  checks: readonly Check[];
}

export interface Expected {
  status: number;
  code?: FailureCode;
  facts: readonly Fact[];
}

export function answers(status: number, ...facts: Fact[]): Expected {
  return { status, facts };
}

export function refuses(code: FailureCode, ...facts: Fact[]): Expected {
  return { status: failures[code].status, code, facts };
}

/** A check that sends one request. */
export function check(
  spec: string,
  what: string,
  expected: Expected,
  send: (world: World) => Promise<Answer>,
  { remember, isSlow = false, isTry = false }: { remember?: string; isSlow?: boolean; isTry?: boolean } = {},
): Check {
  return {
    what,
    spec,
    isSlow,
    isTry,
    expected: textOf(expected),
    async look(world) {
      const answer = await send(world);
      const finding = compare(expected, answer, world);
      if (finding.holds && remember !== undefined) world.remember(remember, answer);
      return finding;
    },
  };
}

export function compare({ status, code, facts }: Expected, answer: Answer, world: World): Finding {
  const got = [`${answer.status}`, codeOf(answer)].filter((part) => part !== '').join(' ');
  const retry = answer.headers['retry-after'];
  if (answer.status === 429 && status !== 429) return { holds: false, got: `${got}, to be tried again in ${retry} s` };
  if (answer.status !== status) return { holds: false, got };
  const all = code === undefined ? facts : [...problemFacts(code), ...facts];
  const wrong = all.map((fact) => fact.wrong(answer, world)).filter((found) => found !== null);
  return wrong.length === 0 ? { holds: true, got } : { holds: false, got: `${got}, but ${wrong.join(', ')}` };
}

export function textOf({ status, code, facts }: Expected): string {
  const said = facts.map(({ says }) => says).filter((text) => text !== '');
  return [[status, code].filter((part) => part !== undefined).join(' '), ...said].join(', ');
}

/** A code of ours, or nothing: what somebody else's service says may be anything. */
export function codeOf({ json }: Answer): string {
  const code = (json as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code : '';
}
