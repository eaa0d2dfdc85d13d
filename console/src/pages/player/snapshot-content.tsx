import { ServiceError } from '../../../../src/errors.js';
import type { JsonObject } from '../../../../src/protocol/messages.js';
import type { PlacedEntry } from '../../../../src/protocol/player-messages.js';
import { useConsole } from '../../context.js';
import { Dialog } from '../../parts/dialog.js';
import { Differences } from '../../parts/differences.js';
import { Ready, useLoaded } from '../../parts/loaded.js';
import { Foreign } from '../../parts/show.js';
import { ValueTree } from '../../parts/value-tree.js';

interface SnapshotProps {
  userId: string;
  snapshotId: string;
}

/** A dialog with what a snapshot holds. */
export function SnapshotContent({ onClose, ...snapshot }: SnapshotProps & { onClose(): void }) {
  const { texts } = useConsole();
  return (
    <Dialog isWide title={texts.snapshots.content} onClose={onClose}>
      <Content {...snapshot} />
      <div class="dialog-actions">
        <button type="button" class="primary" onClick={onClose}>
          {texts.common.close}
        </button>
      </div>
    </Dialog>
  );
}

interface Compared extends PlacedEntry {
  /** The value at present; null where the entry is not there. */
  now: JsonObject | null;
}

/** A snapshot's entries, each beside what it would overwrite. */
function Content({ userId, snapshotId }: SnapshotProps) {
  const { texts, players } = useConsole();
  const read = useLoaded(
    async (signal): Promise<Compared[]> => {
      const { content } = await players.snapshot(userId, snapshotId, { signal });
      const compared: Compared[] = [];
      for (const entry of content.slice(0, entriesAtMost)) {
        const { collection, key } = entry;
        const now = await players.entry(userId, { collection, key, signal }).catch((error: unknown) => {
          if (error instanceof ServiceError && error.status === 404) return null;
          throw error;
        });
        compared.push({ ...entry, now: now?.value ?? null });
      }
      return compared;
    },
    [players, userId, snapshotId],
  );
  return (
    <Ready of={read}>
      {(entries) => (
        <>
          {entries.map(({ collection, key, value, now, version }) => (
            <section key={`${collection}\n${key}`} class="compared">
              <h3>
                <Foreign text={collection} /> / <Foreign text={key} />{' '}
                <span class="soft">{texts.saves.version(version)}</span>
              </h3>
              {now === null ? (
                <>
                  <p class="soft">{texts.snapshots.notThere}</p>
                  <ValueTree value={value} />
                </>
              ) : (
                <Differences
                  before={now}
                  after={value}
                  heads={[texts.snapshots.atPresent, texts.snapshots.inSnapshot]}
                />
              )}
            </section>
          ))}
        </>
      )}
    </Ready>
  );
}

/** So many entries of a snapshot are compared: a dialog with more helps nobody. */
const entriesAtMost = 30;
