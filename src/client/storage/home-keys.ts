/** Every key of a game and environment: the saves of two games on one origin stay apart. */
export function homeKeys(gameId: string, environment: number) {
  const prefix = `savepoint:${gameId.toLowerCase()}:${environment}:`;
  return {
    /** What all the other keys begin with. */
    prefix,
    session: `${prefix}session`,
    device: `${prefix}device`,
    writer: `${prefix}writer`,
    /** What the keys of an account's entries begin with; null for what was set before there was an account. */
    entries: (userId: string | null) => `${prefix}entry:${userId ?? ''}:`,
    /** Who gets what this device has of a guest to whom nothing leads any more. */
    heir: (userId: string) => `${prefix}heir:${userId}`,
    /** What pages were about to store when they were hidden. */
    journal: `${prefix}journal`,
    /** When the browser was last asked to keep the storage, ms since 1970. */
    persistence: `${prefix}persistence`,
    /** Says in localStorage which home this game has on this origin. */
    homeRecord: `${prefix}home`,
  };
}

export type HomeKeys = ReturnType<typeof homeKeys>;

/** What the key of an entry has in common with those of its account's other entries; null for any other key. */
export function entriesPrefixOf(key: string): string | null {
  // The name of a collection may hold a colon, and the id of an account does not.
  return /^savepoint:[^:]*:[^:]*:entry:[^:]*:/.exec(key)?.[0] ?? null;
}

/** Where earlier versions kept all entries of an account in one text, by what the keys of the entries begin with. */
export function earlierCopyKey(entriesPrefix: string): string {
  return entriesPrefix.replace(':entry:', ':profile:').slice(0, -1);
}
