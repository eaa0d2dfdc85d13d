import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AnswerCheck,
  checkAccessClaims,
  checkAccountAnswer,
  checkAuthAnswer,
  checkCollectionAnswer,
  checkConflictSidesAnswer,
  checkDeletionAnswer,
  checkPeekAnswer,
  checkPlayerAuthAnswer,
  checkPlayerCollectionAnswer,
  checkProblem,
  checkRecoveryCodeAnswer,
  checkRestoreAnswer,
  checkSnapshotAddedAnswer,
  checkSnapshotsAnswer,
  checkUpdateAnswer,
} from '../../src/protocol/answer-checks.js';
import { authAnswer, collectionAnswer, updateAnswer } from '../../src/protocol/messages.js';
import {
  accessClaims,
  accountAnswer,
  conflictSidesAnswer,
  deletionAnswer,
  peekAnswer,
  playerAuthAnswer,
  playerCollectionAnswer,
  recoveryCodeAnswer,
  restoreAnswer,
  snapshotAddedAnswer,
  snapshotsAnswer,
} from '../../src/protocol/player-messages.js';
import { problem } from '../../src/protocol/problem.js';

interface Schema {
  safeParse(value: unknown): { success: boolean };
}

const uuid = '0b8e6f1c-3a57-4d0e-9f38-2a6c1d9e7b40';
const auth = {
  userId: uuid,
  accessToken: 'a.b.c',
  refreshToken: 'd.e.f',
  status: 0,
  country: 'NZ',
  time: 1_790_000_000_000,
};
const side = {
  userId: uuid,
  methods: ['device'],
  createdAt: 1,
  changedAt: null,
  entries: 1,
  bytes: 2,
  fields: [{ collection: 'progress', key: 'main', field: 'coins', value: 3 }],
};
const conflict = {
  ticket: 't',
  method: 'name',
  expiresAt: 9,
  local: side,
  cloud: { ...side, changedAt: 4 },
  kind: 'diverged',
  ahead: null,
  diff: [{ collection: 'progress', key: 'main', local: { version: 1, bytes: 2 }, cloud: null, same: false }],
  mergeable: true,
};
const placed = { collection: 'progress', key: 'main', value: { coins: 1 }, version: -1 };
const snapshot = { id: 's', createdAt: 1, expiresAt: 2, reason: 'cloud', fromUserId: uuid, entries: 1, bytes: 2 };

const messages: [name: string, shape: AnswerCheck<unknown>, schema: Schema, good: unknown][] = [
  ['the authentication answer', checkAuthAnswer, authAnswer, auth],
  [
    'the player’s authentication answer',
    checkPlayerAuthAnswer,
    playerAuthAnswer,
    { ...auth, methods: ['device', 'name'], limits: { valueBytes: 1, entries: 2, collections: 3 } },
  ],
  ['the collection', checkCollectionAnswer, collectionAnswer, [{ key: 'main', value: { coins: 1 }, version: 0 }]],
  [
    'the collection on the player’s wire',
    checkPlayerCollectionAnswer,
    playerCollectionAnswer,
    [{ key: 'main', value: { coins: 1 }, version: 0, times: { coins: 1.5 } }],
  ],
  ['the update answer', checkUpdateAnswer, updateAnswer, { version: 1 }],
  [
    'both sides of a conflict',
    checkConflictSidesAnswer,
    conflictSidesAnswer,
    { local: [{ ...placed, times: { coins: 1 } }], cloud: [], merged: [placed] },
  ],
  ['the look at a credential', checkPeekAnswer, peekAnswer, { outcome: 'other', side }],
  [
    'the account',
    checkAccountAnswer,
    accountAnswer,
    { userId: uuid, createdAt: 1, methods: [{ method: 'name', label: 'Ada', linkedAt: 2 }] },
  ],
  ['the deletion', checkDeletionAnswer, deletionAnswer, { userId: uuid, removedAt: 1, recoveryCode: 'c' }],
  ['the recovery code', checkRecoveryCodeAnswer, recoveryCodeAnswer, { code: 'c' }],
  ['the list of snapshots', checkSnapshotsAnswer, snapshotsAnswer, { snapshots: [snapshot] }],
  ['the added snapshot', checkSnapshotAddedAnswer, snapshotAddedAnswer, { id: 's' }],
  [
    'the restored entries',
    checkRestoreAnswer,
    restoreAnswer,
    { entries: [{ collection: 'progress', key: 'main', version: 1 }] },
  ],
  [
    'the claims of an access token',
    checkAccessClaims,
    accessClaims,
    { iss: 'savepoint', aud: uuid, env: 2, sub: uuid, sid: 's', jti: 'j', iat: 1, exp: 2, wire: 2 },
  ],
  [
    'the problem',
    checkProblem,
    problem,
    {
      type: 'about:blank',
      title: 'No.',
      status: 409,
      code: 'profile_conflict',
      detail: 'because',
      requestId: 'r',
      currentVersion: -1,
      currentValue: {},
      currentTimes: { coins: 1 },
      carriedOut: false,
      serverTime: 1,
      retryAfterMs: 1.5,
      limitName: 'readsPerAccount',
      platforms: ['crazy'],
      removedAt: 3,
      conflict,
    },
  ],
];

/** Every path to a member, however deep. */
function pathsOf(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path];
  const members = Array.isArray(value) ? value.map((item, at) => [at, item] as const) : Object.entries(value);
  return [path, ...members.flatMap(([name, member]) => pathsOf(member, [...path, name]))];
}

function changed(value: unknown, [first, ...rest]: (string | number)[], by: (member: unknown) => unknown): unknown {
  if (first === undefined) return by(value);
  const copy = structuredClone(value) as Record<string | number, unknown>;
  copy[first] = changed(copy[first], rest, by);
  return copy;
}

const odd = [undefined, null, '', 'text', uuid, 0, -1, 1.5, 2 ** 53, true, [], ['x'], [1], {}, { a: 1 }];

describe.each(messages)('the shape of %s', (_name, shape, schema, good) => {
  it('takes a good one', () => {
    expect(shape(good)).toBeNull();
    expect(schema.safeParse(good).success).toBe(true);
  });

  it('agrees with the schema wherever a member is another or missing', () => {
    for (const path of pathsOf(good)) {
      for (const value of odd) {
        const answer = changed(good, path, () => value);
        const fits = shape(answer) === null;
        expect({ path, value, fits }).toEqual({ path, value, fits: schema.safeParse(answer).success });
      }
    }
  });

  it('agrees with the schema about any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, at) => {
        const paths = pathsOf(good);
        const answer = changed(good, paths[at % paths.length] ?? [], () => value);
        expect(shape(answer) === null).toBe(schema.safeParse(answer).success);
      }),
      { numRuns: 500 },
    );
  });

  it('lets a field pass that it does not know: a newer service may send one', () => {
    if (Array.isArray(good)) return;
    expect(shape({ ...(good as object), newer: true })).toBeNull();
  });
});
