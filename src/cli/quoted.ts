/** A word as any POSIX shell reads it. Nothing is special between single quotes, but the next one. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Words as somebody types them: quoted are those alone that a shell would take apart. */
export function typed(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word))).join(' ');
}
