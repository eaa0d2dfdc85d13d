import type { App } from './app.js';

/** What is behind a back end's `fetch`, for a port of this package: it needs no Response. Whoever wraps `fetch` has none. */
export const directApps = new WeakMap<object, App>();
