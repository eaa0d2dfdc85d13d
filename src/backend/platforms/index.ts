export { type CrazyGamesOptions, crazyGames } from './crazy-games.js';
export { custom } from './custom.js';
export { type DiscordOptions, discord } from './discord.js';
export { type FacebookInstantOptions, facebookInstant } from './facebook-instant.js';
export { type NetworkOptions, network } from './network.js';
export { apple, type ClientOptions, type GoogleOptions, google, type OidcOptions, oidc } from './openid.js';
export type {
  CheckStep,
  Explanation,
  PlatformCheck,
  PlatformField,
  PlatformPlayer,
  PlatformPreset,
  PlatformSettings,
  PlatformSurroundings,
} from './preset.js';
export { platformPresets } from './presets.js';
export { type SignedTokenPlatform, signedToken } from './signed-token.js';
export { type SteamOptions, steam } from './steam.js';
export { type TelegramOptions, telegram } from './telegram.js';
