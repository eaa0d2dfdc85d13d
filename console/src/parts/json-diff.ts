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
  /** Two that are not the same. */
  const compare = (old: unknown, now: unknown, path: string): void => {
    const areLists = Array.isArray(old) && Array.isArray(now);
    if (!areLists && !(isObject(old) && isObject(now))) {
      found.push({ path, kind: 'changed', before: old, after: now });
      return;
    }
    for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
      const [left, right] = [valueAt(old, name), valueAt(now, name)];
      // Most of a large save is as it was.
      if (Object.is(left, right)) continue;
      const place = areLists ? `${path}[${name}]` : pathOfMember(path, name);
      if (!Object.hasOwn(old, name)) found.push({ path: place, kind: 'added', after: right });
      else if (!Object.hasOwn(now, name)) found.push({ path: place, kind: 'removed', before: left });
      else compare(left, right, place);
    }
  };
  if (!Object.is(before, after)) compare(before, after, '');
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
