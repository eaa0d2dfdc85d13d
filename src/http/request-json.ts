import { providerDefaults } from '../protocol/gaps/providers.js';
import { parseJson } from './parse-json.js';
import type { FetchLike } from './read-whole.js';
import { isRedirect } from './redirects.js';
import { checkHeaders } from './request-headers.js';
import { Unreachable } from './unreachable.js';
import { untilAborted } from './until-aborted.js';

/** How another service is asked. */
export interface RequestJsonOptions {
  /** Sends the request; the platform's own by default. */
  fetch?: FetchLike | undefined;
  /** How long the whole answer may take, in ms; 5,000 by default. */
  timeoutMs?: number | undefined;
}

/** What is asked of another service. */
export interface JsonRequest {
  method?: 'GET' | 'POST' | undefined;
  headers?: { readonly [name: string]: string } | undefined;
  body?: string | URLSearchParams | undefined;
  /** Statuses besides 2xx whose body is an answer too; none by default. */
  answers?: readonly number[] | undefined;
}

/** Another service answered, but not with what was asked for. What it said may hold a secret, and is left out. */
export class UnusableAnswer extends Error {
  readonly status: number;

  constructor(status: number, what: string) {
    super(`The answer (${status}) ${what}.`);
    this.name = 'UnusableAnswer';
    this.status = status;
  }
}

/**
 * Asks another service for JSON, once. Rejects as `requestText`, and with UnusableAnswer for what is no JSON.
 */
export async function requestJson(url: URL, request: JsonRequest, options: RequestJsonOptions): Promise<unknown> {
  const { status, text } = await requestText(url, request, options);
  const answer = parseJson(text);
  if (answer === undefined) throw new UnusableAnswer(status, 'is not JSON');
  return answer;
}

/**
 * Asks another service, once, and takes up to 256 KiB of an answer. Rejects with UnusableAnswer for any other
 * status than 2xx and `answers`, with Unreachable where no answer comes in time, and with TypeError for a
 * header that cannot be sent.
 */
export async function requestText(
  url: URL,
  { method = 'GET', headers = {}, body, answers = [] }: JsonRequest,
  { fetch = (request) => globalThis.fetch(request), timeoutMs = providerDefaults.askTimeoutMs }: RequestJsonOptions,
): Promise<{ status: number; text: string }> {
  const checked = checkHeaders(headers);
  // Loaded for the first question: a service that asks nobody starts without it.
  const { default: ky } = await import('ky');
  let response: Response;
  try {
    response = await ky(url, {
      method,
      headers: checked,
      body: body ?? null,
      redirect: 'manual',
      timeout: timeoutMs,
      // A token is checked while a player waits: whoever shows it may show it again.
      retry: 0,
      throwHttpErrors: false,
      fetch: (request) => readBounded(fetch, request as Request, answers),
    });
  } catch (error) {
    // The errors of ky hold the request, and that the token.
    throw error instanceof UnusableAnswer ? error : new Unreachable(false);
  }
  return { status: response.status, text: await response.text() };
}

/** Reads the whole answer while the time-out runs, and no more of it than is taken. */
async function readBounded(fetch: FetchLike, request: Request, answers: readonly number[]): Promise<Response> {
  const response = await untilAborted(fetch(request), request.signal);
  const { status, ok, body } = response;
  const leadsElsewhere = isRedirect(response);
  if (leadsElsewhere || (!ok && !answers.includes(status))) {
    // Nobody reads it: without this the connection would stay, and whatever comes by it.
    await body?.cancel();
    // Some platforms show nothing of such an answer.
    if (status === 0) throw new Unreachable(false);
    throw new UnusableAnswer(status, leadsElsewhere ? 'leads elsewhere' : 'is a refusal');
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = (body as ReadableStream<Uint8Array> | null)?.getReader();
  while (reader !== undefined) {
    const { done, value } = await untilAborted(reader.read(), request.signal);
    if (done) break;
    size += value.length;
    chunks.push(value);
    if (size <= providerDefaults.answerBytes) continue;
    await reader.cancel();
    throw new UnusableAnswer(status, 'is too large');
  }
  return new Response(await new Blob(chunks as BlobPart[]).text(), { status: 200 });
}
