import type { FetchLike } from '../../src/http/sender.js';

/** A service as it was before it kept a ledger: it does not know the header, and says nothing of what was carried out. */
export function withoutLedger(fetch: FetchLike): FetchLike {
  return async (request) => {
    const headers = new Headers(request.headers);
    headers.delete('idempotency-key');
    const body = request.method === 'GET' ? null : await request.text();
    const answer = await fetch(new Request(request.url, { method: request.method, headers, body }));
    const text = await answer.text();
    return new Response(text.replace(',"carriedOut":false', ''), { status: answer.status, headers: answer.headers });
  };
}

/** A network that loses the first answer to every write, after the service has carried it out. */
export function losingFirstAnswers(fetch: FetchLike): FetchLike {
  const seen = new Set<string>();
  return async (request) => {
    const { method, url, headers } = request;
    const text = method === 'GET' ? '' : await request.clone().text();
    const answer = await fetch(request);
    const write = headers.get('idempotency-key') ?? `${url} ${text}`;
    if (method === 'GET' || seen.has(write)) return answer;
    seen.add(write);
    await answer.text();
    throw new TypeError('fetch failed');
  };
}

/** A service as it was before it told a device the limits of saves. */
export function withoutLimits(fetch: FetchLike): FetchLike {
  return async (request) => {
    const answer = await fetch(request);
    const text = await answer.text();
    return new Response(text.replace(/,"limits":\{[^}]*\}/, ''), { status: answer.status, headers: answer.headers });
  };
}
