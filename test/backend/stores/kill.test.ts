import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openSqliteStore } from '../../../src/backend/stores/sqlite/store.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { describeKills } from './kill-contract.js';

const folder = temporaryFolder();
let files = 0;
afterAll(() => rmSync(folder, { recursive: true }));

describeKills('on SQLite', {
  place() {
    files += 1;
    return { kind: 'sqlite', file: join(folder, `${files}.db`) };
  },
  open: (place, steps) => {
    const file = 'file' in place ? place.file : '';
    return openSqliteStore({ file }, steps === undefined ? {} : { steps });
  },
});
