/** A place where two JSON values differ. */
export interface Difference {
  /** Where, such as `items[3].name`; empty for the whole value. */
  path: string;
  kind: 'added' | 'removed' | 'changed';
  before?: unknown;
  after?: unknown;
}

/** Where two JSON values differ, in the order of the first one's members, and then the second one's new ones. */
export function differencesOf(before: unknown, after: unknown, path = ''): Difference[] {
  if (Object.is(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, index) => index).flatMap((index) =>
      memberDifferences(before, after, String(index), `${path}[${index}]`),
    );
  }
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => memberDifferences(before, after, name, pathOfMember(path, name)));
  }
  return [{ path, kind: 'changed', before, after }];
}

function memberDifferences(before: object, after: object, name: string, path: string): Difference[] {
  const [wasThere, isThere] = [Object.hasOwn(before, name), Object.hasOwn(after, name)];
  const [old, now] = [valueAt(before, name), valueAt(after, name)];
  if (wasThere && isThere) return differencesOf(old, now, path);
  return [wasThere ? { path, kind: 'removed', before: old } : { path, kind: 'added', after: now }];
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
