import type { LogRecord } from '../../backend/index.js';

/** A record as one line of JSON: a request, or what went wrong. Holds no secret, and nothing of a query. */
export function jsonLine(record: LogRecord): string {
  if (record.kind === 'warning') {
    const { time, ...warning } = record;
    return line(time, { level: 'warn', ...warning });
  }
  const { time, requestId, kind, ...rest } = record;
  const level = kind === 'error' || ('status' in rest && (rest.status ?? 500) >= 500) ? 'error' : 'info';
  return line(time, { level, kind, id: requestId, ...rest });
}

/** What the service says of itself. */
export function eventLine(time: number, kind: string, more: { [name: string]: unknown } = {}): string {
  return line(time, { level: 'info', kind, ...more });
}

function line(time: number, rest: { [name: string]: unknown }): string {
  return `${JSON.stringify({ time: new Date(time).toISOString(), ...rest })}\n`;
}
