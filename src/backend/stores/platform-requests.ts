import type { Scope } from './records.js';

// What the operations of a store on registered platforms are asked, and what they answer.

/** A platform or identity provider that operators have registered for a game in one environment. */
export interface PlatformRecord {
  /** The name that it is registered under, one of its own in the game and environment. */
  name: string;
  /** The name of the preset that checks its tokens. */
  preset: string;
  /** Whether players may sign in with it. */
  isOn: boolean;
  /** What the preset was told, by the names of its fields, without what is secret. */
  settings: { readonly [field: string]: string | readonly string[] };
  /** The secret fields with their names, sealed by a key that no store has; null where there are none. */
  sealed: string | null;
  /** The names of the secret fields. */
  secrets: readonly string[];
  /** Who makes its tokens, for an identity provider; null for a social platform. No two of a game have the same. */
  issuer: string | null;
  /**
   * The revision of the game's platforms that it was last changed with: no two platforms and no two
   * states of one have the same.
   */
  version: number;
  /** When it was registered, in ms since 1970. */
  createdAt: number;
  /** When it was changed last, in ms since 1970. */
  changedAt: number;
}

/** All platforms of a game in one environment, as they were at one moment. */
export interface PlatformsRecord {
  /** Grows with each change of one of them; 0 where there has been none. */
  revision: number;
  /** By name, in the order of its characters' codes. */
  platforms: PlatformRecord[];
  /**
   * Social platforms that are gone, with their presets: players may still be linked by their names.
   * The latest ones are last.
   */
  former: FormerPlatform[];
}

/** A social platform that is gone. */
export interface FormerPlatform {
  /** The name that it was registered under. */
  name: string;
  /** The preset that checked its tokens. */
  preset: string;
}

/** What is to be kept of a platform. */
export interface SavePlatformRequest {
  /** The game and environment. */
  scope: Scope;
  /** The platform, but for what the store knows by itself. */
  platform: Omit<PlatformRecord, 'version' | 'createdAt' | 'changedAt'>;
  /** The version that the change rests on; 0 for a platform that is not there yet. */
  version: number;
  /**
   * Whether a social platform may have a name that another preset has checked: it then gets the
   * accounts of its players.
   */
  takesOver: boolean;
  /** How many platforms there may be. */
  max: number;
  /** The service's clock, in ms since 1970. */
  now: number;
}

/** What became of `savePlatform`. */
export type SavePlatformOutcome =
  | {
      /** It is kept, and `before` is what it was; null for a new one. */
      outcome: 'saved';
      /** The platform as it is now. */
      platform: PlatformRecord;
      /** As it was; null for a new one. */
      before: PlatformRecord | null;
    }
  | {
      /** Somebody else has changed, registered or removed it. */
      outcome: 'version_mismatch';
      /** The version that is stored; 0 where there is none. */
      version: number;
    }
  | {
      /** Players may be linked by this name, and another preset has checked who they are. */
      outcome: 'name_in_use';
      /** That preset. */
      preset: string;
    }
  | {
      /** Another platform has the same issuer, or there are as many as there may be. */
      outcome: 'issuer_taken' | 'too_many';
    };

/** Which platform is to be removed. */
export interface RemovePlatformRequest {
  /** The game and environment. */
  scope: Scope;
  /** The platform's name. */
  name: string;
  /** The version that is to be removed. */
  version: number;
}

/** What became of `removePlatform`. */
export type RemovePlatformOutcome =
  | {
      /** It is gone. */
      outcome: 'removed';
      /** As it was. */
      before: PlatformRecord;
    }
  | {
      /** Somebody else has changed or removed it. */
      outcome: 'version_mismatch';
      /** The version that is stored; 0 where there is none. */
      version: number;
    };
