import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { methodsOfPath } from '../../src/backend/http/routes.js';
import { openApiDocument, openApiText } from '../../src/backend/openapi/document.js';
import { pathOf } from '../../src/protocol/addresses.js';
import { adminOperations } from '../../src/protocol/admin-operations.js';
import { operations } from '../../src/protocol/operations.js';
import { type Crossing, createContract, watchedFetch } from '../support/contract.js';
import {
  createTestService,
  makeDivergedConflict,
  post,
  readEntries,
  send,
  signedRequest,
  signInGuest,
  type TestService,
  testStart,
  useName,
  writeEntry,
} from '../support/service.js';
import { createSigningKey, keySet } from '../support/token-issuer.js';

interface Described {
  summary: string;
  description?: string;
  parameters?: { name: string; description?: string }[];
  responses: { [status: string]: { description?: string } };
}

async function lint(document: object) {
  // The addresses that only give something out have no request that could be refused.
  const config = await createConfig({ extends: ['recommended-strict'], rules: { 'operation-4xx-response': 'off' } });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

/** Lets every request and answer be looked at on its way. */
function watched(service: TestService, look: (crossing: Crossing) => void): TestService {
  const fetch = watchedFetch(service.backend.fetch, look);
  return { ...service, backend: { ...service.backend, fetch }, fetch };
}

describe('the OpenAPI document', () => {
  it('holds before an independent linter, which would find a mistake', async () => {
    expect(await lint(openApiDocument())).toEqual([]);
    const { servers: _, ...without } = openApiDocument();
    expect(await lint(without)).not.toEqual([]);
    const twice = structuredClone(openApiDocument());
    Object.assign(twice.components.schemas, { Unused: { type: 'object' }, Wrong: { type: 'thing' } });
    expect((await lint(twice)).join()).toMatch(/no-unused-components.*struct|struct.*no-unused-components/s);
  });

  it("asks for the environment wherever an operator's address names a player", () => {
    const withPlayer = Object.entries(openApiDocument().paths).filter(([path]) => path.includes('/players/{user}'));
    const described = withPlayer.flatMap(([, item]) => Object.values(item) as Described[]);
    expect(described.length).toBeGreaterThan(15);
    for (const { summary, parameters } of described)
      expect(
        parameters?.map(({ name }) => name),
        summary,
      ).toContain('env');
  });

  it('says of every object what its members are, so that a generated client can write a value', () => {
    const bare: string[] = [];
    const look = (node: unknown, at: string): void => {
      if (typeof node !== 'object' || node === null) return;
      const { type, properties, additionalProperties } = node as { [name: string]: unknown };
      if (type === 'object' && properties === undefined && additionalProperties === undefined) bare.push(at);
      for (const [name, member] of Object.entries(node)) look(member, `${at}/${name}`);
    };
    look(openApiDocument(), '#');
    expect(bare).toEqual([]);
  });

  it('has the refusal of an escape in the address that nobody can decode, of every operation', async () => {
    const service = createTestService();
    const contract = createContract(openApiDocument());
    const withParameter = Object.values(operations).filter(({ path }) => path.includes('/:'));
    expect(withParameter.length).toBeGreaterThan(40);
    for (const { method, path } of withParameter) {
      const url = `http://saves.test${path.replace(/:\w+/g, '%')}?env=0`;
      const headers = new Headers();
      const response = await service.fetch(new Request(url, { method }));
      const answer = await response.text();
      const { status, headers: answerHeaders } = response;
      expect(JSON.parse(answer), path).toMatchObject({ status: 400, code: 'invalid_key' });
      const problems = contract.problemsOf({ method, url, headers, body: null, status, answerHeaders, answer });
      expect(
        problems.filter((one) => one.includes('answer')),
        `${method} ${path}`,
      ).toEqual([]);
    }
  });

  it('describes every operation, parameter, answer and failure', () => {
    const silent: string[] = [];
    const named = { parameters: 0, responses: 0 };
    const look = (description: unknown, at: string): void => {
      const says = typeof description === 'string' && description.trim().length >= 10;
      if (!says) silent.push(at);
    };
    for (const [path, item] of Object.entries(openApiDocument().paths)) {
      for (const [method, operation] of Object.entries(item as { [method: string]: Described })) {
        const at = `${method} ${path}`;
        look(operation.description, at);
        // A list shows both.
        if (operation.description === operation.summary) silent.push(`${at} says its summary again`);
        for (const { name, description } of operation.parameters ?? []) look(description, `${at} ${name}`);
        for (const [status, { description }] of Object.entries(operation.responses))
          look(description, `${at} ${status}`);
        named.parameters += operation.parameters?.length ?? 0;
        named.responses += Object.keys(operation.responses).length;
      }
    }
    expect(silent).toEqual([]);
    expect(named.parameters).toBeGreaterThan(10);
    expect(named.responses).toBeGreaterThan(100);
  });

  it('is served by the service, to pages too', async () => {
    const service = createTestService({ allowedOrigins: ['https://game.test'] });
    const request = { headers: { origin: 'https://game.test' } };
    const { status, headers, body } = await send(service, '/openapi.json', request);
    expect(status).toBe(200);
    expect(body).toEqual(JSON.parse(openApiText()));
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(headers.get('access-control-allow-origin')).toBe('https://game.test');
  });

  it('has every address, and every method that it takes', async () => {
    const service = createTestService();
    for (const [path, methods] of methodsOfPath) {
      const { headers, status } = await send(service, path, { method: 'PROPFIND' });
      expect(status).toBe(405);
      expect(headers.get('allow')?.split(', ')).toEqual(Object.keys(methods));
    }
    expect(Object.keys(openApiDocument().paths)).toHaveLength(methodsOfPath.size);
  });

  it('has what each operation is asked and answers, when it goes well', async () => {
    const portal = await createSigningKey('portal');
    const contract = createContract(openApiDocument());
    const problems: string[] = [];
    let code = '';
    const service = watched(
      createTestService({
        game: {
          socialPlatforms: { wave: (token) => ({ id: token }) },
          identityProviders: [{ issuer: 'https://id.example', audience: 'game', keys: keySet(portal) }],
        },
        deliver: (delivery) => {
          code = delivery.code ?? '';
        },
      }),
      (crossing) => problems.push(...contract.problemsOf(crossing)),
    );
    const { local, ticket, conflict } = await makeDivergedConflict(service);
    const asLocal = { token: local.accessToken, deviceId: 'device-two' };
    await post(service, operations.readConflictSides.path, { ticket }, asLocal);
    const at = ({ local: mine, cloud: theirs }: { [side: string]: { collection: string; key: string }[] }) => ({
      local: mine?.map(({ collection, key }) => ({ collection, key, version: 0 })),
      cloud: theirs?.map(({ collection, key }) => ({ collection, key, version: 0 })),
    });
    const { body: sides } = await post(service, operations.readConflictSides.path, { ticket }, asLocal);
    const entries = [{ collection: 'progress', key: 'main', value: { coins: 10 } }];
    const merge = { ticket, choice: 'merge', entries, rests_on: at(sides) };
    const { body: merged } = await post(service, operations.resolveConflict.path, merge, asLocal);
    expect(conflict.kind).toBe('diverged');

    await readEntries(service, merged);
    const collections = pathOf(operations.listCollections, { game: service.gameId });
    await send(service, `${collections}?env=0`, { token: merged.accessToken });
    let token: string = merged.accessToken;
    const key = { collection: 'progress', key: 'main' };
    await post(service, operations.listSnapshots.path, { ...key, value: { lost: 1 } }, { token });
    const { body: list } = await send(service, operations.listSnapshots.path, { token });
    await send(service, pathOf(operations.readSnapshot, { snapshot: list.snapshots[0].id }), { token });
    await send(service, pathOf(operations.restoreSnapshot, { snapshot: list.snapshots[0].id }), {
      method: 'POST',
      token,
    });
    await send(service, operations.readAccount.path, { token });
    await send(service, operations.readUsage.path, { token });
    const usage = pathOf(operations.readUserUsage, { game: service.gameId, user: merged.userId });
    await send(service, `${usage}?env=0`, { token: service.privateKey });
    const { body: listed } = await send(service, operations.listDevices.path, { token });
    const revoked = pathOf(operations.revokeDevice, { device: listed.devices[0].id });
    await send(service, revoked, { method: 'DELETE', token });
    await send(service, operations.exportAccount.path, { token });
    const { body: alone } = await post(
      service,
      operations.signOutOthers.path,
      { unlink_since: testStart + 1 },
      { token },
    );
    token = alone.accessToken;
    const change = { old_password: 'correct horse', new_password: 'battery staple' };
    await post(service, operations.changePassword.path, change, { token });
    const { body: recovery } = await send(service, operations.makeRecoveryCode.path, { method: 'POST', token });
    await post(service, operations.signInWithRecoveryCode.path, { code: recovery.code });
    const iat = testStart / 1000;
    const idToken = await portal.sign({ iss: 'https://id.example', aud: 'game', sub: 'ada', iat, exp: iat + 60 });
    await post(service, operations.signInWithIdentityToken.path, { token: idToken }, { token });
    await post(service, operations.signInWithSocialToken.path, { token: 'ada', platform: 'wave' }, { token });
    await post(service, pathOf(operations.peek, { method: 'name' }), { username: 'ada', password: 'battery staple' });
    await send(service, pathOf(operations.unlinkMethod, { method: 'social' }), { method: 'DELETE', token });
    const renewed = await post(service, operations.refreshSession.path, { refresh_token: alone.refreshToken });
    await post(service, operations.signOut.path, { refresh_token: renewed.body.refreshToken });
    await useName(service, { username: 'ada', password: 'battery staple' }, { deviceId: 'device-three' });
    const delivered = async () => {
      while (service.backend.load().deliveries > 0) await new Promise((done) => setImmediate(done));
    };
    const { accessToken } = await useName(service, { username: 'ada', password: 'battery staple' });
    await post(service, operations.setAddress.path, { address: 'ada@mail.example' }, { token: accessToken });
    await delivered();
    await post(service, operations.verifyAddress.path, { code }, { token: accessToken });
    await send(service, operations.readAccount.path, { token: accessToken });
    await post(service, operations.requestReset.path, { username: 'ada' });
    await delivered();
    await post(service, operations.resetPassword.path, { username: 'ada', code, new_password: 'horse correct' });
    const last = await signInGuest(service, 'device-four');
    await writeEntry(service, last);
    await send(service, operations.readAccount.path, { method: 'DELETE', token: last.accessToken });
    const forGame = await service.fetch(await signedRequest(service));
    const { userId } = (await forGame.json()) as { userId: string };
    const saves = `/v2/pr/games/${service.gameId}/saves/${userId}/collections/hero`;
    const body = { value: { a: 1 }, version: -1 };
    await send(service, `${saves}/main/?env=0`, { method: 'PATCH', token: service.privateKey, body });
    await send(service, `${saves}?env=0`, { token: service.privateKey });
    await send(service, '/.well-known/jwks.json');
    await send(service, '/openapi.json');

    expect(problems).toEqual([]);
    // The operators' are asked by their SDK, in test/client/sdk-against-document.test.ts.
    const others = Object.keys(operations).filter((operation) => !Object.hasOwn(adminOperations, operation));
    expect(others.filter((operation) => !contract.succeeded.has(operation))).toEqual([]);
  });
});

describe('the check against the document', () => {
  const crossing: Crossing = {
    method: 'PATCH',
    url: 'http://saves.test/v2/cl/games/5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d/collections/a/b/?env=0',
    headers: new Headers({ authorization: 'Bearer x' }),
    body: '{"value":{},"version":-1}',
    status: 200,
    answerHeaders: new Headers({ 'content-type': 'application/json', 'x-request-id': 'x' }),
    answer: '{"version":0}',
  };
  const refusal = { type: 'about:blank', title: 'x', status: 409, code: 'version_mismatch', requestId: 'x' };
  const problem = {
    status: 409,
    answerHeaders: new Headers({ 'content-type': 'application/problem+json', 'x-request-id': 'x' }),
  };
  const problemsOf = (change: Partial<Crossing>) =>
    createContract(openApiDocument()).problemsOf({ ...crossing, ...change });

  it('is content with what the document has', () => {
    expect(problemsOf({})).toEqual([]);
    expect(problemsOf({ ...problem, answer: JSON.stringify(refusal) })).toEqual([]);
  });

  it('looks at a request that was refused where it is asked to', () => {
    const refused = { ...crossing, ...problem, answer: JSON.stringify(refusal), body: '{"value":{},"version":-2}' };
    expect(createContract(openApiDocument()).problemsOf(refused)).toEqual([]);
    expect(createContract(openApiDocument(), { looksAtRefused: true }).problemsOf(refused)).not.toEqual([]);
  });

  it.each<[string, Partial<Crossing>]>([
    ['a member that is not documented', { answer: '{"version":0,"more":1}' }],
    ['a member of another type', { answer: '{"version":"0"}' }],
    ['a member that is missing', { answer: '{}' }],
    ['another content type', { answerHeaders: new Headers({ 'content-type': 'text/html', 'x-request-id': 'x' }) }],
    ['an answer without its id', { answerHeaders: new Headers({ 'content-type': 'application/json' }) }],
    ['a status that is not documented', { status: 418 }],
    ['a failure that is not documented', { ...problem, answer: JSON.stringify({ ...refusal, code: 'would_orphan' }) }],
    ['a failure with another status', { ...problem, answer: JSON.stringify({ ...refusal, status: 400 }) }],
    ['a body that should have been refused', { body: '{"value":{},"version":-2}' }],
    ['an environment that should have been refused', { url: crossing.url.replace('env=0', 'env=3') }],
    ['a request without authorization', { headers: new Headers() }],
    [
      'a condition that should have been refused',
      { headers: new Headers({ authorization: 'x', 'if-none-match': '"1"' }) },
    ],
    ['an answer where nothing is documented', { url: 'http://saves.test/v3' }],
    ['an answer to a method that is not documented', { method: 'PUT' }],
  ])('finds %s', (_, change) => {
    expect(problemsOf(change)).not.toEqual([]);
  });
});
