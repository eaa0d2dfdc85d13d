/** What the page keeps in this browser: how somebody likes it, and nothing of a player. A browser may refuse to keep it. */
type Name = 'theme' | 'language' | 'place';

export function kept(name: Name): string | null {
  try {
    return localStorage.getItem(`savepoint-console.${name}`);
  } catch {
    return null;
  }
}

export function keep(name: Name, value: string): void {
  try {
    localStorage.setItem(`savepoint-console.${name}`, value);
  } catch {
    // It counts until the page is loaded again.
  }
}
