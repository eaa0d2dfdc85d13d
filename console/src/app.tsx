import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { keep } from './kept.js';
import { Shell } from './shell.js';
import { SignIn } from './sign-in.js';
import { type Language, loadTexts, preferredLanguage, type Texts } from './texts/texts.js';
import { createGateway } from './wire/gateway.js';
import type { Session } from './wire/messages.js';

/** The page: whoever is not signed in signs in, and then sees the console. */
export function App() {
  const [language, setLanguage] = useState(preferredLanguage);
  const [texts, setTexts] = useState<Texts | null>(null);
  const [session, setSession] = useState<Session | null>(null);
  const [error, setError] = useState<unknown>();
  const held = useRef<Session | null>(null);

  const enter = useCallback((found: Session) => {
    held.current = found;
    setSession(found);
    setError(undefined);
  }, []);
  const leave = useCallback(() => setSession((before) => (before === null ? null : { ...before, operator: null })), []);
  const gateway = useMemo(() => createGateway({ current: () => held.current, renew: enter, onSignedOut: leave }), []);

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
  if (session?.operator != null) {
    return (
      <Shell
        session={session}
        gateway={gateway}
        texts={texts}
        language={language}
        onLanguage={chooseLanguage}
        onSignOut={() => gateway.signOut().then(leave)}
      />
    );
  }
  if (session === null && error === undefined) return <p class="starting">{texts.common.loading}</p>;
  return (
    <SignIn
      mode={session?.mode ?? 'serve'}
      texts={texts}
      error={error}
      signIn={async (key) => enter(await gateway.signIn(key))}
    />
  );
}

/** The one-time code of a printed link, which has it in the fragment. */
function linkOf(hash: string): string | null {
  return /^#link=(.+)$/.exec(hash)?.[1] ?? null;
}
