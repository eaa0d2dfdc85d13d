import { useMemo, useState } from 'preact/hooks';
import type { EntrySummary } from '../../../../src/protocol/admin-messages.js';
import type { AdminPlayers } from '../../../../src/server/admin-players.js';
import { useConsole } from '../../context.js';
import { Ready, useLoaded } from '../../parts/loaded.js';
import { More } from '../../parts/more.js';
import { Bytes, Empty, Foreign } from '../../parts/show.js';
import { Entry } from './entry.js';
import { NewEntry } from './new-entry.js';
import type { PlayerProps } from './player.js';

/** So many pages of names of entries are read at first, and so many more each time somebody wants them. */
const pagesAtOnce = 5;

/** What a player has saved: the collections, their entries, and one entry with its value. */
export function Saves({ player, reload }: PlayerProps) {
  const { players, route } = useConsole();
  const { collection, key } = route.query;
  const [pages, setPages] = useState(pagesAtOnce);
  const listed = useLoaded(
    (signal) => readNames(players, player.userId, pages, signal),
    [players, player.userId],
    [pages],
  );
  const again = (): void => {
    listed.reload();
    reload();
  };
  return (
    <div class="split">
      <Ready of={listed}>
        {({ entries, isAll }) => (
          <>
            <Collections
              userId={player.userId}
              entries={entries}
              onMore={isAll ? null : () => setPages(pages + pagesAtOnce)}
            />
            <div class="split-main">
              {collection !== undefined && key !== undefined ? (
                <Entry
                  key={`${collection}\n${key}`}
                  userId={player.userId}
                  name={{ collection, key }}
                  onChanged={again}
                />
              ) : (
                <Hint hasEntries={entries.length > 0} userId={player.userId} onMade={again} />
              )}
            </div>
          </>
        )}
      </Ready>
    </div>
  );
}

function Hint({ hasEntries, userId, onMade }: { hasEntries: boolean; userId: string; onMade(): void }) {
  const { texts } = useConsole();
  return (
    <Empty title={hasEntries ? texts.saves.choose : texts.saves.none}>
      <p>{hasEntries ? texts.saves.chooseHint : texts.saves.noneHint}</p>
      <NewEntry userId={userId} onMade={onMade} />
    </Empty>
  );
}

/** The names of the entries, page by page. */
async function readNames(
  players: AdminPlayers,
  userId: string,
  pages: number,
  signal: AbortSignal,
): Promise<{ entries: EntrySummary[]; isAll: boolean }> {
  const entries: EntrySummary[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pages; page += 1) {
    const read = await players.entries(userId, { limit: 200, cursor, signal });
    entries.push(...read.entries);
    cursor = read.cursor;
    if (cursor === undefined) return { entries, isAll: true };
  }
  return { entries, isAll: false };
}

function Collections({
  userId,
  entries,
  onMore,
}: {
  userId: string;
  entries: readonly EntrySummary[];
  /** Null where there are no more. */
  onMore: (() => void) | null;
}) {
  const { texts, route, href } = useConsole();
  const byCollection = useMemo(() => grouped(entries), [entries]);
  const chosen = route.query;
  if (entries.length === 0) return null;
  return (
    <nav class="collections card" aria-label={texts.saves.entries}>
      {[...byCollection].map(([collection, members]) => (
        <details key={collection} open={byCollection.size <= 5 || chosen['collection'] === collection}>
          <summary>
            <Foreign text={collection} /> <span class="soft">{members.length}</span>
          </summary>
          <ul>
            {members.map(({ key, bytes }) => (
              <li key={key}>
                <a
                  href={href(['players', userId, 'saves'], { collection, key })}
                  aria-current={chosen['collection'] === collection && chosen['key'] === key ? 'true' : undefined}
                >
                  <Foreign text={key} />
                  <span class="soft">
                    <Bytes of={bytes} />
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </details>
      ))}
      {onMore !== null && <More said={texts.saves.notAll(entries.length)} onMore={onMore} />}
    </nav>
  );
}

function grouped(entries: readonly EntrySummary[]): Map<string, EntrySummary[]> {
  const groups = new Map<string, EntrySummary[]>();
  for (const entry of entries) groups.set(entry.collection, [...(groups.get(entry.collection) ?? []), entry]);
  return groups;
}
