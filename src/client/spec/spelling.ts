/** The same object with the spec's spelling of its names: `userId` is `UserId`. One level deep. */
export type Pascal<T> = T extends unknown
  ? { [Name in keyof T as Name extends string ? Capitalize<Name> : Name]: T[Name] }
  : never;

export function toPascal<T extends object>(value: T): Pascal<T> {
  return rename(value, (letter) => letter.toUpperCase()) as Pascal<T>;
}

/** The way back: `GameId` is `gameId`. */
export function toCamel(value: object): Record<string, unknown> {
  return rename(value, (letter) => letter.toLowerCase());
}

function rename(value: object, by: (letter: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [by(name.charAt(0)) + name.slice(1), inner]));
}
