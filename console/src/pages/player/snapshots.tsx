import { useState } from 'preact/hooks';
import type { SnapshotSummary } from '../../../../src/protocol/player-messages.js';
import { useConsole } from '../../context.js';
import { Change } from '../../parts/change.js';
import { Ready, useLoaded } from '../../parts/loaded.js';
import { Ago, Badge, Bytes, Empty, Id, Moment } from '../../parts/show.js';
import { Table } from '../../parts/table.js';
import type { PlayerProps } from './player.js';
import { SnapshotContent } from './snapshot-content.js';

/** What was overwritten or not chosen, and can be written back. */
export function Snapshots({ player, reload }: PlayerProps) {
  const { texts, players, href } = useConsole();
  const [shown, setShown] = useState<SnapshotSummary | null>(null);
  const read = useLoaded((signal) => players.snapshots(player.userId, { signal }), [players, player.userId], [player]);
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
        <SnapshotContent userId={player.userId} snapshotId={shown.id} onClose={() => setShown(null)} />
      )}
    </>
  );
}
