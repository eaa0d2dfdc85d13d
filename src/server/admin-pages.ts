import { type AuditEntry, auditAnswer } from '../protocol/admin-messages.js';
import { checkedBy } from '../protocol/schema-check.js';
import { type AdminOperation, type AskAsOperator, callOf } from './admin-requests.js';
import { readObject } from './options.js';

/** What every call takes. */
export interface AdminCallOptions {
  /** Aborts the call, which then fails with `aborted`; a change may have been carried out all the same. */
  signal?: AbortSignal | undefined;
}

/** Which page of a list is asked for. */
export interface AdminPageOptions extends AdminCallOptions {
  /** How many items the page may have, from 1 to 200; 50 by default. */
  limit?: number | undefined;
  /** The `cursor` of the page before it; none for the first page. */
  cursor?: string | undefined;
}

/** A page of the audit log. */
export interface AuditPage {
  /** What was done, newest first. */
  entries: AuditEntry[];
  /** Asks for the next page; absent on the last one. */
  cursor?: string | undefined;
}

export function readAuditPage(
  ask: AskAsOperator,
  operation: AdminOperation,
  query: { readonly [name: string]: string | number },
  options: AdminPageOptions,
): Promise<AuditPage> {
  return ask({
    operation,
    query: { ...query, ...pageQuery(options) },
    answer: checkedBy(auditAnswer),
    ...callOf(options),
  });
}

/** Which page is asked for, as the address has it. */
export function pageQuery(options: AdminPageOptions): { limit: number | undefined; cursor: string | undefined } {
  const { limit, cursor } = readObject(options, 'options');
  if (limit !== undefined && !Number.isSafeInteger(limit))
    throw new TypeError('limit must be an integer from 1 to 200');
  if (cursor !== undefined && typeof cursor !== 'string') throw new TypeError('cursor must be a text');
  return { limit, cursor };
}
