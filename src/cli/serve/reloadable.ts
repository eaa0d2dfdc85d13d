import { createServiceCore, type ServiceCore } from '../../backend/http/service-core.js';
import type { Backend, BackendOptions } from '../../backend/index.js';
import { publicJwkOf } from '../../backend/sessions/tokens.js';
import { asUsageError, createChecked } from '../create-checked.js';
import { UsageError } from '../usage-error.js';
import type { ServeSettings } from './settings.js';

/** A service whose configuration can be read again while it runs. */
export interface Reloadable {
  /** Asks the service that counts when a request comes. */
  readonly core: ServiceCore;
  current(): Backend;
  settings(): ServeSettings;
  /**
   * Reads the configuration, and from then on every new request is answered by it; one that runs is not disturbed.
   * Answers what the log says of it. Rejects where something is wrong with it, and nothing has changed.
   */
  reload(): Promise<{ [name: string]: unknown }>;
}

/** What a reload leaves as it is, because the process would have to begin anew. */
const kept = [
  'store',
  'port',
  'host',
  'processes',
  'metrics',
  'console',
  'portLimits',
  'postgresLimits',
] as const satisfies (keyof ServeSettings)[];

/** As they are called in the configuration. */
const namesOfKept: { readonly [name in (typeof kept)[number]]: string } = {
  store: 'store',
  port: 'port',
  host: 'host',
  processes: 'number of processes',
  metrics: 'metrics',
  console: 'console',
  portLimits: 'limits of the port',
  postgresLimits: 'limits of PostgreSQL',
};

export async function createReloadable(
  first: ServeSettings,
  { rest, read }: { rest: Omit<BackendOptions, 'games'>; read(): Promise<ServeSettings> },
): Promise<Reloadable> {
  let settings = first;
  let current = createChecked({ ...first.backend, ...rest });
  await current.ready();

  return {
    core: createServiceCore(
      (request, arrival) => current.core.answer(request, arrival),
      (address) => current.core.isTrusted(address),
    ),
    current: () => current,
    settings: () => settings,

    async reload() {
      if (typeof settings.store !== 'string') {
        throw new UsageError('the configuration opens its store itself, and would open it again: give its address');
      }
      const given = await read();
      const next = asUsageError(() => current.reconfigured({ ...given.backend, ...rest }));
      await next.ready();
      const waiting = kept.filter((name) => JSON.stringify(given[name]) !== JSON.stringify(first[name]));
      current = next;
      settings = given;
      return {
        games: given.backend.games.map(({ id }) => id),
        signingKeys: await idsOfKeys(given.backend),
        ...(waiting.length === 0 ? {} : { level: 'warn', onlyAfterRestart: waiting.map((name) => namesOfKept[name]) }),
      };
    },
  };
}

/** The key that signs, and those that did. */
async function idsOfKeys({ signingKey, formerSigningKeys = [] }: BackendOptions): Promise<string[]> {
  const keys = signingKey === undefined ? [] : [signingKey, ...formerSigningKeys];
  return (await Promise.all(keys.map(publicJwkOf))).map(({ kid }) => kid);
}
