import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { keep } from './kept.js';
import { Shell } from './shell.js';
import { SignIn } from './sign-in.js';
import { type Language, loadTexts, preferredLanguage, type Texts } from './texts/texts.js';
import { createGateway } from './wire/gateway.js';
import { isSameOperator, type Session } from './wire/messages.js';

/**
 * The page: whoever is not signed in signs in, and then sees the console. Where the session ends, the console waits below the form
 * with all that was typed in it, for the same operator; another one, or another scope, gets a new one.
 */
export function App() {
  const [language, setLanguage] = useState(preferredLanguage);
  const [texts, setTexts] = useState<Texts | null>(null);
  const [session, setSession] = useState<Session | null>(null);
  const [error, setError] = useState<unknown>();
  const [{ isAway, visit }, setVisit] = useState({ isAway: false, visit: 0 });
  const held = useRef<Session | null>(null);

  const enter = useCallback((found: Session) => {
    const isSame = isSameOperator(found, held.current);
    held.current = found;
    setSession(found);
    setError(undefined);
    setVisit((before) => ({ isAway: false, visit: before.isAway && !isSame ? before.visit + 1 : before.visit }));
  }, []);
  const lose = useCallback(() => setVisit((before) => ({ ...before, isAway: true })), []);
  const leave = useCallback(() => setSession((before) => (before === null ? null : { ...before, operator: null })), []);
  const gateway = useMemo(() => createGateway({ current: () => held.current, renew: enter, onSignedOut: lose }), []);

  const start = useCallback(() => {
    setError(undefined);
    const link = linkOf(location.hash);
    // The link counts once: nobody who looks over a shoulder, or at the history, gets in by it.
    if (link !== null) history.replaceState(null, '', '#/');
    const found = link === null ? gateway.session() : gateway.openLink(link);
    found.then(enter, setError);
  }, []);
  useEffect(start, []);

  useEffect(() => {
    document.documentElement.lang = language;
    void loadTexts(language).then(setTexts);
  }, [language]);

  if (texts === null) return null;
  const chooseLanguage = (chosen: Language): void => {
    keep('language', chosen);
    setLanguage(chosen);
  };
  if (session === null && error === undefined) return <p class="starting">{texts.common.loading}</p>;
  const isIn = session?.operator != null;
  return (
    <>
      {isIn && (
        <Shell
          key={visit}
          session={session}
          isAway={isAway}
          gateway={gateway}
          texts={texts}
          language={language}
          onLanguage={chooseLanguage}
          onSignOut={() => gateway.signOut().then(leave)}
        />
      )}
      {(isAway || !isIn) && (
        <SignIn
          key={String(isIn)}
          isOver={isIn}
          mode={session?.mode ?? 'serve'}
          texts={texts}
          error={error}
          signIn={async (key) => enter(await gateway.signIn(key))}
        />
      )}
    </>
  );
}

/** The one-time code of a printed link, which has it in the fragment. */
function linkOf(hash: string): string | null {
  return /^#link=(.+)$/.exec(hash)?.[1] ?? null;
}
