/** Whether a browser asks for a page at `/`: a GET or HEAD whose Accept header names HTML. */
export function asksForPage({ method, url, headers }: Request): boolean {
  if (!['GET', 'HEAD'].includes(method) || new URL(url).pathname !== '/') return false;
  const ranges = (headers.get('Accept') ?? '').toLowerCase().split(',');
  return ranges.some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim());
    return type === 'text/html' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** Leads a browser to the console. */
export function toConsole(): Response {
  return new Response(null, {
    status: 302,
    headers: { Location: '/console/', 'Cache-Control': 'no-store', Vary: 'Accept' },
  });
}
