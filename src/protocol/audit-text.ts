import type { JsonObject } from './messages.js';

/** What is a time, in ms since 1970, wherever an entry of the audit log has it. */
const times: ReadonlySet<string> = new Set(['at', 'until', 'deletedAt', 'orphanedAt', 'expiresAt']);

/** A part of an entry of the audit log, for somebody who reads it: JSON whose times are moments in UTC. */
export function auditText(part: JsonObject): string {
  return JSON.stringify(part, (name, value: unknown) =>
    times.has(name) && typeof value === 'number' ? momentOf(value) : value,
  );
}

/** A clock may have said what no calendar has. */
function momentOf(at: number): string | number {
  const moment = new Date(at);
  return Number.isNaN(moment.getTime()) ? at : `${moment.toISOString().slice(0, 19)}Z`;
}
