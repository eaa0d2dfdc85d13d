// A step of its own: tsup runs its builds side by side, and one that cleans would delete what another has written.
import { rmSync } from 'node:fs';

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
