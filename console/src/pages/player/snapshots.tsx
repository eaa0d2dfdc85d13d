import { useState } from 'preact/hooks';
import { ServiceError } from '../../../../src/errors.js';
import type { JsonObject } from '../../../../src/protocol/messages.js';
import type { PlacedEntry, SnapshotSummary } from '../../../../src/protocol/player-messages.js';
import { useConsole } from '../../context.js';
import { Change } from '../../parts/change.js';
import { Dialog } from '../../parts/dialog.js';
import { Differences } from '../../parts/differences.js';
import { Ready, useLoaded } from '../../parts/loaded.js';
import { Ago, Badge, Bytes, Empty, Foreign, Id, Moment } from '../../parts/show.js';
import { Table } from '../../parts/table.js';
import { ValueTree } from '../../parts/value-tree.js';
import type { PlayerProps } from './player.js';

/** What was overwritten or not chosen, and can be written back. */
export function Snapshots({ player, reload }: PlayerProps) {
  const { texts, players, href } = useConsole();
  const [shown, setShown] = useState<SnapshotSummary | null>(null);
  const read = useLoaded((signal) => players.snapshots(player.userId, { signal }), [players, player]);
  const reasons: { readonly [reason: string]: string } = texts.snapshots.reasons;
  return (
    <>
      <p class="soft">{texts.snapshots.intro}</p>
      <Ready of={read}>
        {(snapshots) =>
          snapshots.length === 0 ? (
            <Empty title={texts.snapshots.none}>{texts.snapshots.noneHint}</Empty>
          ) : (
            <Table
              label={texts.player.tabs.snapshots}
              rows={snapshots}
              keyOf={({ id }) => id}
              columns={[
                { head: texts.players.made, cell: ({ createdAt }) => <Moment at={createdAt} /> },
                { head: texts.snapshots.reason, cell: ({ reason }) => <Badge>{reasons[reason] ?? reason}</Badge> },
                {
                  head: texts.snapshots.from,
                  cell: ({ fromUserId }) =>
                    fromUserId === player.userId ? (
                      <span class="soft">{texts.snapshots.thisPlayer}</span>
                    ) : (
                      <a href={href(['players', fromUserId])}>
                        <Id id={fromUserId} />
                      </a>
                    ),
                },
                {
                  head: texts.snapshots.holds,
                  cell: ({ entries, bytes }) => (
                    <>
                      {texts.snapshots.entries(entries)}{' '}
                      <span class="soft">
                        <Bytes of={bytes} />
                      </span>
                    </>
                  ),
                },
                { head: texts.snapshots.kept, cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
                {
                  head: texts.common.actions,
                  cell: (snapshot) => (
                    <>
                      <button type="button" class="small" onClick={() => setShown(snapshot)}>
                        {texts.snapshots.compare}
                      </button>
                      <Change
                        isSmall
                        scope="support"
                        texts={texts.changes.restoreSnapshot}
                        run={async () => {
                          await players.restoreSnapshot(player.userId, snapshot.id);
                        }}
                        onDone={() => {
                          read.reload();
                          reload();
                        }}
                      />
                    </>
                  ),
                },
              ]}
            />
          )
        }
      </Ready>
      {shown !== null && (
        <Dialog isWide title={texts.snapshots.content} onClose={() => setShown(null)}>
          <Content userId={player.userId} snapshotId={shown.id} />
          <div class="dialog-actions">
            <button type="button" class="primary" onClick={() => setShown(null)}>
              {texts.common.close}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

interface Compared extends PlacedEntry {
  /** The value at present; null where the entry is not there. */
  now: JsonObject | null;
}

/** A snapshot's entries, each beside what it would overwrite. */
function Content({ userId, snapshotId }: { userId: string; snapshotId: string }) {
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
