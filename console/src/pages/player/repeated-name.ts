/** The first name that an object has twice in a text of JSON, of which `JSON.parse` keeps the last value alone; null for none. */
export function repeatedName(json: string): string | null {
  const open: Set<string>[] = [];
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[{}[\]]/g)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (token.endsWith(':')) {
      const written = token.slice(0, -1).trimEnd();
      const name = written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1);
      const names = open.at(-1);
      if (names?.has(name) === true) return name;
      names?.add(name);
    }
  }
  return null;
}
