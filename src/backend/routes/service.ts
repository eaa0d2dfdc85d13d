import { tokenDefaults } from '../../protocol/gaps/tokens.js';
import { type Answer, json, jsonText } from '../http/answers.js';
import type { Handlers } from '../http/exchange.js';

/** What the service says about itself. */
export const service = {
  async readPublicKeys(exchange) {
    return cached(json(await exchange.service.tokens.publicKeys()));
  },

  /** Loads the document when it is first asked for, so that no start waits for it. */
  async readApiDocument() {
    const { openApiText } = await import('../openapi/document.js');
    return cached(jsonText(openApiText()));
  },
} satisfies Handlers;

function cached(answer: Answer): Answer {
  answer.headers.set('Cache-Control', `public, max-age=${tokenDefaults.jwksMaxAgeSeconds}`);
  return answer;
}
