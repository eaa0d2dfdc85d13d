import { providerDefaults } from '../../protocol/gaps/providers.js';

/** How the service asks somebody else's service. */
export interface AskOptions {
  /** Sends the request; the global `fetch` by default. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** How long an answer may take, in ms; 5,000 by default. */
  timeoutMs?: number | undefined;
}

/**
 * Somebody else's service answered, but not with what was asked for. What it said may hold a secret, and is left out.
 */
export class UnusableAnswer extends Error {
  readonly status: number;

  constructor(status: number, what: string) {
    super(`The answer (${status}) ${what}.`);
    this.name = 'UnusableAnswer';
    this.status = status;
  }
}

/**
 * Asks for JSON, up to 256 KiB of it. Rejects where none comes in time, and with UnusableAnswer for any other status
 * than 2xx.
 */
export async function askForJson(url: URL, init: RequestInit, { fetch, timeoutMs }: AskOptions): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMs ?? providerDefaults.askTimeoutMs);
  const request = new Request(url, { ...init, redirect: 'error', signal });
  const answered = (fetch ?? globalThis.fetch)(request).then(async (response) => {
    const { status } = response;
    if (!response.ok) {
      await response.body?.cancel();
      throw new UnusableAnswer(status, 'is a refusal');
    }
    return { status, text: await readText(response) };
  });
  const { status, text } = await Promise.race([answered, rejection(signal)]);
  try {
    return JSON.parse(text);
  } catch {
    throw new UnusableAnswer(status, 'is not JSON');
  }
}

/** Not every `fetch` that is given looks at the signal. */
function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  const reader = response.body?.getReader();
  if (reader === undefined) return text;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > providerDefaults.answerBytes) {
      await reader.cancel();
      throw new UnusableAnswer(response.status, 'is too large');
    }
    text += decoder.decode(value, { stream: true });
  }
}
