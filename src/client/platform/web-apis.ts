import { StateError } from '../../errors.js';

/** What the client is built on that a runtime without Web APIs may not have. Everything else it does without. */
const needed = [
  'AbortController',
  'AbortSignal',
  'Headers',
  'Request',
  'Response',
  'TextEncoder',
  'URL',
  'clearTimeout',
  'fetch',
  'queueMicrotask',
  'setTimeout',
] as const;

/**
 * Throws an `SdkError` `unsupported_platform` that names everything that this runtime lacks, so that it is set right at
 * once; `own` is what the game brings.
 */
export function checkWebApis(own: { fetch?: unknown }): void {
  const runtime: { readonly [name: string]: unknown } = globalThis;
  const missing: string[] = needed.filter((name) => (runtime[name] ?? own[name as 'fetch']) === undefined);
  if (globalThis.crypto?.getRandomValues === undefined) missing.push('crypto.getRandomValues');
  if (missing.length > 0) {
    throw new StateError('unsupported_platform', `This runtime lacks ${missing.join(', ')}.`);
  }
}
