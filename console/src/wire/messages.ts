/** What the console's gateway answers besides the admin API. */
import * as z from 'zod/mini';
import { operatorScopes } from '../../../src/protocol/admin-messages.js';

const devFacts = z.object({
  url: z.string(),
  lanUrls: z.array(z.string()),
  gameId: z.string(),
  privateKey: z.nullable(z.string()),
  store: z.string(),
  seeded: z.array(z.object({ username: z.string(), password: z.string() })),
  faults: z.nullable(z.string()),
});

/** What a service for development says of itself. */
export type DevFacts = z.infer<typeof devFacts>;

export const sessionAnswer = z.object({
  mode: z.enum(['dev', 'serve']),
  operator: z.nullable(z.object({ name: z.string(), scope: z.enum(operatorScopes) })),
  csrf: z.nullable(z.string()),
  games: z.array(z.string()),
  expiresAt: z.nullable(z.number()),
  dev: z.nullable(devFacts),
});

/** Who uses the console, and with which service. */
export type Session = z.infer<typeof sessionAnswer>;

/** Whether two sessions are of one operator, who may do the same in both. */
export function isSameOperator({ operator }: Session, other: Session | null): boolean {
  return operator?.name === other?.operator?.name && operator?.scope === other?.operator?.scope;
}

export const overviewAnswer = z.object({
  storeKind: z.string(),
  storeBytes: z.nullable(z.number()),
  processes: z.object({ told: z.number(), of: z.number() }),
  uptimeMs: z.number(),
  memoryBytes: z.number(),
  version: z.string(),
  players: z.record(z.string(), z.number()),
  requests: z.array(
    z.object({
      time: z.number(),
      count: z.number(),
      errors: z.number(),
      p50: z.nullable(z.number()),
      p99: z.nullable(z.number()),
    }),
  ),
});

/** How the service is at present. */
export type ServiceOverview = z.infer<typeof overviewAnswer>;

export const faultPlansAnswer = z.object({
  plans: z.array(
    z.object({
      route: z.nullable(z.string()),
      player: z.nullable(z.string()),
      fault: z.enum(['offline', 'slow', 'lost_answer', 'malformed', 'code']),
      ms: z.optional(z.number()),
      code: z.optional(z.string()),
      share: z.number(),
    }),
  ),
  /** Every code that the service refuses with. */
  codes: z.array(z.string()),
});

export const limitsAnswer = z.object({
  set: z.array(z.object({ of: z.string(), name: z.string(), value: z.string() })),
  unused: z.array(z.string()),
});

/** The limits that the service's settings name, and what is not in use at all; all others have their defaults. */
export type LimitsInUse = z.infer<typeof limitsAnswer>;

/** What goes wrong on purpose, and what may. */
export type PlannedFaults = z.infer<typeof faultPlansAnswer>;

/** Requests that go wrong on purpose. */
export type FaultPlan = z.infer<typeof faultPlansAnswer>['plans'][number];

export const clockAnswer = z.object({ now: z.number(), offsetMs: z.number() });

const headerList = z.record(z.string(), z.string());

export const seenRequest = z.object({
  id: z.union([z.string(), z.number()]),
  time: z.number(),
  method: z.string(),
  route: z.nullable(z.string()),
  path: z.string(),
  status: z.nullable(z.number()),
  code: z.nullable(z.string()),
  ms: z.number(),
  game: z.nullable(z.string()),
  user: z.nullable(z.string()),
  details: z.nullable(
    z.object({
      requestHeaders: headerList,
      requestBody: z.nullable(z.string()),
      /** So many bytes has a body that the service has not read. */
      unreadBytes: z.optional(z.number()),
      responseHeaders: headerList,
      responseBody: z.nullable(z.string()),
      signature: z.nullable(z.record(z.string(), z.string())),
    }),
  ),
});

/** A request that the service has answered. */
export type SeenRequest = z.infer<typeof seenRequest>;

const texts = z.record(z.string(), z.string());

export const wordsAnswer = z.object({
  failures: texts,
  sentences: texts,
  presets: z.record(
    z.string(),
    z.object({
      title: z.optional(z.string()),
      help: z.string(),
      fields: z.record(z.string(), z.array(z.string())),
    }),
  ),
  limits: z.record(z.string(), texts),
});
