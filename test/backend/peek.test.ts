import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/backend/index.js';
import { pathOf } from '../../src/protocol/addresses.js';
import { operations } from '../../src/protocol/operations.js';
import { peekAnswer } from '../../src/protocol/player-messages.js';
import {
  createTestService,
  post,
  send,
  signInGuest,
  type TestService,
  useName,
  writeEntry,
} from '../support/service.js';

const ada = { username: 'ada', password: 'correct horse' };
const wrong = { username: 'ada', password: 'wrong password' };
const nobody = { username: 'nobody', password: 'correct horse' };
const minute = 60_000;

const socialPlatforms = { wave: (token: string) => (token.startsWith('good') ? { id: token } : null) };

async function withAda(options: Parameters<typeof createTestService>[0] = {}) {
  const service = createTestService({ game: { socialPlatforms }, ...options });
  const owner = await signInGuest(service);
  await useName(service, ada, { token: owner.accessToken });
  await writeEntry(service, owner, { value: { coins: 7 } });
  return { service, owner };
}

const peek = (
  service: TestService,
  body: Record<string, unknown> = ada,
  { method = 'name', ...request }: Parameters<typeof post>[3] & { method?: string } = {},
) => post(service, pathOf(operations.peek, { method }), body, request);

describe('a look at what a credential would do', () => {
  it('says free, mine or other, with that side', async () => {
    const { service, owner } = await withAda();
    const show = [{ collection: 'progress', key: 'main', field: 'coins' }];
    const guest = await signInGuest(service, 'device-two');
    const other = await peek(service, { ...ada, show }, { token: guest.accessToken });
    expect(peekAnswer.parse(other.body)).toMatchObject({
      outcome: 'other',
      side: { userId: owner.userId, entries: 1, methods: ['device', 'name'], fields: [{ ...show[0], value: 7 }] },
    });
    expect((await peek(service, ada)).body.outcome).toBe('other');
    expect((await peek(service, ada, { token: owner.accessToken })).body).toEqual({ outcome: 'mine' });
    expect((await peek(service, nobody)).body).toEqual({ outcome: 'free' });
    expect((await peek(service, { token: 'good-1' }, { method: 'social' })).body).toEqual({ outcome: 'free' });
    const { body } = await send(service, operations.makeRecoveryCode.path, {
      method: 'POST',
      token: owner.accessToken,
    });
    expect((await peek(service, { code: body.code }, { method: 'recovery' })).body.outcome).toBe('other');
  });

  it('changes nothing', async () => {
    const store = createMemoryStore();
    const { service, owner } = await withAda({ store });
    const before = JSON.stringify(store.dump());
    for (const token of [undefined, owner.accessToken]) {
      for (const body of [ada, nobody, wrong, { ...nobody, intent: 'link', restore: true }]) {
        await peek(service, body, { token });
      }
      await peek(service, { token: 'good-1' }, { method: 'social', token });
    }
    expect(JSON.stringify(store.dump())).toBe(before);
  });

  it('is refused like the credential itself', async () => {
    const { service, owner } = await withAda();
    const refusals = [
      [await peek(service, wrong), 401, 'invalid_credentials'],
      [await peek(service, { code: 'nothing' }, { method: 'recovery' }), 401, 'invalid_credentials'],
      [await peek(service, { token: 'bad' }, { method: 'social' }), 401, 'invalid_credentials'],
      [await peek(service, ada, { token: `${owner.accessToken}x` }), 401, 'unauthorized'],
      [await peek(service, ada, { token: owner.accessToken, environment: 1 }), 403, 'wrong_env'],
      [await peek(service, { username: 'ada' }), 400, 'invalid_request'],
      [await peek(service, ada, { method: 'device' }), 404, 'not_found'],
      [await peek(service, ada, { method: '__proto__' }), 404, 'not_found'],
    ] as const;
    for (const [answer, status, code] of refusals) expect(answer).toMatchObject({ status, body: { code } });
  });

  it('counts as a try: five at a password a minute, ten an address, at free names too', async () => {
    const { service } = await withAda({ limits: { rates: true } });
    for (let n = 0; n < 5; n += 1) expect((await peek(service, wrong)).status).toBe(401);
    expect((await peek(service, ada)).status).toBe(429);
    expect((await post(service, operations.signInWithName.path, ada)).status).toBe(429);
    service.backend.control.advance(minute);
    for (let n = 0; n < 20; n += 1) expect((await peek(service, ada, { address: '192.0.2.1' })).status).toBe(200);
    const look = (n: number, address: string) => peek(service, { ...nobody, username: `name-${n}` }, { address });
    for (let n = 0; n < 10; n += 1) expect((await look(n, '192.0.2.1')).status).toBe(200);
    expect((await look(10, '192.0.2.1')).status).toBe(429);
    expect((await look(10, '192.0.2.2')).status).toBe(200);
  });

  it('locks nobody out of a name that is free', async () => {
    const service = createTestService({ limits: { rates: true } });
    for (let n = 0; n < 8; n += 1) expect((await peek(service, nobody, { address: `192.0.2.${n}` })).status).toBe(200);
    await useName(service, nobody);
    await useName(service, nobody);
  });
});

describe('an intent', () => {
  it('to link needs a session, and goes on as without it', async () => {
    const { service, owner } = await withAda();
    const link = (body: Record<string, unknown>, token?: string) =>
      post(service, operations.signInWithName.path, { ...body, intent: 'link' }, { token, deviceId: 'device-two' });
    expect(await link(nobody)).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    expect((await peek(service, nobody)).body.outcome).toBe('free');
    const guest = await signInGuest(service, 'device-two');
    expect((await link(ada, guest.accessToken)).body.code).toBe('profile_conflict');
    expect((await link(ada, owner.accessToken)).body.userId).toBe(owner.userId);
    expect((await link(nobody, guest.accessToken)).body).toMatchObject({ userId: guest.userId });
  });

  it('to switch signs in where the credential leads, whatever session is there', async () => {
    const { service, owner } = await withAda();
    const guest = await signInGuest(service, 'device-two');
    for (const token of [undefined, guest.accessToken, owner.accessToken, 'what is no token']) {
      const request = { token, deviceId: 'device-two' };
      const { status, body } = await post(
        service,
        operations.signInWithName.path,
        { ...ada, intent: 'switch' },
        request,
      );
      expect([status, body.userId]).toEqual([200, owner.userId]);
    }
    expect((await signInGuest(service, 'device-two')).userId).toBe(guest.userId);
  });

  it('to switch never makes an account, and does not tell an unknown name from a wrong password', async () => {
    const { service } = await withAda({ limits: { rates: true } });
    const switchTo = (body: Record<string, unknown>) =>
      post(service, operations.signInWithName.path, { ...body, intent: 'switch' });
    const answersTo = async (body: Record<string, unknown>) => {
      const answers = [];
      for (let n = 0; n < 7; n += 1) answers.push(await switchTo(body));
      return answers.map(({ status, body: { requestId: _, ...rest } }) => ({ status, ...rest }));
    };
    const unknown = await answersTo(nobody);
    expect(unknown.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect(unknown).toEqual(await answersTo(wrong));
    expect((await peek(service, nobody, { address: '192.0.2.1' })).body.outcome).toBe('free');
    const social = await post(service, operations.signInWithSocialToken.path, { token: 'good-1', intent: 'switch' });
    expect(social).toMatchObject({ status: 404, body: { code: 'user_not_found' } });
    expect((await peek(service, { token: 'good-1' }, { method: 'social' })).body.outcome).toBe('free');
  });

  it('is one of two', async () => {
    const { service } = await withAda();
    const answer = await post(service, operations.signInWithName.path, { ...ada, intent: 'steal' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });
});
