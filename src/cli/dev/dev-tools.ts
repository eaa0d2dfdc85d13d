import { readBody } from '../../backend/http/body.js';
import type { Control } from '../../backend/index.js';
import { Refusal } from '../../backend/refusal.js';
import { failures } from '../../protocol/failures.js';
import type { AskedByOperator, ConsoleRoute } from '../console/options.js';
import { type PlannedFault, planFaults } from './faults.js';

export interface DevToolsOptions {
  control(): Control;
  /** The plans that count when it starts. */
  plans: readonly PlannedFault[];
  storeKind: string;
  /** Empties the store; the service begins anew. */
  reset(): Promise<void>;
}

/** A body of a tool has at most so many bytes. */
const bodyBytes = 64 * 1024;
const maxPlans = 50;
const maxSlowMs = 60_000;
/** The furthest that one request moves the clock. */
const maxMoveMs = 10 * 366 * 24 * 60 * 60 * 1000;

/** What a developer may do with the running service from the console: let requests fail, move the clock, begin anew. */
export function createDevTools({ control, plans: first, storeKind, reset }: DevToolsOptions): {
  readonly [path: string]: ConsoleRoute;
} {
  let plans = first;
  let offsetMs = 0;
  planFaults(control(), plans);

  const clock = () => Response.json({ now: control().now(), offsetMs });

  return {
    'dev/faults': {
      GET: () => Response.json({ plans, codes }),
      async PUT(asked) {
        const given = readPlans(await bodyOf(asked));
        try {
          planFaults(control(), given);
        } catch (error) {
          // What was planned before goes on.
          planFaults(control(), plans);
          if (error instanceof TypeError) throw invalid(error.message);
          throw error;
        }
        plans = given;
        return Response.json({ plans, codes });
      },
    },

    'dev/clock': {
      GET: clock,
      async POST(asked) {
        const { moveMs } = await bodyOf(asked);
        if (!Number.isSafeInteger(moveMs) || (moveMs as number) < 0 || (moveMs as number) > maxMoveMs) {
          throw invalid('moveMs must be an integer from 0 to ten years: the clock goes forward alone.');
        }
        control().advance(moveMs as number);
        offsetMs += moveMs as number;
        return clock();
      },
    },

    'dev/reset': {
      async POST(asked) {
        const { confirm } = await bodyOf(asked);
        if (storeKind !== 'memory' && confirm !== 'reset') {
          throw invalid('The store is kept when the service stops: to empty it, send { "confirm": "reset" }.');
        }
        await reset();
        offsetMs = 0;
        planFaults(control(), plans);
        return new Response(null, { status: 204 });
      },
    },
  };
}

async function bodyOf({ request, operator }: AskedByOperator): Promise<{ [name: string]: unknown }> {
  if (operator.scope !== 'admin')
    throw new Refusal('insufficient_scope', { detail: 'It needs a key with the scope admin.' });
  const { json } = (await readBody(request, bodyBytes)).parse();
  return isObject(json) ? json : {};
}

function readPlans({ plans }: { [name: string]: unknown }): PlannedFault[] {
  if (!Array.isArray(plans) || plans.length > maxPlans) throw invalid(`plans must be a list of at most ${maxPlans}.`);
  return plans.map((plan, index) => readPlan(plan, `plans[${index}]`));
}

/** What can be planned to be refused with. */
const codes = Object.keys(failures);

const faultKinds: readonly unknown[] = ['offline', 'slow', 'lost_answer', 'malformed', 'code'];

function readPlan(plan: unknown, at: string): PlannedFault {
  if (!isObject(plan)) throw invalid(`${at} must be a plan.`);
  const { route = null, player = null, fault, ms, code, share = 1 } = plan;
  const isText = (value: unknown): boolean => value === null || typeof value === 'string';
  if (!isText(route) || !isText(player)) throw invalid(`${at}: route and player must be texts, or null.`);
  if (!faultKinds.includes(fault)) throw invalid(`${at}.fault must be one of: ${faultKinds.join(', ')}.`);
  if (typeof share !== 'number' || !(share >= 0 && share <= 1)) throw invalid(`${at}.share must be from 0 to 1.`);
  const isMs = ms === undefined || (Number.isSafeInteger(ms) && (ms as number) > 0 && (ms as number) <= maxSlowMs);
  if (!isMs) throw invalid(`${at}.ms must be an integer from 1 to ${maxSlowMs}.`);
  const isCode = fault === 'code' ? typeof code === 'string' && Object.hasOwn(failures, code) : code === undefined;
  if (!isCode) throw invalid(`${at}.code must be a code of the service, with the fault code alone.`);
  return {
    route,
    player,
    fault,
    share,
    ...(ms === undefined ? {} : { ms }),
    ...(code === undefined ? {} : { code }),
  } as PlannedFault;
}

function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === 'object' && value !== null;
}

function invalid(detail: string): Refusal {
  return new Refusal('invalid_request', { detail });
}
