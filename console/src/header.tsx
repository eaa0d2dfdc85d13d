import { useState } from 'preact/hooks';
import { useConsole } from './context.js';
import { hrefOf } from './route.js';
import { type Language, languages } from './texts/texts.js';
import { chooseTheme, chosenTheme, themes } from './theme.js';

interface HeaderProps {
  isMenuOpen: boolean;
  onMenu(): void;
  onLanguage(language: Language): void;
  onSignOut(): Promise<void>;
}

export function Header({ isMenuOpen, onMenu, onLanguage, onSignOut }: HeaderProps) {
  const { texts, session, href } = useConsole();
  return (
    <header class="header">
      <button type="button" class="menu" aria-expanded={isMenuOpen} aria-controls="navigation" onClick={onMenu}>
        <span aria-hidden="true">☰</span>
        <span class="unseen">{texts.shell.menu}</span>
      </button>
      <a class="brand" href={href([])}>
        savepoint
      </a>
      {session.mode === 'dev' && <span class="badge badge-plain mode">dev</span>}
      <Places />
      <Preferences onLanguage={onLanguage} onSignOut={onSignOut} />
    </header>
  );
}

/** Another place shows the same list there; a player is known in one place alone. */
function Places() {
  const { texts, session, place, route } = useConsole();
  const go = (gameId: string, environment: string): void => {
    location.hash = hrefOf(route.path.slice(0, 1), { game: gameId, env: environment });
  };
  return (
    <div class="places">
      <select
        aria-label={texts.shell.game}
        value={place.gameId}
        onChange={({ currentTarget }) => go(currentTarget.value, String(place.environment))}
      >
        {session.games.map((id) => (
          <option key={id} value={id}>
            {session.games.length === 1 ? `${texts.shell.game} ${id.slice(0, 8)}` : id}
          </option>
        ))}
      </select>
      <select
        aria-label={texts.shell.environment}
        value={String(place.environment)}
        onChange={({ currentTarget }) => go(place.gameId, currentTarget.value)}
      >
        {texts.environments.map((name, number) => (
          <option key={name} value={String(number)}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

function Preferences({ onLanguage, onSignOut }: Pick<HeaderProps, 'onLanguage' | 'onSignOut'>) {
  const { texts, session, language, announce } = useConsole();
  const [theme, setTheme] = useState(chosenTheme);
  const [isOpen, setOpen] = useState(false);
  const { operator } = session;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes what one of the buttons in it has opened.
    <div
      class="preferences"
      onKeyDown={({ key }) => key === 'Escape' && setOpen(false)}
      onFocusOut={({ relatedTarget, currentTarget }) => {
        if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) setOpen(false);
      }}
    >
      <button type="button" aria-expanded={isOpen} aria-controls="preferences" onClick={() => setOpen(!isOpen)}>
        <bdi>{operator?.name}</bdi>
        <span class="soft">{operator?.scope}</span>
      </button>
      {isOpen && (
        <div id="preferences" class="preferences-panel">
          <label>
            {texts.shell.theme}
            <select
              value={theme}
              onChange={({ currentTarget }) => {
                const chosen = themes.find((known) => known === currentTarget.value) ?? 'system';
                chooseTheme(chosen);
                setTheme(chosen);
              }}
            >
              {themes.map((name) => (
                <option key={name} value={name}>
                  {texts.shell.themes[name]}
                </option>
              ))}
            </select>
          </label>
          <label>
            {texts.shell.language}
            <select
              value={language.slice(0, 2)}
              onChange={({ currentTarget }) => onLanguage(currentTarget.value as Language)}
            >
              {Object.entries(languages).map(([tag, name]) => (
                <option key={tag} value={tag} lang={tag}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          {session.mode === 'serve' && (
            <button type="button" onClick={() => void onSignOut().catch(() => announce(texts.problem.title))}>
              {texts.shell.signOut}
            </button>
          )}
        </div>
      )}
    </div>
  );
}
