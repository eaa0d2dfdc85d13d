import * as z from 'zod/mini';
import * as choices from '../../protocol/admin-choices.js';
import { conflictsAnswer } from '../../protocol/admin-conflicts.js';
import { countsAnswer } from '../../protocol/admin-counts.js';
import * as admin from '../../protocol/admin-messages.js';
import * as platforms from '../../protocol/admin-platforms.js';
import { timelineAnswer, timelineEvent } from '../../protocol/admin-timeline.js';
import * as webhooks from '../../protocol/admin-webhooks.js';
import { conflictDifference, conflictSide, conflictSides, linkMethods } from '../../protocol/conflict.js';
import {
  authAnswer,
  collectionAnswer,
  environment,
  jsonObject,
  serverAuthRequest,
  updateAnswer,
  updateRequest,
  uuid,
} from '../../protocol/messages.js';
import * as wire from '../../protocol/player-messages.js';
import * as requests from '../../protocol/player-requests.js';
import { problem } from '../../protocol/problem.js';

const session = z.object({ method: z.enum(linkMethods), openedAt: z.int(), expiresAt: z.int() });

const exportedMethod = z.object({
  method: z.enum(linkMethods),
  label: z.optional(z.string()),
  address: z.optional(z.string()),
  linkedAt: z.int(),
  lastUsedAt: z.int(),
  subject: z.optional(z.string()),
});

const exportAnswer = z.object({
  userId: uuid,
  gameId: uuid,
  env: environment,
  createdAt: z.int(),
  exportedAt: z.int(),
  methods: z.array(exportedMethod),
  sessions: z.array(session),
  choice: z.optional(choices.playerChoice),
  entries: z.array(wire.placedEntry),
  snapshots: z.array(wire.snapshotAnswer),
});

const publishedKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  kid: z.string(),
  alg: z.literal('ES256'),
  use: z.literal('sig'),
});

/** Every message by its name in the document. All but the last three check what travels. */
export const schemas = {
  ServerAuthRequest: serverAuthRequest,
  UpdateRequest: updateRequest,
  PlayerUpdateRequest: requests.playerUpdateRequest,
  GuestRequest: requests.guestRequest,
  NameRequest: requests.nameRequest,
  IdentityRequest: requests.identityRequest,
  SocialRequest: requests.socialRequest,
  RecoveryRequest: requests.recoveryRequest,
  ResetRequest: requests.resetRequest,
  NewPasswordRequest: requests.newPasswordRequest,
  ConflictSidesRequest: requests.conflictSidesRequest,
  ConflictRequest: requests.conflictRequest,
  RefreshRequest: requests.refreshRequest,
  SignOutRequest: requests.signOutRequest,
  SignOutOthersRequest: requests.signOutOthersRequest,
  PasswordRequest: requests.passwordRequest,
  AddressRequest: requests.addressRequest,
  VerificationRequest: requests.verificationRequest,
  SnapshotRequest: requests.snapshotRequest,
  AuthAnswer: authAnswer,
  PlayerAuthAnswer: wire.playerAuthAnswer,
  CollectionAnswer: collectionAnswer,
  PlayerCollectionAnswer: wire.playerCollectionAnswer,
  CollectionsAnswer: wire.collectionsAnswer,
  UpdateAnswer: updateAnswer,
  ConflictSide: conflictSide,
  ConflictDifference: conflictDifference,
  ConflictSides: conflictSides,
  ConflictSidesAnswer: wire.conflictSidesAnswer,
  PeekAnswer: wire.peekAnswer,
  AccountAnswer: wire.accountAnswer,
  UsageAnswer: wire.usageAnswer,
  DevicesAnswer: wire.devicesAnswer,
  DeletionAnswer: wire.deletionAnswer,
  RecoveryCodeAnswer: wire.recoveryCodeAnswer,
  PlacedEntry: wire.placedEntry,
  SideEntry: wire.sideEntry,
  SnapshotSummary: wire.snapshotSummary,
  SnapshotsAnswer: wire.snapshotsAnswer,
  SnapshotAddedAnswer: wire.snapshotAddedAnswer,
  SnapshotAnswer: wire.snapshotAnswer,
  RestoreAnswer: wire.restoreAnswer,
  OperatorKey: admin.operatorKey,
  OperatorKeyRequest: admin.operatorKeyRequest,
  MergePlayersRequest: choices.mergePlayersRequest,
  PlayerChoice: choices.playerChoice,
  UndoneChoiceAnswer: choices.undoneChoiceAnswer,
  MergedPlayersAnswer: choices.mergedPlayersAnswer,
  CountsAnswer: countsAnswer,
  WebhookQueueAnswer: webhooks.webhookQueueAnswer,
  ConflictsAnswer: conflictsAnswer,
  ChoicesAnswer: choices.choicesAnswer,
  RetryWebhooksRequest: webhooks.retryWebhooksRequest,
  RetriedWebhooksAnswer: webhooks.retriedWebhooksAnswer,
  PlatformPreset: platforms.platformPreset,
  PlatformPresetsAnswer: platforms.platformPresetsAnswer,
  PlatformAnswer: platforms.platformAnswer,
  PlatformsAnswer: platforms.platformsAnswer,
  SavePlatformRequest: platforms.savePlatformRequest,
  TryPlatformRequest: platforms.tryPlatformRequest,
  PlatformTrialAnswer: platforms.platformTrialAnswer,
  ResetCodeAnswer: admin.resetCodeAnswer,
  SignInCodeAnswer: admin.signInCodeAnswer,
  RestorePlayerRequest: admin.restorePlayerRequest,
  BanRequest: admin.banRequest,
  OperatorKeyAnswer: admin.operatorKeyAnswer,
  OperatorKeysAnswer: admin.operatorKeysAnswer,
  GamesAnswer: admin.gamesAnswer,
  AuditEntry: admin.auditEntry,
  AuditAnswer: admin.auditAnswer,
  TimelineEvent: timelineEvent,
  TimelineAnswer: timelineAnswer,
  PlayerSummary: admin.playerSummary,
  PlayersAnswer: admin.playersAnswer,
  PlayerAnswer: admin.playerAnswer,
  EntrySummary: admin.entrySummary,
  EntriesAnswer: admin.entriesAnswer,
  EntryAnswer: admin.entryAnswer,
  Problem: problem,
  ExportAnswer: exportAnswer,
  KeySet: z.object({ keys: z.array(publishedKey) }),
  Document: z.looseObject({ openapi: z.string(), info: jsonObject, paths: jsonObject }),
} as const;

export type SchemaName = keyof typeof schemas;

/** The schemas of what is answered when it goes well. */
export type AnswerName = Extract<SchemaName, `${string}Answer` | 'KeySet' | 'Document'>;

/** What the document says of an answer that has such a body. */
export const answerDescriptions: { readonly [name in AnswerName]: string } = {
  AuthAnswer: 'Who the player is, and the tokens of a new session.',
  PlayerAuthAnswer:
    'Who the player is, the tokens of the session, the methods that lead to the account, and the limits of its saves.',
  CollectionAnswer: 'The entries of the collection, by key.',
  CollectionsAnswer: 'The collections that have an entry, by name, each with its revision.',
  PlayerCollectionAnswer: 'The entries of the collection, by key.',
  UpdateAnswer: 'The version that the write has made.',
  ConflictSidesAnswer: 'The entries of both accounts.',
  PeekAnswer: 'What signing in with the credential would do.',
  AccountAnswer: 'The account as it is now.',
  DevicesAnswer: 'The devices, the one first that was linked first.',
  UsageAnswer: 'Each quota: its limit, and how much of it is used.',
  DeletionAnswer: 'Until when the deletion can be taken back, and by which code.',
  RecoveryCodeAnswer: 'The new code.',
  SnapshotsAnswer: 'The snapshots, newest first.',
  SnapshotAddedAnswer: 'The id of the snapshot.',
  SnapshotAnswer: 'The snapshot with its entries.',
  RestoreAnswer: 'The entries that were written back, with their new versions.',
  ExportAnswer: 'Everything that is held on the player.',
  OperatorKeyAnswer: 'The key, this once.',
  OperatorKeysAnswer: 'The keys, oldest first.',
  GamesAnswer: 'The games.',
  UndoneChoiceAnswer: 'What leads to the other account again, and how many saves were written back.',
  MergedPlayersAnswer: 'What leads to the other account since, and how many saves were written.',
  CountsAnswer: 'The days, in their order.',
  ConflictsAnswer: 'A page of open conflicts.',
  ChoicesAnswer: 'A page of choices.',
  WebhookQueueAnswer: 'What waits, and what was set aside.',
  RetriedWebhooksAnswer: 'How many events are sent again.',
  PlatformPresetsAnswer: 'The presets.',
  PlatformAnswer: 'The platform as it is now.',
  PlatformsAnswer: 'The platforms, those of the configuration first.',
  PlatformTrialAnswer: 'Whose token it is, and each step of the check.',
  ResetCodeAnswer: 'The code, this once.',
  SignInCodeAnswer: 'The code, this once.',
  AuditAnswer: 'What was done, newest first.',
  TimelineAnswer: 'What happened, newest first.',
  PlayersAnswer: 'The players.',
  PlayerAnswer: 'The player.',
  EntriesAnswer: 'The entries, by collection and key.',
  EntryAnswer: 'The entry with its value.',
  KeySet: 'The keys as a JWK set.',
  Document: 'The document.',
};

/** What the document says of the checks that we wrote, of which zod knows no schema. */
const ownChecks = new Map<unknown, { type: 'object'; additionalProperties: true | { type: 'number' } }>([
  // Said outright: generators take an object of which nothing is said for one without members.
  [jsonObject, { type: 'object', additionalProperties: true }],
  [wire.entryTimes, { type: 'object', additionalProperties: { type: 'number' } }],
]);

/** The schemas as JSON Schema 2020-12, which OpenAPI 3.1 takes as it is; they refer to each other by name. */
export function jsonSchemas(): { [name: string]: object } {
  const registry = z.registry<{ id: string }>();
  for (const [name, schema] of Object.entries(schemas)) registry.add(schema, { id: name });
  const written = z.toJSONSchema(registry, {
    // The side that comes in, on which a member that is not named is ignored.
    io: 'input',
    uri: (name) => `#/components/schemas/${name}`,
    unrepresentable: ({ zodSchema }) => ownChecks.get(zodSchema) ?? 'throw',
  });
  return Object.fromEntries(
    Object.entries(written.schemas).map(([name, { $id: _, $schema: __, ...schema }]) => [name, schema]),
  );
}
