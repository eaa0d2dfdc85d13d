import type { FunctionComponent } from 'preact';
import { useCallback, useEffect, useErrorBoundary, useMemo, useRef, useState } from 'preact/hooks';
import type { ServiceWords } from '../../src/cli/console/words/words.js';
import { operatorScopes } from '../../src/protocol/admin-messages.js';
import type { Environment } from '../../src/protocol/environments.js';
import { Announcements } from './announcements.js';
import { type Console, ConsoleContext, type EntryDraft } from './context.js';
import { Header } from './header.js';
import { Navigation } from './navigation.js';
import { Overview } from './pages/overview.js';
import { once, Ready, useModule } from './parts/loaded.js';
import { Page } from './parts/page.js';
import { Problem } from './parts/problem.js';
import { Empty } from './parts/show.js';
import { keepPlace, placeOf } from './place.js';
import { hrefOf, useRoute } from './route.js';
import { type Language, localeOf, type Texts } from './texts/texts.js';
import type { Gateway } from './wire/gateway.js';
import type { Session } from './wire/messages.js';

/** The pages that are loaded once somebody goes there. */
const pages: { readonly [name: string]: () => Promise<FunctionComponent> } = {
  players: once(async () => (await import('./pages/players.js')).Players),
  player: once(async () => (await import('./pages/player/player.js')).Player),
  conflicts: once(async () => (await import('./pages/conflicts.js')).Conflicts),
  requests: once(async () => (await import('./pages/requests.js')).Requests),
  audit: once(async () => (await import('./pages/audit.js')).Audit),
  keys: once(async () => (await import('./pages/keys.js')).Keys),
  webhooks: once(async () => (await import('./pages/webhooks.js')).Webhooks),
  platforms: once(async () => (await import('./pages/platforms.js')).Platforms),
  limits: once(async () => (await import('./pages/limits.js')).Limits),
  devices: once(async () => (await import('./pages/devices/devices.js')).Devices),
  faults: once(async () => (await import('./pages/faults.js')).Faults),
};

interface ShellProps {
  session: Session;
  isAway: boolean;
  gateway: Gateway;
  texts: Texts;
  language: Language;
  onLanguage(language: Language): void;
  onSignOut(): Promise<void>;
}

/** All around the pages, for whoever is signed in. */
export function Shell({ session, isAway, gateway, texts, language, onLanguage, onSignOut }: ShellProps) {
  const route = useRoute();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [said, setSaid] = useState<{ text: string; number: number }>({ text: '', number: 0 });
  const main = useRef<HTMLElement>(null);
  const announce = useCallback((text: string) => setSaid(({ number }) => ({ text, number: number + 1 })), []);

  const usual: Environment = session.mode === 'dev' ? 0 : 2;
  const { gameId, environment } = placeOf(route, session.games, usual);
  useEffect(() => keepPlace({ gameId, environment }), [gameId, environment]);

  // They stay the same at another route and in another language: what was read, and what is being written, stays as well.
  const place = useMemo(() => ({ gameId, environment }), [gameId, environment]);
  const players = useMemo(() => (gameId === '' ? null : gateway.admin.players(place)), [gateway, place]);

  const words = useWords(language, gateway);
  const drafts = useDrafts();
  const page = [gameId, environment, ...route.path.slice(0, 2)].join(' ');
  const clockOffset = useClockOffset(session.mode === 'dev' && !isAway ? gateway : null, page);

  const value = useMemo((): Console | null => {
    if (players === null) return null;
    const scope = session.operator?.scope ?? 'read';
    return {
      session,
      isAway,
      gateway,
      texts,
      words,
      language: localeOf(language),
      place,
      players,
      route,
      clockOffset,
      drafts,
      href: (path, query) => hrefOf(path, { ...query, game: gameId, env: String(environment) }),
      hrefAt: (other, path) => hrefOf(path, { game: other.gameId, env: String(other.environment) }),
      allows: (needed) => operatorScopes.indexOf(scope) >= operatorScopes.indexOf(needed),
      announce,
    };
  }, [session, isAway, gateway, texts, words, language, place, players, route, clockOffset]);

  if (value === null) return <p class="starting">{texts.shell.noGames}</p>;
  return (
    <ConsoleContext.Provider value={value}>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        {texts.shell.skip}
      </button>
      <Header
        isMenuOpen={isMenuOpen}
        onMenu={() => setMenuOpen(!isMenuOpen)}
        onLanguage={onLanguage}
        onSignOut={onSignOut}
      />
      <div class="frame">
        <Navigation isOpen={isMenuOpen} onGo={() => setMenuOpen(false)} />
        <main ref={main} tabIndex={-1}>
          <Routed key={page} path={route.path} />
        </main>
      </div>
      <Announcements said={said} />
    </ConsoleContext.Provider>
  );
}

/** A service for development has a clock that is moved, here and by others: each page asks for it. Null where it has none. */
function useClockOffset(gateway: Gateway | null, page: string): number {
  const [offset, setOffset] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    gateway?.clock(stop.signal).then(
      ({ now }) => setOffset(now - Date.now()),
      () => {},
    );
    return () => stop.abort();
  }, [gateway, page]);
  return offset;
}

/** Whoever closes or reloads the page with something unsaved in it is asked by the browser. */
function useDrafts(): Map<string, EntryDraft> {
  const drafts = useRef(new Map<string, EntryDraft>()).current;
  useEffect(() => {
    const ask = (event: Event): void => {
      if (drafts.size > 0) event.preventDefault();
    };
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);
  return drafts;
}

/** What the service says in the reader's language. Until it is there, and where it cannot be had, its English counts. */
function useWords(language: Language, gateway: Gateway): ServiceWords | null {
  const [known, setKnown] = useState<{ language: Language; words: ServiceWords } | null>(null);
  useEffect(() => {
    if (language !== 'en') {
      gateway.words(language).then(
        (words) => setKnown({ language, words }),
        () => {},
      );
    }
  }, [gateway, language]);
  return known?.language === language ? known.words : null;
}

/** The page of a route. One that fails says so in its own place, and takes no other page with it. */
function Routed({ path }: { path: readonly string[] }) {
  const [first, second] = path;
  const [error] = useErrorBoundary();
  if (error !== undefined) return <Problem error={error} retry={() => location.reload()} />;
  const name = first === 'players' && second !== undefined ? 'player' : (first ?? 'overview');
  if (name === 'overview') return <Overview />;
  const load = Object.hasOwn(pages, name) ? pages[name] : undefined;
  return load === undefined ? <Nowhere /> : <Later load={load} />;
}

function Later({ load }: { load: () => Promise<FunctionComponent> }) {
  return <Ready of={useModule(load)}>{(Found) => <Found />}</Ready>;
}

function Nowhere() {
  return (
    <ConsoleContext.Consumer>
      {(found) =>
        found !== null && (
          <Page title={found.texts.shell.nowhere}>
            <Empty title={found.texts.shell.nowhere}>
              <a href={found.href([])}>{found.texts.problem.toOverview}</a>
            </Empty>
          </Page>
        )
      }
    </ConsoleContext.Consumer>
  );
}
