/** A place where two JSON values differ. */
export interface Difference {
  /** Where, such as `items[3].name`; empty for the whole value. */
  path: string;
  kind: 'added' | 'removed' | 'changed';
  before?: unknown;
  after?: unknown;
}

/** Where two JSON values differ, in the order of the first one's members, and then the second one's new ones. */
export function differencesOf(before: unknown, after: unknown): Difference[] {
  const found: Difference[] = [];
  const compare = (before: unknown, after: unknown, path: string): void => {
    if (Object.is(before, after)) return;
    const areLists = Array.isArray(before) && Array.isArray(after);
    if (!areLists && !(isObject(before) && isObject(after))) {
      found.push({ path, kind: 'changed', before, after });
      return;
    }
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const [old, now] = [valueAt(before, name), valueAt(after, name)];
      // Most of a large save is as it was.
      if (Object.is(old, now)) continue;
      const place = areLists ? `${path}[${name}]` : pathOfMember(path, name);
      if (!Object.hasOwn(before, name)) found.push({ path: place, kind: 'added', after: now });
      else if (!Object.hasOwn(after, name)) found.push({ path: place, kind: 'removed', before: old });
      else compare(old, now, place);
    }
  };
  compare(before, after, '');
  return found;
}

const valueAt = (of: object, name: string): unknown => (of as { readonly [name: string]: unknown })[name];

/** The path of a member: as a program would write it. */
function pathOfMember(path: string, name: string): string {
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

export function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
