/** The same object with its names in PascalCase: `userId` is `UserId`. One level deep. */
export type PascalCase<T> = T extends unknown
  ? { [Name in keyof T as Name extends string ? Capitalize<Name> : Name]: T[Name] }
  : never;

/** Gives an object of the client the interface's own spelling, one level deep. */
export function toPascalCase<T extends object>(value: T): PascalCase<T> {
  return rename(value, (letter) => letter.toUpperCase()) as PascalCase<T>;
}

/** Gives an object of the game the client's spelling, one level deep: `GameId` is `gameId`. */
export function toCamelCase(value: object): Record<string, unknown> {
  return rename(value, (letter) => letter.toLowerCase());
}

function rename(value: object, changeLetter: (letter: string) => string): Record<string, unknown> {
  const renamed = Object.entries(value).map(([name, inner]) => [changeLetter(name.charAt(0)) + name.slice(1), inner]);
  return Object.fromEntries(renamed) as Record<string, unknown>;
}
