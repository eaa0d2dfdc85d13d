import type { SocialContext } from '../providers/social.js';

/** One thing that a preset needs to know, as a form asks for it. */
export interface PlatformField {
  /** The field's name in PlatformSettings. */
  name: string;
  /** What stands beside the field in a form. */
  label: string;
  /** What belongs in it, and where the platform shows it. */
  help: string;
  /** A `secret` is shown to nobody once it is set; a `list` is a list of texts; a `choice` is one of `choices`. */
  kind: 'text' | 'secret' | 'address' | 'list' | 'choice';
  /** What a `choice` may be. */
  choices?: readonly string[];
  /** Whether the preset cannot do without it. */
  isRequired: boolean;
  /** A value as it could be; none of a real game. */
  example?: string;
}

/** What a form has gathered, by the names of the preset's fields; a field that is left out has no entry. */
export type PlatformSettings = { readonly [field: string]: string | readonly string[] };

/** What a check needs besides its settings. */
export interface PlatformSurroundings {
  /** Sends requests to the platform; the global `fetch` by default. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** How long one answer of the platform may take, in ms; 5,000 by default. */
  timeoutMs?: number | undefined;
}

/** One step of a check, as "try a token" shows it. */
export interface CheckStep {
  /** What is checked, as a sentence without its full stop. */
  step: string;
  /** `not_reached` where an earlier step has failed. */
  result: 'passed' | 'failed' | 'not_reached';
  /** Why it failed. It holds no secret and no part of the token that could be used. */
  detail?: string;
}

/** A player as a platform knows them; `issuer` is there for identity providers alone, and `id` is then the subject. */
export interface PlatformPlayer {
  /** The player's id there, which never changes. */
  id: string;
  /** The provider's issuer. */
  issuer?: string;
}

/** What `explain` answers. */
export interface Explanation {
  /** The player, or null where the token does not hold, or where the platform could not be asked. */
  player: PlatformPlayer | null;
  /** Every step, in the order in which they are taken. */
  steps: CheckStep[];
}

/** A platform's check of tokens, prepared with the settings of one game. */
export interface PlatformCheck {
  /**
   * For an identity provider, the `iss` of its tokens in each spelling that it has; left out by one whose tokens have
   * another one for each of its customers: it is asked about each token that no other provider of the game has made.
   */
  readonly issuers?: readonly string[];
  /** Answers whose token it is, or null where it does not hold. Throws where the platform could not be asked. */
  verify(token: string, context: SocialContext): Promise<PlatformPlayer | null>;
  /** Does what `verify` does, and tells of each step; it does not throw where the platform could not be asked. */
  explain(token: string, context: SocialContext): Promise<Explanation>;
}

/** A platform or an identity provider whose tokens the service knows how to check. */
export interface PlatformPreset {
  /** The preset's name, which never changes. */
  name: string;
  /** The platform's own name. */
  title: string;
  /**
   * Whether players bring the token by `WithSocialToken`, under the platform's registered name,
   * or by `WithIdentityToken`.
   */
  kind: 'social' | 'identity';
  /** The address of the platform's page about the token. */
  documentation: string;
  /** Where to find what is needed, in a few sentences. */
  help: string;
  /** What is needed. */
  fields: readonly PlatformField[];
  /** Prepares a check. Throws TypeError naming the field that is wrong. */
  create(settings: PlatformSettings, surroundings: PlatformSurroundings): PlatformCheck;
}
