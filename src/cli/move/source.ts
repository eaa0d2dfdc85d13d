import { rmSync } from 'node:fs';
import type { RawTables } from '../../backend/stores/sql/raw-tables.js';
import type { Io } from '../io.js';
import { opening, storeKind } from '../open-store.js';
import { postgresPlace } from '../store-adapters.js';
import { askStoreSocket, askToHandOver } from '../store-socket.js';

/** The store that is moved: what can be had of it while a service writes to it, and what only once nobody does. */
export interface Source {
  /** What it has now, while others go on; null where nobody has it open, so that nobody would wait for the copy. */
  snapshot(): Promise<RawTables | null>;
  /** What it has, and nobody writes to it until that is closed. Others go on to read it. */
  hold(): Promise<RawTables>;
}

export function openSource(description: string, io: Io): Source {
  return storeKind(description) === 'sqlite' ? fileSource(description, io) : postgresSource(description);
}

function postgresSource(description: string): Source {
  const open = (as: 'snapshot' | 'source') =>
    opening(description, async () => {
      const { openPostgresTables } = await import('../../backend/stores/postgres/raw-tables.js');
      return openPostgresTables({ ...postgresPlace(description), as });
    });
  return { snapshot: () => open('snapshot'), hold: () => open('source') };
}

/**
 * A file is the service's alone while that has it open: then the service makes copies of it, one while it goes on, and
 * one once it has stopped to write.
 */
function fileSource(file: string, io: Io): Source {
  const copy = `${file}.moving`;
  const asked = { progressed: () => {}, stop: io.stop };
  const openFile = (which: string): Promise<RawTables> =>
    opening(which, async () => {
      const { openSqliteTables } = await import('../../backend/stores/sqlite/raw-tables.js');
      return openSqliteTables(which, Date.now());
    });
  const removeCopy = (): void => {
    for (const ending of ['', '-wal', '-shm', '.partial']) rmSync(`${copy}${ending}`, { force: true });
  };
  const openCopy = async (): Promise<RawTables> => {
    const tables = await openFile(copy);
    const close = (): Promise<void> => tables.close().finally(removeCopy);
    return { ...tables, close };
  };
  return {
    async snapshot() {
      removeCopy();
      const answer = await askStoreSocket(file, { do: 'backup', file: copy }, asked);
      return answer === undefined ? null : openCopy();
    },
    async hold() {
      removeCopy();
      const handed = await askToHandOver(file, copy, asked);
      if (handed === undefined) return openFile(file);
      try {
        const tables = await openCopy();
        return {
          ...tables,
          markMoved: handed.markMoved,
          commit: async () => {},
          close: () => tables.close().finally(handed.leave),
        };
      } catch (error) {
        handed.leave();
        throw error;
      }
    },
  };
}
