/**
 * The forms of the answers once more, as the SDKs check them: zod's schemas with their validator would be half of what
 * a game downloads. The schemas stay the source. The compiler asks for a check of each of their members, and a test
 * compares both over thousands of good and bad answers. This file may import the types of schemas, but no schema.
 */
import type { ConflictDifference, ConflictSide, ConflictSides, ShownField } from './conflict.js';
import { isEntryTimes } from './entry-times.js';
import { isEnvironment } from './environments.js';
import { isUuid } from './ids.js';
import type { AuthAnswer, ProfileEntry } from './messages.js';
import type {
  AccessClaims,
  AccountAnswer,
  AccountUsage,
  AnsweredLimits,
  CollectionRevision,
  ConflictProfiles,
  DeletionAnswer,
  DevicesAnswer,
  LinkedDevice,
  LinkedMethod,
  PeekAnswer,
  PlacedEntry,
  PlayerAuthAnswer,
  PlayerEntry,
  QuotaUsage,
  SideEntry,
  SnapshotSummary,
} from './player-messages.js';
import type { Problem } from './problem.js';
import { isPlainObject } from './value-text.js';

/**
 * Checks an answer: gives null where it has the form of `T`, else the name of the first member that is wrong, or an
 * empty text where the answer as a whole is.
 */
export interface AnswerCheck<T> {
  (value: unknown): string | null;
  /** Nothing has this member: it is there so that the compiler can read `T` off a shape. */
  readonly answer?: T;
}

/** Tells whether one value is right. */
type MemberCheck = (value: unknown) => boolean;

/** A check for each member of `T`: the compiler refuses a list that leaves one out. */
type MemberChecks<T> = { readonly [Name in keyof T]-?: MemberCheck };

/** The shape of an object whose members pass their checks. Members that `T` does not know are let through. */
export function checkObject<T extends object>(checks: MemberChecks<T>): AnswerCheck<T> {
  const members = Object.entries<MemberCheck>(checks);
  return (value) => {
    if (!isPlainObject(value)) return '';
    const wrong = members.find(([name, check]) => !check(value[name]));
    return wrong === undefined ? null : wrong[0];
  };
}

/** A check for a member that has a shape of its own. */
export const passes =
  (shape: AnswerCheck<unknown>): MemberCheck =>
  (value) =>
    shape(value) === null;

/** A check for a member that is an object whose members pass their checks. */
export function objectMember<T extends object>(checks: MemberChecks<T>): MemberCheck {
  return passes(checkObject<T>(checks));
}

export const text: MemberCheck = (value) => typeof value === 'string';
export const number: MemberCheck = (value) => Number.isFinite(value);
export const integer: MemberCheck = (value) => Number.isSafeInteger(value);
const boolean: MemberCheck = (value) => typeof value === 'boolean';
const nonEmptyText: MemberCheck = (value) => text(value) && value !== '';
const naturalNumber: MemberCheck = (value) => integer(value) && (value as number) >= 0;
const scalar: MemberCheck = (value) => value === null || text(value) || number(value) || boolean(value);
const oneOf =
  (...values: readonly unknown[]): MemberCheck =>
  (value) =>
    values.includes(value);
export const optional =
  (check: MemberCheck): MemberCheck =>
  (value) =>
    value === undefined || check(value);
export const nullable =
  (check: MemberCheck): MemberCheck =>
  (value) =>
    value === null || check(value);
export const list =
  (check: MemberCheck): MemberCheck =>
  (value) =>
    Array.isArray(value) && value.every(check);

const auth = {
  userId: isUuid,
  accessToken: nonEmptyText,
  refreshToken: nonEmptyText,
  status: integer,
  country: text,
  time: integer,
};

/** @see docs/interface.md#server-authentication-response */
export const checkAuthAnswer = /* @__PURE__ */ checkObject<AuthAnswer>(auth);

/** The limits that an answer may tell. */
export const limits = /* @__PURE__ */ optional(
  objectMember<AnsweredLimits>({
    valueBytes: optional(integer),
    entries: optional(integer),
    collections: optional(integer),
  }),
);

export const checkPlayerAuthAnswer = /* @__PURE__ */ checkObject<PlayerAuthAnswer>({
  ...auth,
  methods: optional(list(text)),
  limits,
});

const entryMembers = { key: text, value: isPlainObject, version: naturalNumber };
const entry = /* @__PURE__ */ objectMember<ProfileEntry>(entryMembers);
const times = /* @__PURE__ */ optional(isEntryTimes);
const playerEntry = /* @__PURE__ */ objectMember<PlayerEntry>({ ...entryMembers, times });

/** @see docs/interface.md#read-a-collection */
export const checkCollectionAnswer: AnswerCheck<ProfileEntry[]> = (value) => (list(entry)(value) ? null : '');

export const checkPlayerCollectionAnswer: AnswerCheck<PlayerEntry[]> = (value) =>
  list(playerEntry)(value) ? null : '';

export const checkCollectionsAnswer = /* @__PURE__ */ checkObject<{ collections: CollectionRevision[] }>({
  collections: list(objectMember<CollectionRevision>({ name: text, revision: integer })),
});

/** @see docs/interface.md#entry-update-response */
export const checkUpdateAnswer = /* @__PURE__ */ checkObject<{ version: number }>({ version: naturalNumber });

const side = /* @__PURE__ */ objectMember<ConflictSide>({
  userId: text,
  methods: list(text),
  createdAt: integer,
  changedAt: nullable(integer),
  entries: integer,
  bytes: integer,
  fields: list(objectMember<ShownField>({ collection: text, key: text, field: text, value: optional(scalar) })),
});

const versionAndSize = /* @__PURE__ */ nullable(
  objectMember<NonNullable<ConflictDifference['local']>>({ version: integer, bytes: integer }),
);

export const checkConflictSides = /* @__PURE__ */ checkObject<ConflictSides>({
  ticket: text,
  method: text,
  expiresAt: integer,
  local: side,
  cloud: side,
  kind: oneOf('fast-forward', 'diverged'),
  ahead: nullable(oneOf('local', 'cloud')),
  diff: list(
    objectMember<ConflictDifference>({
      collection: text,
      key: text,
      local: versionAndSize,
      cloud: versionAndSize,
      same: boolean,
    }),
  ),
  mergeable: boolean,
});

const sideEntries = /* @__PURE__ */ list(
  objectMember<SideEntry>({ collection: text, key: text, value: isPlainObject, version: integer, times }),
);

export const checkConflictSidesAnswer = /* @__PURE__ */ checkObject<ConflictProfiles>({
  local: sideEntries,
  cloud: sideEntries,
  merged: optional(sideEntries),
});

export const checkPeekAnswer = /* @__PURE__ */ checkObject<PeekAnswer>({
  outcome: oneOf('free', 'mine', 'other'),
  side: optional(side),
});

export const checkAccountAnswer = /* @__PURE__ */ checkObject<AccountAnswer>({
  userId: isUuid,
  createdAt: integer,
  methods: list(
    objectMember<LinkedMethod>({
      method: text,
      label: optional(text),
      address: optional(text),
      addressSince: optional(integer),
      linkedAt: integer,
      lastUsedAt: optional(integer),
    }),
  ),
});

export const checkDevicesAnswer = /* @__PURE__ */ checkObject<DevicesAnswer>({
  devices: list(objectMember<LinkedDevice>({ id: text, linkedAt: integer, lastUsedAt: integer, isCurrent: boolean })),
});

const quotaUsage = /* @__PURE__ */ objectMember<QuotaUsage>({ used: integer, limit: integer });

export const checkUsageAnswer = /* @__PURE__ */ checkObject<AccountUsage>({
  values: quotaUsage,
  entries: quotaUsage,
  collections: quotaUsage,
  snapshots: quotaUsage,
  snapshotBytes: quotaUsage,
  devices: quotaUsage,
  sessions: quotaUsage,
});

export const checkDeletionAnswer = /* @__PURE__ */ checkObject<DeletionAnswer>({
  userId: isUuid,
  removedAt: integer,
  recoveryCode: text,
});

export const checkRecoveryCodeAnswer = /* @__PURE__ */ checkObject<{ code: string }>({ code: text });

export const checkSnapshotsAnswer = /* @__PURE__ */ checkObject<{ snapshots: SnapshotSummary[] }>({
  snapshots: list(
    objectMember<SnapshotSummary>({
      id: text,
      createdAt: integer,
      expiresAt: integer,
      reason: text,
      fromUserId: text,
      entries: integer,
      bytes: integer,
    }),
  ),
});

export const checkSnapshotAddedAnswer = /* @__PURE__ */ checkObject<{ id: string }>({ id: text });

export const checkRestoreAnswer = /* @__PURE__ */ checkObject<{ entries: Omit<PlacedEntry, 'value'>[] }>({
  entries: list(objectMember<Omit<PlacedEntry, 'value'>>({ collection: text, key: text, version: integer })),
});

export const checkProblem = /* @__PURE__ */ checkObject<Problem>({
  type: text,
  title: text,
  status: integer,
  code: text,
  detail: optional(text),
  requestId: optional(text),
  currentVersion: optional(integer),
  currentValue: optional(isPlainObject),
  currentTimes: times,
  carriedOut: optional(oneOf(false)),
  serverTime: optional(integer),
  removedAt: optional(integer),
  retryAfterMs: optional(number),
  limitName: optional(text),
  platforms: optional(list(text)),
  methods: optional(list(text)),
  minLength: optional(integer),
  reason: optional(text),
  until: optional(nullable(text)),
  quota: optional(text),
  limit: optional(integer),
  used: optional(integer),
  conflict: optional(passes(checkConflictSides)),
});

export const checkAccessClaims = /* @__PURE__ */ checkObject<AccessClaims>({
  iss: text,
  aud: text,
  env: isEnvironment,
  sub: text,
  sid: text,
  jti: text,
  iat: integer,
  exp: integer,
  auth_time: optional(integer),
  amr: optional(list(text)),
  wire: optional(integer),
});
