import type { LinkMethod } from '../../../protocol/conflict.js';

/** The methods whose subject is the player's id elsewhere. Of the others it is a hash, or says what the label does. */
export const readableSubjects: readonly LinkMethod[] = ['identity', 'social', 'custom'];
