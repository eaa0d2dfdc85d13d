export type {
  Account as ClientAccount,
  AccountDeletion,
  AccountMethod,
  RestoredEntry,
  SetAddressOptions,
  SignOutEverywhereOptions,
} from './client/account.js';
export type {
  Auth as ClientAuth,
  ExternalSession,
  SignOutOptions,
  SocialTokenOptions,
  SwitchOptions,
} from './client/auth/auth.js';
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
  HeldEntry,
  ImportPlace,
  ImportReport,
  Profile as ClientProfile,
  SavedEntry,
  SyncStatus,
  TextStorage,
} from './client/profile/collection.js';
export type { FollowOptions } from './client/profile/follow.js';
export type { StandardSchema } from './client/profile/schema.js';
export type {
  AuthResult as ClientAuthResult,
  CallOptions,
  DoneResult,
  Failed as ClientFailedResult,
  PeekResult,
  ReadyResult as ClientReadyResult,
  SignOutResult as ClientSignOutResult,
} from './client/results.js';
export type { InitializedReason, StateName } from './client/session/state-machine.js';
export type { AppConfig } from './client/spec/app-config.js';
export { Auth } from './client/spec/auth.js';
export type {
  SystemProfileConflict,
  SystemProfileConflictDifference,
  SystemProfileConflictEntry,
  SystemProfileConflictSide,
} from './client/spec/conflict.js';
export { Events, type SpecEvents } from './client/spec/events.js';
export { Main } from './client/spec/main.js';
export { Profile } from './client/spec/profile.js';
export type { AuthResult, FailedResult, ReadyResult, SignOutResult } from './client/spec/results.js';
export type { ClientStorage } from './client/storage/persistence.js';
export type { StorageName, StoragePort } from './client/storage/storage-port.js';
export type { AccountSnapshot } from './client/watch-account.js';
export type { Watched } from './client/watched.js';
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
export type { AccountUsage, LinkedDevice, QuotaUsage, SnapshotSummary } from './protocol/player-messages.js';
