/** What has to be in the client's bundle, because it is really used there. */
const expected = ['ky', 'eventemitter3', 'uuid'];

/**
 * What a bundle is made of, largest first: `modules` is Vite's, by id. The bytes are those before minifying, which alone can
 * be told apart; `savepoint` is what is in no package, and `the bundler` what it adds itself.
 */
export function bundleParts(modules) {
  const parts = new Map();
  for (const [id, { renderedLength }] of Object.entries(modules)) {
    if (renderedLength === 0) continue;
    const name = packageOf(id);
    parts.set(name, (parts.get(name) ?? 0) + renderedLength);
  }
  return [...parts].map(([name, bytes]) => ({ name, bytes })).sort((one, other) => other.bytes - one.bytes);
}

function packageOf(id) {
  if (id.startsWith('\0')) return 'the bundler';
  const below = id.replaceAll('\\', '/').split('/node_modules/').slice(1).pop();
  if (below === undefined) return 'savepoint';
  const [first, second] = below.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

/** The packages that should be in a bundle and are not. */
export function missingPackages(parts) {
  return expected.filter((name) => !parts.some((part) => part.name === name));
}
