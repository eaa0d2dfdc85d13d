import { afterAll, beforeAll, vi } from 'vitest';
import { holdTime } from '../world.js';
import { holdPlatform } from './world/world.js';

/** Holds the platform for the tests of a file, or of a `describe`. */
export function holdStage(): void {
  let release = (): void => {};
  beforeAll(async () => {
    holdTime();
    release = await holdPlatform();
  });
  afterAll(() => {
    release();
    vi.useRealTimers();
  });
}
