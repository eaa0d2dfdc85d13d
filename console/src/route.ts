import { useEffect, useMemo, useState } from 'preact/hooks';

/** Where the page is. It stands in the fragment, so that no player's id is in the line of a request. */
export interface Route {
  readonly path: readonly string[];
  readonly query: { readonly [name: string]: string };
}

/** Reads `#/players/<id>?env=0`. What is broken in it counts as text. */
export function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  return {
    path: path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decoded),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** Writes a route as the address of a link; a member of the query that is undefined or empty is left out. */
export function hrefOf(path: readonly string[], query: { readonly [name: string]: string | undefined } = {}): string {
  const given = Object.entries(query).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '',
  );
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return `#/${path.map(encodeURIComponent).join('/')}${search}`;
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener('hashchange', follow);
    // Whoever went elsewhere between the first picture and now was not heard.
    follow();
    return () => removeEventListener('hashchange', follow);
  }, []);
  return useMemo(() => readRoute(hash), [hash]);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
