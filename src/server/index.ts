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
} from '../errors.js';
export type { FetchLike } from '../http/sender.js';
export { highestProgress, longestPlaytime } from '../merge/policies.js';
export type {
  FieldMerge,
  FieldRules,
  FieldSides,
  MergePolicy,
  MergeRules,
  RuleName,
  ValueSides,
} from '../merge/rules.js';
export type {
  EntriesOfMerge,
  GameChoice,
  MergedPlayers,
  PlayerChoice,
  UndoneChoice,
} from '../protocol/admin-choices.js';
export type { GameConflict } from '../protocol/admin-conflicts.js';
export type { DayCounts } from '../protocol/admin-counts.js';
export type {
  AdminEntry,
  AdminPlayer,
  AuditEntry,
  Ban,
  EntrySummary,
  FoundMethod,
  NewOperatorKey,
  OperatorKey,
  OperatorScope,
  PlayerSummary,
  ResetCode,
  ServedGame,
  SignInCode,
} from '../protocol/admin-messages.js';
export type {
  GamePlatform,
  PlatformFieldInfo,
  PlatformPresetInfo,
  PlatformTrial,
} from '../protocol/admin-platforms.js';
export type {
  AccountChosen,
  AccountMade,
  AccountOrphaned,
  ConflictMet,
  DeletionBegun,
  EntriesKept,
  EntryWritten,
  MethodLinked,
  OperatorDid,
  SignedIn,
  TimelineEvent,
  TimelineKind,
} from '../protocol/admin-timeline.js';
export type { DeadEvent, RetriedWebhooks, WebhookQueue } from '../protocol/admin-webhooks.js';
export { type Environment, environments } from '../protocol/environments.js';
export type { FailureCode } from '../protocol/failures.js';
export type { AuthAnswer, JsonObject, ProfileEntry } from '../protocol/messages.js';
export type { AccountUsage, QuotaUsage, SnapshotSummary } from '../protocol/player-messages.js';
export type { SignatureEncoding } from '../protocol/signing.js';
export type { WebhookDetails, WebhookEvent, WebhookKind } from '../protocol/webhooks.js';
export type { AdminGames, CountsOptions, RetryWebhooksOptions, WebhooksOptions } from './admin-games.js';
export type { AdminCallOptions, AdminPageOptions, AuditPage } from './admin-pages.js';
export type {
  AdminPlatforms,
  PlatformAtOptions,
  PlatformsOptions,
  RemovePlatformOptions,
  SavePlatformOptions,
  TryPlatformOptions,
} from './admin-platforms.js';
export type {
  AdminEntryOptions,
  AdminPlayerChanges,
  AdminUpdatedEntry,
  AdminUpdateOptions,
  BanPlayerOptions,
  EntryVersion,
  RestorePlayerOptions,
} from './admin-player-changes.js';
export type { AdminPlayerChoices, MergePlayersOptions } from './admin-player-choices.js';
export type {
  AdminPlayers,
  AdminSnapshot,
  EntriesPage,
  FindPlayerOptions,
  ListPlayersOptions,
  PlayersOptions,
  PlayersPage,
  TimelinePage,
} from './admin-players.js';
export type { AuthenticateOptions } from './authenticate.js';
export {
  type AdminClient,
  type AdminClientOptions,
  createAdminClient,
  type NewOperatorKeyOptions,
} from './create-admin-client.js';
export {
  type CollectionOptions,
  createServerClient,
  type EditEntryOptions,
  type EntryOptions,
  type PlayerOptions,
  type ServerClient,
  type UpdateEntryOptions,
} from './create-server-client.js';
export type { EditedEntry, EntryChange } from './edit-entry.js';
export type { ServerClientOptions } from './options.js';
export {
  type RequestHeaders,
  type SignedRequest,
  type SignRequestOptions,
  signRequest,
  type VerifiedRequest,
  type VerifyRequestOptions,
  verifyRequest,
} from './signed-request.js';
export type { VerifiedPlayer, VerifyPlayerOptions } from './verify-player.js';
