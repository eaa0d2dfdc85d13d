import { describe, expect, it } from 'vitest';
import type * as z from 'zod/mini';
import { isEnvironment } from '../../src/protocol/environments.js';
import { isUuid } from '../../src/protocol/ids.js';
import {
  authAnswer,
  collectionAnswer,
  environment,
  serverAuthRequest,
  updateAnswer,
  updateRequest,
  version,
} from '../../src/protocol/messages.js';
import {
  conflictRequest,
  guestRequest,
  identityRequest,
  nameRequest,
  refreshRequest,
  signOutRequest,
  socialRequest,
} from '../../src/protocol/player-requests.js';

const device = { game_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6', env: 0, device_id: 'device-1' };
const answer = {
  userId: '0193b3a0-0000-7000-8000-000000000001',
  accessToken: 'a.b.c',
  refreshToken: 'd.e.f',
  status: 0,
  country: 'ZZ',
  time: 1_760_000_000_000,
};

interface Message {
  schema: z.ZodMiniType;
  good: Record<string, unknown>;
  bad: Record<string, unknown[]>;
}

/** For each message a good one, and for each of its fields what it must not be. */
const messages: Record<string, Message> = {
  'the update of an entry': {
    schema: updateRequest,
    good: { value: {}, version: -1 },
    bad: {
      value: [undefined, null, [], 'text', 1, true],
      version: [undefined, null, -2, 1.5, '1', Number.NaN, Number.MAX_SAFE_INTEGER],
    },
  },
  "the update's answer": {
    schema: updateAnswer,
    good: { version: 0 },
    bad: { version: [undefined, null, -1, 0.5, '0'] },
  },
  'server-to-server authentication': {
    schema: serverAuthRequest,
    good: { ...device, custom_user_id: 'player-1' },
    bad: {
      custom_user_id: [undefined, '', 'x'.repeat(129), 123456],
      device_id: [undefined, '', 'x'.repeat(129)],
      game_id: [undefined, '', 'no-uuid', '3fa85f64-5717-4562-b3fc-2c963f66afa'],
      env: [undefined, null, -1, 3, 0.5, '0', true],
    },
  },
  "authentication's answer": {
    schema: authAnswer,
    good: answer,
    bad: {
      userId: [undefined, null, '', 'player-1'],
      accessToken: [undefined, null, ''],
      refreshToken: [undefined, null, ''],
      status: [undefined, '0', 0.5],
      country: [undefined, null, 49],
      time: [undefined, '1760000000000', 0.5],
    },
  },
  'a guest': { schema: guestRequest, good: device, bad: { device_id: [undefined, 'short'], env: [3, '0'] } },
  'a name': {
    schema: nameRequest,
    good: { ...device, username: 'a', password: 'password' },
    bad: {
      username: [undefined, '', 'x'.repeat(129)],
      password: [undefined, 7, 'x'.repeat(257)],
      show: ['coins', [{}], Array(33).fill({ collection: 'a', key: 'b', field: 'c' })],
    },
  },
  'an identity token': {
    schema: identityRequest,
    good: { ...device, token: 't' },
    bad: { token: ['', 'x'.repeat(16_385)] },
  },
  'a social token': {
    schema: socialRequest,
    good: { ...device, token: 't', platform: 'steam' },
    bad: { token: ['', undefined], platform: ['', 'x'.repeat(65), 1] },
  },
  'a choice': {
    schema: conflictRequest,
    good: { ...device, ticket: 't', choice: 'local' },
    bad: { ticket: ['', undefined, 'x'.repeat(257)], choice: ['Local', 'cancel', undefined] },
  },
  'a refresh': {
    schema: refreshRequest,
    good: { game_id: device.game_id, env: 2, refresh_token: 't' },
    bad: { refresh_token: ['', undefined, 'x'.repeat(4097)] },
  },
  'a sign-out': { schema: signOutRequest, good: { game_id: device.game_id, env: 1 }, bad: { refresh_token: ['', 1] } },
};

describe.each(Object.entries(messages))('%s', (_, { schema, good, bad }) => {
  it('is taken where it is good', () => {
    expect(schema.safeParse(good).success).toBe(true);
  });

  it('may have fields more: "other required parameters" are not shown', () => {
    expect(schema.safeParse({ ...good, extra: { deep: 1 } }).success).toBe(true);
  });

  const cases = Object.entries(bad).flatMap(([field, values]) => values.map((value) => ({ field, value })));
  it.each(cases)('is refused with $field: $value', ({ field, value }) => {
    expect(schema.safeParse({ ...good, [field]: value }).success).toBe(false);
  });

  it.each([null, [], 'text', 1, undefined])('is never %j', (other) => {
    expect(schema.safeParse(other).success).toBe(false);
  });
});

describe('a collection', () => {
  const entry = { key: 'stats', value: { coins: 1 }, version: 0 };

  it('is a list of entries, and may be empty', () => {
    expect(collectionAnswer.parse([])).toEqual([]);
    expect(collectionAnswer.parse([entry])).toEqual([entry]);
  });

  it.each([{ key: 1 }, { value: [] }, { value: null }, { version: -1 }, { version: 0.5 }])(
    'has no entry with %j',
    (change) => {
      expect(collectionAnswer.safeParse([entry, { ...entry, ...change }]).success).toBe(false);
    },
  );

  it('keeps a member named __proto__ out of the prototype', () => {
    const parsed = collectionAnswer.parse(JSON.parse('[{"key":"k","value":{"__proto__":{"admin":true}},"version":0}]'));
    expect(Object.getPrototypeOf(parsed[0]?.value)).toBe(Object.prototype);
    expect('admin' in (parsed[0]?.value ?? {})).toBe(false);
    expect(JSON.stringify(parsed[0]?.value)).toBe('{"__proto__":{"admin":true}}');
  });
});

describe('a version', () => {
  it.each([-1, 0, 1, 2 ** 53 - 2])('can be %d', (value) => {
    expect(version.safeParse(value).success).toBe(true);
  });

  it.each([-2, 2 ** 53 - 1, 2 ** 53, 1e300, Number.POSITIVE_INFINITY])('cannot be %d', (value) => {
    expect(version.safeParse(value).success).toBe(false);
  });
});

describe('an environment', () => {
  it.each([0, 1, 2])('is %d', (value) => {
    expect(environment.safeParse(value).success).toBe(true);
    expect(isEnvironment(value)).toBe(true);
  });

  it.each([3, -1, 0.5, '0', null, undefined, true])('is not %j', (value) => {
    expect(environment.safeParse(value).success).toBe(false);
    expect(isEnvironment(value)).toBe(false);
  });
});

describe('isUuid', () => {
  it.each([
    '3fa85f64-5717-4562-b3fc-2c963f66afa6',
    '3FA85F64-5717-4562-B3FC-2C963F66AFA6',
    '00000000-0000-0000-0000-000000000000',
  ])('takes %s', (text) => {
    expect(isUuid(text)).toBe(true);
  });

  it.each([
    '',
    '3fa85f64571745 62b3fc2c963f66afa6',
    '{3fa85f64-5717-4562-b3fc-2c963f66afa6}',
    '3fa85f64-5717-4562-b3fc-2c963f66afa6\n',
    'gfa85f64-5717-4562-b3fc-2c963f66afa6',
    1,
    null,
  ])('refuses %j', (value) => {
    expect(isUuid(value)).toBe(false);
  });
});
