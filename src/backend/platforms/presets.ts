import type { PlatformPreset } from './preset.js';

/** Every platform and identity provider that has a preset, in the order in which a form shows them. */
export const platformPresets: readonly PlatformPreset[] = [];
