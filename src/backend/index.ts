export type {
  AddressChangedDelivery,
  Addressee,
  Deliver,
  Delivery,
  ResetDelivery,
  VerifyDelivery,
} from './accounts/deliveries.js';
export {
  defineConfig,
  type GameConfig,
  type PlatformConfig,
  type SecretReference,
  type ServiceConfig,
  type ServiceLimits,
} from './config.js';
export type { Control, Fault, FaultPlan, RecordedRequest } from './control.js';
export { type Backend, createBackend, type RestoreRequest } from './create-backend.js';
export type { AllowedOrigins } from './http/cors.js';
export type { Route } from './http/routes.js';
export type { Log, LogRecord } from './log.js';
export type { ObservedRequest, Observer, ServiceEvent } from './observer.js';
export type { BackendLimits, BackendOptions, GameOptions } from './options.js';
export type {
  CheckStep,
  Explanation,
  PlatformCheck,
  PlatformField,
  PlatformPlayer,
  PlatformPreset,
  PlatformSettings,
  PlatformSurroundings,
} from './platforms/preset.js';
export type { IdentityProviderOptions } from './providers/identity-tokens.js';
export type { PublicKeys } from './providers/provider-keys.js';
export {
  createRequestVerifier,
  type NetworkRequest,
  type RequestVerifierOptions,
} from './providers/request-verifier.js';
export { createSignedTokenVerifier, type SignedTokenOptions } from './providers/signed-token-verifier.js';
export type { SocialContext, SocialPlayer, SocialVerifier } from './providers/social.js';
export type { QuotaOptions, Quotas } from './quotas.js';
export type { Rate, RateLimits } from './rates.js';
export type { PlatformOptions } from './registry/configured.js';
export type { MemoryDump } from './stores/memory/dump.js';
export { createMemoryStore, type MemoryStore } from './stores/memory/store.js';
export type { Store } from './stores/store.js';
export type { WebhookOptions } from './webhooks/webhook.js';
