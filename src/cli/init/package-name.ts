import { builtinModules } from 'node:module';

/** npm takes no longer ones. */
const mostLetters = 214;

/**
 * Says what is wrong with a folder's name as the name of a package, by npm's rules for new ones; null where nothing is.
 */
export function problemOfName(name: string, dependencies: readonly string[]): string | null {
  if (name.length > mostLetters) return `has more than ${mostLetters} letters, which npm refuses`;
  if (!/^[a-z\d][a-z\d._-]*$/.test(name)) {
    return 'is no name for a package: npm takes small letters, digits, - . and _, and a letter or digit first';
  }
  if (name === 'node_modules' || name === 'favicon.ico') return 'is a name that npm refuses';
  if (builtinModules.includes(name)) return 'is a module of Node, and npm refuses its name';
  if (dependencies.includes(name)) return 'is a package that the game itself needs';
  return null;
}

/** A name that npm takes, as near as can be; null where there is none. */
export function nearName(name: string, dependencies: readonly string[]): string | null {
  const near = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z\d._-]+/g, '-')
    .replaceAll(/^[^a-z\d]+|-+$/g, '')
    .slice(0, mostLetters);
  return [near, `${near}-game`, `my-${near}`].find((one) => problemOfName(one, dependencies) === null) ?? null;
}
