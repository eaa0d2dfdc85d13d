/**
 * The answers' forms once more, as the SDKs check them: a validator for every message would be half of what a game
 * downloads. The schemas stay the source: the compiler asks for a check of each of their fields, and a test compares
 * both over thousands of good and bad answers. Nothing here may import a schema, only its type.
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

/** Names the first field that does not fit (`''` for the whole), or gives null where all do. */
export interface Shape<T> {
  (value: unknown): string | null;
  /** Never there: it carries the type. */
  readonly answer?: T;
}

/** Whether one value is of its kind. */
type Check = (value: unknown) => boolean;

/** The type of the message makes sure that no field is forgotten. */
export function object<T extends object>(checks: { readonly [K in keyof T]-?: Check }): Shape<T> {
  const fields = Object.entries<Check>(checks);
  return (value) => (isPlainObject(value) ? (fields.find(([name, check]) => !check(value[name]))?.[0] ?? null) : '');
}

export const text: Check = (value) => typeof value === 'string';
const filled: Check = (value) => text(value) && value !== '';
export const integer: Check = (value) => Number.isSafeInteger(value);
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
export const fits =
  (shape: Shape<unknown>): Check =>
  (value) =>
    shape(value) === null;

const count: Check = (value) => integer(value) && (value as number) >= 0;
export const number: Check = (value) => Number.isFinite(value);
const isBoolean: Check = (value) => typeof value === 'boolean';
const scalar: Check = (value) => value === null || text(value) || number(value) || isBoolean(value);

const auth = {
  userId: isUuid,
  accessToken: filled,
  refreshToken: filled,
  status: integer,
  country: text,
  time: integer,
};

/** @see Spec 2.5 */
export const authShape = /* @__PURE__ */ object<AuthAnswer>(auth);

export const playerAuthShape = /* @__PURE__ */ object<PlayerAuthAnswer>({ ...auth, methods: optional(list(text)) });

const entryShape = /* @__PURE__ */ object<ProfileEntry>({ key: text, value: isPlainObject, version: count });

/** @see Spec 4.1 */
export const collectionShape: Shape<ProfileEntry[]> = (value) => (list(fits(entryShape))(value) ? null : '');

/** @see Spec 2.3 */
export const updateShape = /* @__PURE__ */ object<{ version: number }>({ version: count });

const side = /* @__PURE__ */ fits(
  object<ConflictSide>({
    userId: text,
    methods: list(text),
    createdAt: integer,
    changedAt: nullable(integer),
    entries: integer,
    bytes: integer,
    fields: list(fits(object<ShownField>({ collection: text, key: text, field: text, value: optional(scalar) }))),
  }),
);

const choice: Check = (value) => value === 'local' || value === 'cloud';
const sized = /* @__PURE__ */ nullable(
  fits(object<{ version: number; bytes: number }>({ version: integer, bytes: integer })),
);

export const conflictShape = /* @__PURE__ */ object<ConflictSides>({
  ticket: text,
  method: text,
  expiresAt: integer,
  local: side,
  cloud: side,
  kind: (value) => value === 'fast-forward' || value === 'diverged',
  ahead: nullable(choice),
  diff: list(
    fits(object<ConflictDifference>({ collection: text, key: text, local: sized, cloud: sized, same: isBoolean })),
  ),
  mergeable: isBoolean,
});

const placed = /* @__PURE__ */ list(
  fits(object<PlacedEntry>({ collection: text, key: text, value: isPlainObject, version: integer })),
);

export const conflictSidesShape = /* @__PURE__ */ object<{ local: PlacedEntry[]; cloud: PlacedEntry[] }>({
  local: placed,
  cloud: placed,
});

export const peekShape = /* @__PURE__ */ object<PeekAnswer>({
  outcome: (value) => value === 'free' || value === 'mine' || value === 'other',
  side: optional(side),
});

export const accountShape = /* @__PURE__ */ object<AccountAnswer>({
  userId: isUuid,
  createdAt: integer,
  methods: list(fits(object<LinkedMethod>({ method: text, label: optional(text), linkedAt: integer }))),
});

export const deletionShape = /* @__PURE__ */ object<DeletionAnswer>({
  userId: isUuid,
  removedAt: integer,
  recoveryCode: text,
});

export const recoveryCodeShape = /* @__PURE__ */ object<{ code: string }>({ code: text });

export const snapshotsShape = /* @__PURE__ */ object<{ snapshots: SnapshotSummary[] }>({
  snapshots: list(
    fits(
      object<SnapshotSummary>({
        id: text,
        createdAt: integer,
        expiresAt: integer,
        reason: text,
        fromUserId: text,
        entries: integer,
        bytes: integer,
      }),
    ),
  ),
});

export const restoreShape = /* @__PURE__ */ object<{ entries: { collection: string; key: string; version: number }[] }>(
  {
    entries: list(
      fits(
        object<{ collection: string; key: string; version: number }>({ collection: text, key: text, version: integer }),
      ),
    ),
  },
);

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
