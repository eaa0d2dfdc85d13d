import { expect } from 'vitest';
import { testStart } from '../service.js';
import { asPlayer, type DoorCase, jsonAnswer, noUser, post, refused, session } from './door-case.js';

/** What players do with their accounts, from the first guest on. */
export const accountCases: readonly DoorCase[] = [
  {
    name: 'signs a guest in',
    request: post('guest', {}),
    status: 200,
    headers: jsonAnswer,
    body: session(['device']),
    remember: 'guest',
  },
  { name: 'finds the guest again', request: post('guest', {}), status: 200, body: session(['device']) },
  {
    name: 'links a name',
    request: post('name', { username: 'Ada', password: 'correct horse' }, 'guest'),
    status: 200,
    body: session(['device', 'name']),
  },
  {
    name: 'links a social account',
    request: post('social', { token: 'good', platform: 'arcade' }, 'guest'),
    status: 200,
    body: session(['device', 'name', 'social']),
  },
  {
    name: 'refuses a social token that does not hold',
    request: post('social', { token: 'bad' }),
    ...refused('invalid_credentials'),
  },
  {
    name: 'names the platforms that there are',
    request: post('social', { token: 'good', platform: 'steam' }),
    ...refused('platform_not_registered', { platforms: ['arcade'] }),
  },
  {
    name: 'refuses an identity token of nobody it knows',
    request: post('identity', { token: 'a.b.c' }),
    ...refused('invalid_credentials'),
  },
  {
    name: 'refuses a wrong password',
    request: post('name', { username: 'Ada', password: 'wrong horse' }),
    ...refused('invalid_credentials'),
  },
  {
    name: 'signs a second device in',
    request: post('guest', { device_id: 'device-two' }),
    status: 200,
    body: session(['device']),
    remember: 'second',
  },
  {
    name: 'answers a conflict',
    request: post('name', { device_id: 'device-two', username: 'ada', password: 'correct horse' }, 'second'),
    ...refused('profile_conflict', {
      conflict: {
        kind: 'fast-forward',
        ahead: 'cloud',
        diff: [],
        mergeable: true,
        ticket: '<ticket>',
        method: 'name',
        expiresAt: testStart + 600_000,
        local: {
          userId: '<uuid>',
          methods: ['device'],
          createdAt: testStart,
          changedAt: null,
          entries: 0,
          bytes: 0,
          fields: [],
        },
        cloud: {
          userId: '<uuid>',
          methods: ['device', 'name', 'social'],
          createdAt: testStart,
          changedAt: null,
          entries: 0,
          bytes: 0,
          fields: [],
        },
      },
    }),
    remember: 'conflict',
  },
  {
    name: 'shows both sides of a conflict',
    request: (world) =>
      post('conflict/sides', { device_id: 'device-two', ticket: world.said['conflict'].conflict.ticket })(world),
    status: 200,
    body: { local: [], cloud: [], merged: [] },
  },
  {
    name: 'takes megabytes in a choice',
    request: post('conflict', { ticket: 'nothing', choice: 'merge', more: 'x'.repeat(3 * 1024 * 1024) }),
    ...refused('conflict_stale'),
  },
  {
    name: 'carries the choice out',
    request: (world) =>
      post('conflict', { device_id: 'device-two', ticket: world.said['conflict'].conflict.ticket, choice: 'cloud' })(
        world,
      ),
    status: 200,
    body: session(['device', 'name', 'social']),
    remember: 'cloud',
  },
  {
    name: 'refreshes a session',
    request: (world) => post('refresh', { refresh_token: world.said['cloud'].refreshToken })(world),
    status: 200,
    body: session(['device', 'name', 'social']),
  },
  {
    name: 'lists what lost',
    request: asPlayer('guest', '/v2/auth/account/snapshots'),
    status: 200,
    body: { snapshots: [] },
  },
  {
    name: 'knows no snapshot that is not there',
    request: asPlayer('guest', `/v2/auth/account/snapshots/${noUser}/restore`, 'POST'),
    ...refused('not_found'),
  },
  {
    name: 'exports what it holds',
    request: asPlayer('guest', '/v2/auth/account/export'),
    status: 200,
    body: expect.objectContaining({ userId: '<uuid>', entries: [], snapshots: [] }),
  },
  {
    name: 'looks at what a name would do',
    request: post('peek/name', { username: 'Nobody', password: 'correct horse' }),
    status: 200,
    body: { outcome: 'free' },
  },
  {
    name: 'describes the account',
    request: asPlayer('guest', '/v2/auth/account'),
    status: 200,
    body: {
      userId: '<uuid>',
      createdAt: testStart,
      methods: [
        { method: 'device', linkedAt: testStart, lastUsedAt: testStart },
        { method: 'name', label: 'Ada', linkedAt: testStart, lastUsedAt: testStart },
        { method: 'social', label: 'arcade', linkedAt: testStart, lastUsedAt: testStart },
        { method: 'device', linkedAt: testStart, lastUsedAt: testStart },
      ],
    },
  },
  {
    name: 'removes a method',
    request: asPlayer('guest', '/v2/auth/methods/social', 'DELETE'),
    status: 200,
    body: {
      userId: '<uuid>',
      createdAt: testStart,
      methods: [
        { method: 'device', linkedAt: testStart, lastUsedAt: testStart },
        { method: 'name', label: 'Ada', linkedAt: testStart, lastUsedAt: testStart },
        { method: 'device', linkedAt: testStart, lastUsedAt: testStart },
      ],
    },
  },
];
