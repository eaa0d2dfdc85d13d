/**
 * The forms of the answers once more, as the SDKs check them: zod's schemas with their validator would be half of what
 * a game downloads. The schemas stay the source. The compiler asks for a check of each of their members, and a test
 * compares both over thousands of good and bad answers. This file may import the types of schemas, but no schema.
 */
import type { ConflictDifference, ConflictSide, ConflictSides, ShownField } from './conflict.js';
import { isEnvironment } from './environments.js';
import { isUuid } from './ids.js';
import type { AuthAnswer, ProfileEntry } from './messages.js';
import type {
  AccessClaims,
  AccountAnswer,
  DeletionAnswer,
  LinkedMethod,
  PeekAnswer,
  PlacedEntry,
  PlayerAuthAnswer,
  SnapshotSummary,
} from './player-messages.js';
import type { Problem } from './problem.js';
import { isPlainObject } from './value-text.js';

/**
 * Checks an answer: gives null where it has the form of `T`, else the name of the first member that is wrong, or an
 * empty text where the answer as a whole is.
 */
export interface Shape<T> {
  (value: unknown): string | null;
  /** Nothing has this member: it is there so that the compiler can read `T` off a shape. */
  readonly answer?: T;
}

/** Tells whether one value is right. */
type Check = (value: unknown) => boolean;

/** A check for each member of `T`: the compiler refuses a list that leaves one out. */
type MemberChecks<T> = { readonly [Name in keyof T]-?: Check };

/** The shape of an object whose members pass their checks. Members that `T` does not know are let through. */
export function object<T extends object>(checks: MemberChecks<T>): Shape<T> {
  const members = Object.entries<Check>(checks);
  return (value) => {
    if (!isPlainObject(value)) return '';
    const wrong = members.find(([name, check]) => !check(value[name]));
    return wrong === undefined ? null : wrong[0];
  };
}

/** A check for a member that has a shape of its own. */
export const fits =
  (shape: Shape<unknown>): Check =>
  (value) =>
    shape(value) === null;

/** A check for a member that is an object whose members pass their checks. */
export function nested<T extends object>(checks: MemberChecks<T>): Check {
  return fits(object<T>(checks));
}

export const text: Check = (value) => typeof value === 'string';
export const number: Check = (value) => Number.isFinite(value);
export const integer: Check = (value) => Number.isSafeInteger(value);
const boolean: Check = (value) => typeof value === 'boolean';
const nonEmptyText: Check = (value) => text(value) && value !== '';
const naturalNumber: Check = (value) => integer(value) && (value as number) >= 0;
const scalar: Check = (value) => value === null || text(value) || number(value) || boolean(value);
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
export const nullable =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
export const list =
  (check: Check): Check =>
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
export const authShape = /* @__PURE__ */ object<AuthAnswer>(auth);

export const playerAuthShape = /* @__PURE__ */ object<PlayerAuthAnswer>({ ...auth, methods: optional(list(text)) });

const entry = /* @__PURE__ */ nested<ProfileEntry>({ key: text, value: isPlainObject, version: naturalNumber });

/** @see docs/interface.md#read-a-collection */
export const collectionShape: Shape<ProfileEntry[]> = (value) => (list(entry)(value) ? null : '');

/** @see docs/interface.md#entry-update-response */
export const updateShape = /* @__PURE__ */ object<{ version: number }>({ version: naturalNumber });

const side = /* @__PURE__ */ nested<ConflictSide>({
  userId: text,
  methods: list(text),
  createdAt: integer,
  changedAt: nullable(integer),
  entries: integer,
  bytes: integer,
  fields: list(nested<ShownField>({ collection: text, key: text, field: text, value: optional(scalar) })),
});

const versionAndSize = /* @__PURE__ */ nullable(
  nested<NonNullable<ConflictDifference['local']>>({ version: integer, bytes: integer }),
);

export const conflictShape = /* @__PURE__ */ object<ConflictSides>({
  ticket: text,
  method: text,
  expiresAt: integer,
  local: side,
  cloud: side,
  kind: oneOf('fast-forward', 'diverged'),
  ahead: nullable(oneOf('local', 'cloud')),
  diff: list(
    nested<ConflictDifference>({
      collection: text,
      key: text,
      local: versionAndSize,
      cloud: versionAndSize,
      same: boolean,
    }),
  ),
  mergeable: boolean,
});

const placedEntries = /* @__PURE__ */ list(
  nested<PlacedEntry>({ collection: text, key: text, value: isPlainObject, version: integer }),
);

export const conflictSidesShape = /* @__PURE__ */ object<{ local: PlacedEntry[]; cloud: PlacedEntry[] }>({
  local: placedEntries,
  cloud: placedEntries,
});

export const peekShape = /* @__PURE__ */ object<PeekAnswer>({
  outcome: oneOf('free', 'mine', 'other'),
  side: optional(side),
});

export const accountShape = /* @__PURE__ */ object<AccountAnswer>({
  userId: isUuid,
  createdAt: integer,
  methods: list(nested<LinkedMethod>({ method: text, label: optional(text), linkedAt: integer })),
});

export const deletionShape = /* @__PURE__ */ object<DeletionAnswer>({
  userId: isUuid,
  removedAt: integer,
  recoveryCode: text,
});

export const recoveryCodeShape = /* @__PURE__ */ object<{ code: string }>({ code: text });

export const snapshotsShape = /* @__PURE__ */ object<{ snapshots: SnapshotSummary[] }>({
  snapshots: list(
    nested<SnapshotSummary>({
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

export const restoreShape = /* @__PURE__ */ object<{ entries: Omit<PlacedEntry, 'value'>[] }>({
  entries: list(nested<Omit<PlacedEntry, 'value'>>({ collection: text, key: text, version: integer })),
});

export const problemShape = /* @__PURE__ */ object<Problem>({
  type: text,
  title: text,
  status: integer,
  code: text,
  detail: optional(text),
  requestId: optional(text),
  currentVersion: optional(integer),
  currentValue: optional(isPlainObject),
  serverTime: optional(integer),
  removedAt: optional(integer),
  retryAfterMs: optional(number),
  platforms: optional(list(text)),
  conflict: optional(fits(conflictShape)),
});

export const accessClaimsShape = /* @__PURE__ */ object<AccessClaims>({
  iss: text,
  aud: text,
  env: isEnvironment,
  sub: text,
  sid: text,
  jti: text,
  iat: integer,
  exp: integer,
});
