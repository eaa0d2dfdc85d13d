import { toResponse } from './answers.js';
import type { App } from './app.js';

type Fetch = (request: Request, from?: { address?: string | undefined }) => Promise<Response>;

const apps = new WeakMap<Fetch, App>();

/** An app as a `fetch`. A port of this package finds the app behind it, for it needs no Response. */
export function fetchOf(app: App): Fetch {
  const fetch: Fetch = async (request, { address } = {}) => toResponse(await app(request, { address }));
  apps.set(fetch, app);
  return fetch;
}

/** What is behind a `fetch` that was made here. Whoever wraps one in a function of their own has none. */
export function appBehind(fetch: Fetch): App | undefined {
  return apps.get(fetch);
}
