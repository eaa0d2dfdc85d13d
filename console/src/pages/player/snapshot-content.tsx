import { useState } from 'preact/hooks';
import type { JsonObject } from '../../../../src/protocol/messages.js';
import type { PlacedEntry } from '../../../../src/protocol/player-messages.js';
import { useConsole } from '../../context.js';
import { Dialog } from '../../parts/dialog.js';
import { Differences } from '../../parts/differences.js';
import { Ready, useLoaded } from '../../parts/loaded.js';
import { Foreign } from '../../parts/show.js';
import { ValueTree } from '../../parts/value-tree.js';
import { readEntry } from '../read-entry.js';

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
  const [shown, setShown] = useState(entriesAtOnce);
  const read = useLoaded(
    async (signal) => (await players.snapshot(userId, snapshotId, { signal })).content,
    [players, userId, snapshotId],
  );
  return (
    <Ready of={read}>
      {(content) => (
        <>
          {slicesOf(content.slice(0, shown)).map((entries, index) => (
            <ComparedEntries key={index} userId={userId} entries={entries} />
          ))}
          {content.length > shown && (
            <p class="line">
              <span class="soft" role="status">
                {texts.common.slice(1, shown, content.length)}
              </span>
              <button type="button" onClick={() => setShown(shown + entriesAtOnce)}>
                {texts.common.more}
              </button>
            </p>
          )}
        </>
      )}
    </Ready>
  );
}

/** So many entries of a snapshot are read and drawn, and so many more each time somebody wants them. */
const entriesAtOnce = 30;

function slicesOf(content: readonly PlacedEntry[]): PlacedEntry[][] {
  const count = Math.ceil(content.length / entriesAtOnce);
  return Array.from({ length: count }, (_, index) => content.slice(index * entriesAtOnce, (index + 1) * entriesAtOnce));
}

/** Reads what is there at present as it appears. */
function ComparedEntries({ userId, entries }: { userId: string; entries: readonly PlacedEntry[] }) {
  const { texts, players } = useConsole();
  const read = useLoaded(
    async (signal): Promise<Compared[]> => {
      const compared: Compared[] = [];
      for (const entry of entries) {
        const { collection, key } = entry;
        const now = await readEntry(players, userId, { collection, key, signal });
        compared.push({ ...entry, now: now?.value ?? null });
      }
      return compared;
    },
    [players, userId],
  );
  return (
    <Ready of={read}>
      {(compared) => (
        <>
          {compared.map(({ collection, key, value, now, version }) => (
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
