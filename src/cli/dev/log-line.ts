import type { LogRecord } from '../../backend/index.js';

/** A request, or what went wrong, in one line: time, method, path pattern, status, ms, code. */
export function logLine(record: LogRecord): string {
  const time = new Date(record.time).toISOString();
  if (record.kind === 'error') return `${time} error ${oneLine(`${record.name}: ${record.message}`)}\n`;
  if (record.kind === 'warning') return `${time} warning ${oneLine(record.message)}\n`;
  const { method, route, status, code, ms } = record;
  const refused = record.origin === undefined ? null : `--allowed-origin ${record.origin}`;
  const parts = [time, method, route ?? '(no such address)', status ?? 'no answer', `${ms} ms`, code, refused];
  return `${parts.filter((part) => part !== null).join(' ')}\n`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
