import { createServerClient } from 'savepoint/server';
import { expect, it } from 'vitest';
import { openApiDocument } from '../../src/backend/openapi/document.js';
import { type Crossing, createContract } from '../support/contract.js';
import { createTestService } from '../support/service.js';
import { createWorld } from './world.js';

it('what both SDKs send, and what they are answered, fits the OpenAPI document', async () => {
  const world = createWorld();
  const contract = createContract(openApiDocument());
  const problems: string[] = [];
  const seen = (backend: { fetch(request: Request): Promise<Response> }) => async (request: Request) => {
    const body = await request.clone().text();
    const response = await backend.fetch(request);
    const { method, url, headers } = request;
    const answer = await response.clone().text();
    const crossing: Crossing = {
      method,
      url,
      headers,
      body,
      status: response.status,
      answerHeaders: response.headers,
      answer,
    };
    problems.push(...contract.problemsOf(crossing));
    return response;
  };
  const client = await world.player({ fetch: seen(world.backend) });
  await client.auth.withName('ada', 'correct horse');
  await client.account.recoveryCode();
  await client.account.changePassword('correct horse', 'battery staple');
  const [snapshot] = await client.account.snapshots();
  expect(snapshot).toBeUndefined();
  await client.account.restore('none').catch(() => {});
  await client.auth.signOut();

  const service = createTestService({ clock: Date.now });
  const { gameId, privateKey, baseUrl } = service;
  const server = createServerClient({ gameId, privateKey, baseUrl, environment: 0, fetch: seen(service.backend) });
  await server.authenticate({ customUserId: '4', deviceId: '2', ip: '203.0.113.7' });

  expect(problems).toEqual([]);
  expect(contract.succeeded).toContain('makeRecoveryCode');
  expect(contract.succeeded).toContain('authenticate');
  world.end();
});
