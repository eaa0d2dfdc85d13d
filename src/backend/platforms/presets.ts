import { crazyGamesPreset } from './crazy-games.js';
import { discordPreset } from './discord.js';
import { facebookInstantPreset } from './facebook-instant.js';
import { networkPreset } from './network.js';
import { applePreset, googlePreset, oidcPreset } from './openid.js';
import type { PlatformPreset } from './preset.js';
import { signedTokenPreset } from './signed-token.js';
import { steamPreset } from './steam.js';
import { telegramPreset } from './telegram.js';

/** Every platform and identity provider that has a preset, in the order in which a form shows them. */
export const platformPresets: readonly PlatformPreset[] = [
  oidcPreset,
  googlePreset,
  applePreset,
  discordPreset,
  steamPreset,
  crazyGamesPreset,
  telegramPreset,
  facebookInstantPreset,
  signedTokenPreset,
  networkPreset,
];
