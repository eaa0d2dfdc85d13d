import { useConsole } from './context.js';
import type { Texts } from './texts/texts.js';

export type PageName = keyof Texts['pages'];

interface Item {
  name: PageName;
  isDev?: boolean;
  needs?: 'admin';
}

/** What can be gone to, in groups. */
const groups: readonly (readonly Item[])[] = [
  [{ name: 'overview' }, { name: 'players' }, { name: 'conflicts' }, { name: 'requests' }],
  [
    { name: 'audit' },
    { name: 'keys', needs: 'admin' },
    { name: 'platforms' },
    { name: 'webhooks' },
    { name: 'limits' },
  ],
  [
    { name: 'faults', isDev: true },
    { name: 'devices', isDev: true },
  ],
];

export function Navigation({ isOpen, onGo }: { isOpen: boolean; onGo(): void }) {
  const { texts, session, allows, href, route } = useConsole();
  const current = route.path[0] ?? 'overview';
  const isShown = ({ isDev, needs }: Item): boolean =>
    (isDev !== true || session.mode === 'dev') && (needs === undefined || allows(needs));
  return (
    <nav id="navigation" class={isOpen ? 'navigation open' : 'navigation'} aria-label={texts.shell.navigation}>
      {groups.map((group) => {
        const items = group.filter(isShown);
        if (items.length === 0) return null;
        return (
          <ul key={group[0]?.name}>
            {items.map(({ name }) => (
              <li key={name}>
                <a
                  href={href(name === 'overview' ? [] : [name])}
                  aria-current={current === name ? 'page' : undefined}
                  onClick={onGo}
                >
                  {texts.pages[name]}
                </a>
              </li>
            ))}
          </ul>
        );
      })}
    </nav>
  );
}
