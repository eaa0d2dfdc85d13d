import { StateError } from '../../errors.js';

/** What the client is built on that a runtime without Web APIs may not have. Everything else it does without. */
const needed = [
  'AbortController',
  'Headers',
  'Request',
  'Response',
  'URL',
  'crypto.getRandomValues',
  'queueMicrotask',
  'setTimeout',
];

/**
 * Throws an `SdkError` `unsupported_platform` that names everything that this runtime lacks, so that it is set right at
 * once; `own` is what the game brings.
 */
export function checkWebApis(own: { fetch?: unknown }): void {
  const names = own.fetch === undefined ? [...needed, 'fetch'] : needed;
  const missing = names.filter((name) => typeof lookUp(name) !== 'function');
  if (missing.length > 0) {
    throw new StateError('unsupported_platform', `This runtime lacks ${missing.join(', ')}.`);
  }
}

function lookUp(name: string): unknown {
  return name.split('.').reduce<unknown>((found, part) => (found as never)?.[part], globalThis);
}
