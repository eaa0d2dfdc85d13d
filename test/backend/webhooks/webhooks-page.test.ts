import { readFileSync } from 'node:fs';
import { createMemoryStore } from 'savepoint/backend';
import { verifyRequest } from 'savepoint/server';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { webhookDefaults } from '../../../src/protocol/gaps/webhooks.js';
import { type WebhookEvent, webhookKinds } from '../../../src/protocol/webhooks.js';
import { codeBlocks } from '../../support/markdown.js';
import { createTestService, post, signInGuest, testPrivateKey } from '../../support/service.js';

const page = readFileSync(new URL('../../../docs/operate/webhooks.md', import.meta.url), 'utf8');

interface Receiving {
  privateKeys: readonly string[];
  seen: Set<string>;
  handle(event: WebhookEvent): void;
}

/** The receiver of the page, as it stands there. */
function receiverOfPage(): (request: Request, receiving: Receiving) => Promise<Response> {
  const [block = ''] = codeBlocks(page, 'ts').filter((text) => text.includes('function receive('));
  const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS };
  const { outputText } = ts.transpileModule(block, { compilerOptions: options });
  const exported: { receive?: (request: Request, receiving: Receiving) => Promise<Response> } = {};
  new Function('exports', 'require', outputText)(exported, () => ({ verifyRequest }));
  if (exported.receive === undefined) throw new Error('The page has no receiver.');
  return exported.receive;
}

it('the receiver of the page takes what is signed, and handles each event once', async () => {
  const receive = receiverOfPage();
  const store = createMemoryStore();
  const handled: WebhookEvent[] = [];
  const receiving = {
    privateKeys: [testPrivateKey],
    seen: new Set<string>(),
    handle: (event: WebhookEvent) => void handled.push(event),
  };
  let answers = 0;
  const fetch = async (request: Request) => {
    const answer = await receive(request, receiving);
    answers += 1;
    // The first answer gets lost.
    return answers === 1 ? new Response(null, { status: 502 }) : answer;
  };
  const game = { webhook: { url: 'https://game.example/hooks', fetch } };
  const service = createTestService({ store, game, clock: Date.now });
  const player = await signInGuest(service);
  await post(service, '/v2/auth/name', { username: 'ada', password: 'a password' }, { token: player.accessToken });
  expect(await service.backend.deliverWebhooks()).toBe(0);
  service.backend.control.advance(webhookDefaults.webhookRetryMinMs);
  expect(await service.backend.deliverWebhooks()).toBe(1);
  expect([answers, handled.length]).toEqual([2, 1]);
  const forged = new Request('https://game.example/hooks', { method: 'POST', body: JSON.stringify(handled[0]) });
  expect((await receive(forged, receiving)).status).toBe(401);
});

it('the page has every kind of event', () => {
  expect([...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, kind]) => kind)).toEqual(['kind', ...webhookKinds]);
});
