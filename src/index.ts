export type { Account as ClientAccount, AccountMethod, RestoredEntry } from './client/account.js';
export type { Auth as ClientAuth } from './client/auth/auth.js';
export type { Conflict, ConflictUnhandledError } from './client/auth/conflict.js';
export type { Credential } from './client/auth/credentials.js';
export type { ClientEvents } from './client/client-events.js';
export type { ClientConfig, ExternalValues } from './client/config.js';
export { type Client, createClient } from './client/create-client.js';
export type { Events as EventSubscriptions } from './client/events.js';
export type {
  Collection,
  CollectionOptions,
  EntryChanged,
  EntryConflict,
  Profile as ClientProfile,
  SavedEntry,
  SyncStatus,
} from './client/profile/collection.js';
export type { StandardSchema } from './client/profile/schema.js';
export type {
  AuthResult as ClientAuthResult,
  CallOptions,
  PeekResult,
  ReadyResult as ClientReadyResult,
  SignOutResult as ClientSignOutResult,
} from './client/results.js';
export type { InitializedReason, StateName } from './client/session/state-machine.js';
export {
  type AppConfig,
  Auth,
  type AuthResult,
  Events,
  Main,
  Profile,
  type ReadyResult,
  type SignOutResult,
  type SpecEvents,
  type SystemProfileConflict,
} from './client/spec/spec.js';
export type { StorageName, StoragePort } from './client/storage/storage-port.js';
export {
  type ClientCode,
  type ErrorCode,
  InvalidAnswerError,
  isFailure,
  isSdkError,
  NoAnswerError,
  SdkError,
  ServiceError,
  StateError,
} from './errors.js';
export type { FetchLike } from './http/sender.js';
export { highestProgress, longestPlaytime } from './merge/policies.js';
export type {
  FieldMerge,
  FieldRules,
  FieldSides,
  MergePolicy,
  MergeRules,
  RuleName,
  ValueSides,
} from './merge/rules.js';
export type {
  ConflictChoice,
  ConflictDifference,
  ConflictField,
  ConflictKind,
  ConflictSide,
  ShownField,
} from './protocol/conflict.js';
export { type Environment, environments } from './protocol/environments.js';
export type { FailureCode } from './protocol/failures.js';
export type { JsonObject, ProfileEntry } from './protocol/messages.js';
export type { SnapshotSummary } from './protocol/player-messages.js';
