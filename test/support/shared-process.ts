import { vi } from 'vitest';

/** What tests take the place of. */
const names = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'Date', 'fetch'] as const;
/** Not on this platform; a double that comes as a global stays where it is imported. */
const doubles = ['indexedDB', 'localStorage', 'document', 'BroadcastChannel'] as const;

type Platform = { -readonly [name in (typeof names)[number] | (typeof doubles)[number]]: unknown };
declare global {
  /** As it was when the process began. */
  var platformOfProcess: Platform | undefined;
}

// Test files that share a process each begin with the platform as it is, whatever the one before has left of it.
vi.useRealTimers();
vi.restoreAllMocks();
vi.unstubAllGlobals();
vi.unstubAllEnvs();
globalThis.platformOfProcess ??= Object.fromEntries(
  [...names, ...doubles].map((name) => [name, Reflect.getOwnPropertyDescriptor(globalThis, name)]),
) as Platform;
for (const [name, before] of Object.entries(globalThis.platformOfProcess)) {
  if (before === undefined) Reflect.deleteProperty(globalThis, name);
  else Object.defineProperty(globalThis, name, before as PropertyDescriptor);
}
