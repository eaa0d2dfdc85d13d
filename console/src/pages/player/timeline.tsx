import { useState } from 'preact/hooks';
import type { TimelineEvent } from '../../../../src/protocol/admin-timeline.js';
import type { SnapshotSummary } from '../../../../src/protocol/player-messages.js';
import { useConsole } from '../../context.js';
import { timeFormat } from '../../formats.js';
import { Change } from '../../parts/change.js';
import { Ready, useLoaded } from '../../parts/loaded.js';
import { Pager, usePaging } from '../../parts/pages.js';
import { Moment } from '../../parts/show.js';
import { Table } from '../../parts/table.js';
import type { PlayerProps } from './player.js';
import { SnapshotContent } from './snapshot-content.js';
import { EventBadge, EventStory } from './timeline-event.js';

/** What happened to a player, newest first. Where saves of a moment are kept, they are shown and written back. */
export function Timeline({ player, reload }: PlayerProps) {
  const { texts, players } = useConsole();
  const [shown, setShown] = useState<SnapshotSummary | null>(null);
  const paging = usePaging(player.userId);
  const page = useLoaded(
    (signal) => players.timeline(player.userId, { cursor: paging.cursor, limit: 50, signal }),
    [players, player.userId, paging.cursor],
    // Whoever has pressed the next button meanwhile keeps the dialog.
    [player],
  );
  const changed = (): void => {
    page.reload();
    reload();
  };
  return (
    <>
      <p class="soft">{texts.timeline.intro}</p>
      <Ready of={page}>
        {({ events, cursor }) => (
          <>
            <Table
              label={texts.player.tabs.timeline}
              rows={events}
              keyOf={(event) => JSON.stringify(event)}
              columns={[
                { head: texts.audit.when, cell: ({ at }) => <Moment at={at} hasSeconds /> },
                { head: texts.player.kind, cell: ({ kind }) => <EventBadge kind={kind} /> },
                { head: texts.timeline.what, cell: (event) => <EventStory event={event} userId={player.userId} /> },
                {
                  head: texts.timeline.saves,
                  cell: (event) => (
                    <WayBack event={event} userId={player.userId} onLook={setShown} onChanged={changed} />
                  ),
                },
              ]}
            />
            <Pager paging={paging} cursor={cursor} />
          </>
        )}
      </Ready>
      {shown !== null && (
        <SnapshotContent userId={player.userId} snapshotId={shown.id} onClose={() => setShown(null)} />
      )}
    </>
  );
}

interface WayBackProps {
  event: TimelineEvent;
  userId: string;
  onLook(snapshot: SnapshotSummary): void;
  onChanged(): void;
}

/** What the saves held then, as far as that is kept, and the way back there. */
function WayBack({ event, userId, onLook, onChanged }: WayBackProps) {
  const { texts, players, href, language } = useConsole();
  const when = timeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(event.at);
  if (event.kind === 'written') {
    const { collection, key } = event.entry;
    return (
      <a class="button small" href={href(['players', userId, 'saves'], { collection, key })}>
        {texts.timeline.holds}
      </a>
    );
  }
  // What was not chosen was another account's.
  const back = event.kind === 'chosen' ? texts.changes.bringBack : texts.changes.goBack;
  const undo = event.kind === 'chosen' ? event.undo : undefined;
  const snapshot = 'snapshot' in event ? event.snapshot : undefined;
  return (
    <>
      {snapshot !== undefined && (
        <>
          <button
            type="button"
            class="small"
            aria-label={`${texts.timeline.held}: ${when}`}
            onClick={() => onLook(snapshot)}
          >
            {texts.timeline.held}
          </button>
          <Change
            isSmall
            scope="support"
            texts={back}
            label={`${back.title}: ${when}`}
            run={async () => {
              await players.restoreSnapshot(userId, snapshot.id);
            }}
            onDone={onChanged}
          />
        </>
      )}
      {undo !== undefined && (
        <Change
          isSmall
          scope="support"
          texts={texts.changes.undoChoice}
          run={async () => {
            await players.undoChoice(userId, undo.id);
          }}
          onDone={onChanged}
        />
      )}
    </>
  );
}
