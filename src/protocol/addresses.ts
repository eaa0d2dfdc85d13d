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
