import { randomBytes } from 'node:crypto';
import type { Backend } from '../../backend/index.js';
import { isLoopbackHost } from '../../backend/loopback.js';
import { type Console, createConsole } from '../console/gateway.js';
import { newSecret } from '../console/new-secret.js';
import type { ConsoleOptions } from '../console/options.js';
import { requireLoopbackHost } from '../console/origins.js';
import { createSealedSessions } from '../console/sealed-sessions.js';
import { signedOutHere } from '../console/signed-out.js';
import { everybody, signedIn } from '../console/visitors.js';
import { demoGame } from '../demo.js';
import { faultsSaid, type Ready } from './banner.js';
import { lanUrls } from './lan-urls.js';

export interface DevConsoleOptions {
  backend(): Pick<Backend, 'core' | 'findOperator' | 'noteSignIn'>;
  /** Told of who has opened the one-time link. */
  say(text: string): void;
  /** More addresses below `/console/`. */
  routes: ConsoleOptions['routes'];
  /** The address that the service listens on. */
  host: string;
  /** The port that it has. */
  port(): number;
  games: readonly string[];
  /** The key that the page's requests are asked with; it is in no answer. */
  operatorKey: string;
  /** The folder of the page's files. */
  folder: string;
  ready(): Ready;
  report(error: unknown): void;
}

/**
 * The console of `savepoint dev`, and what its address needs at its end: the one-time link, where
 * the port is open to others.
 */
export interface DevConsole extends Console {
  /** Such as `/console/`. */
  path: string;
}

/**
 * Whoever sits at this machine may do everything. Where `--host` lets others reach the port, only the browser that
 * opens the printed link may: it works once, and gives that browser a session.
 */
export function createDevConsole(options: DevConsoleOptions): DevConsole {
  const { backend, host, operatorKey, folder, games, ready, report } = options;
  const isOpen = isLoopbackHost(host);
  const link = isOpen ? null : { code: newSecret(), key: operatorKey };
  const sealingSecret = newSecret();
  const sessions = createSealedSessions({
    secrets: () => [sealingSecret],
    random: (size) => randomBytes(size),
    now: Date.now,
  });
  const made = createConsole({
    mode: 'dev',
    folder,
    service: (request, arrival) => backend().core.answer(request, arrival),
    findOperator: (key) => backend().findOperator(key),
    async noteSignIn(operator, from) {
      await backend().noteSignIn(operator, from);
      options.say(`the console was opened by its link, from ${from ?? 'an unknown address'}`);
    },
    games: () => games,
    visitors: isOpen
      ? everybody({ key: operatorKey, csrf: newSecret() })
      : signedIn(sessions, { now: Date.now, isPlainAllowed: true, signedOut: signedOutHere() }),
    link,
    peers: { isTrusted: () => false, addressOf: (_, address) => address },
    checkHost(request) {
      if (isOpen) requireLoopbackHost(request, options.port());
    },
    routes: options.routes,
    devFacts: () => factsOf(ready(), isOpen ? [] : lanUrls(options.port())),
    report,
    now: Date.now,
  });
  return { ...made, path: link === null ? '/console/' : `/console/#link=${link.code}` };
}

/** What a developer wants to know. A private key that somebody gave is not in it. */
function factsOf({ url, gameId, privateKey, store, seeded, faults }: Ready, lan: readonly string[]) {
  return {
    url,
    lanUrls: lan,
    gameId,
    privateKey: privateKey === demoGame.privateKey ? privateKey : null,
    store,
    seeded,
    faults: faults === null ? null : faultsSaid(faults),
  };
}
