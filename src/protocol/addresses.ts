import { entrySegment } from './entry-name.js';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** How an operation is asked for. A segment of the path that begins with a colon varies. */
export interface Operation {
  readonly method: HttpMethod;
  /** Below `{base_url}` or `{auth_url}`. */
  readonly path: string;
}

export type Operations = { readonly [operation: string]: Operation };

/** The query parameter that selects the environment (docs/interface.md#endpoints). */
export const envParameter = 'env';

/**
 * A base address without its trailing slashes, so that a path can follow it. Throws TypeError for what is no http(s)
 * address.
 */
export function baseAddress(value: unknown, option: string): string {
  let url: URL | undefined;
  try {
    url = new URL(value as string);
  } catch {
    // It is not an address at all, and is refused below.
  }
  if (url === undefined || !/^https?:/.test(url.href)) {
    throw new TypeError(`${option} must be an absolute http(s) address`);
  }
  if (url.search + url.hash + url.username + url.password !== '') {
    throw new TypeError(`${option} must have no query, no fragment and no credentials`);
  }
  return url.href.replace(/\/+$/, '');
}

/** The names of the variable segments of a path: those that begin with a colon. */
type SegmentNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | SegmentNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** What fills the segments of a path. */
export type PathParameters<Path extends string> = { readonly [Segment in SegmentNames<Path>]: string };

/**
 * The path of an operation with its segments filled in, each encoded. Throws TypeError for a collection's name or an
 * entry's key that could not be stored.
 */
export function pathOf<Path extends string>(
  { path }: { readonly path: Path },
  parameters: PathParameters<Path>,
): string {
  const given: { readonly [segment: string]: string } = parameters;
  return path.replace(/:(\w+)/g, (_, segment: string) => {
    const text = given[segment] as string;
    return segment === 'collection' || segment === 'key' ? entrySegment(text) : encodeURIComponent(text);
  });
}
