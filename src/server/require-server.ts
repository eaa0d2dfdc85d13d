/**
 * Throws a TypeError in a web page, because whoever reads the page's script could read the game's private key in it.
 * Workers, Deno, Bun and Node have no document, and pass.
 */
export function requireServer(name: string): void {
  const { window, document } = globalThis as { window?: unknown; document?: unknown };
  if (window === undefined || document === undefined) return;
  throw new TypeError(
    `${name} belongs to the game's back end and refuses to run in a page: its players could read the private key.`,
  );
}
