/** Stands between collection and key: no name may hold it. */
const separator = '\n';

/** One name for an entry of an account. The name of the key '' is the prefix of all names of its collection. */
export function nameOf(collection: string, key: string): string {
  return collection + separator + key;
}

export function splitName(name: string): [collection: string, key: string] {
  return name.split(separator) as [string, string];
}

/** The names of a collection's entries among those of an account. */
export function namesIn(copy: { names(): string[] }, collection: string): string[] {
  const prefix = nameOf(collection, '');
  return copy.names().filter((name) => name.startsWith(prefix));
}
