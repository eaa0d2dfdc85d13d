/**
 * Makes headers, or throws TypeError with the name of the one that cannot be sent. What the platform throws would show
 * its value, which may be a token or a key.
 */
export function checkHeaders(given: Record<string, string>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    try {
      headers.append(name, value);
    } catch {
      throw new TypeError(`the header ${name} cannot be sent: its value has characters that no header can carry`);
    }
  }
  return headers;
}
