import { inject } from 'vitest';

/** What is asked of the model from outside, by the environment of the run: a page has none. */
export interface WorldSearch {
  /** Whether new sequences are carried out, and many more. */
  isProof: boolean;
  /** `WORLD_RUNS`: how many sequences. */
  runs?: number;
  /** `MODEL`: what a failure has printed, to see the same again: seed, path and replay path. */
  again?: string;
  /** `WORLD_NAMES`: the collections, where not all are wanted. */
  names?: string[];
  /** `WORLD_ONLY`: the commands, by how they begin. */
  only?: string[];
  /** `WORLD_SEEK`: a pattern of what alone counts as a failure. */
  seek?: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    world: WorldSearch;
  }
}

export const search = inject('world');
