import { useRef, useState } from 'preact/hooks';
import { isFailure } from '../../../../src/errors.js';
import type { AdminEntry } from '../../../../src/protocol/admin-messages.js';
import type { PlacedEntry } from '../../../../src/protocol/player-messages.js';
import type { AdminPlayers } from '../../../../src/server/admin-players.js';
import { useConsole } from '../../context.js';
import { timeFormat } from '../../formats.js';
import { Differences } from '../../parts/differences.js';
import { Ready, useLoaded } from '../../parts/loaded.js';
import { More } from '../../parts/more.js';
import { Card } from '../../parts/page.js';
import { Ago, Copy, Empty } from '../../parts/show.js';
import { ValueTree } from '../../parts/value-tree.js';
import { visible } from '../../parts/visible.js';
import { EditEntry } from './edit-entry.js';

export interface EntryName {
  collection: string;
  key: string;
}

/** One entry: its value, its earlier versions, and the way to change it. */
export function Entry({ userId, name, onChanged }: { userId: string; name: EntryName; onChanged(): void }) {
  const { texts, players, allows, drafts } = useConsole();
  const draftId = JSON.stringify([userId, name.collection, name.key]);
  const [isEditing, setEditing] = useState(drafts.has(draftId));
  const read = useLoaded(
    (signal) => players.entry(userId, { ...name, signal }),
    [players, userId, name.collection, name.key],
  );
  const leave = (): void => {
    drafts.delete(draftId);
    setEditing(false);
  };
  const changed = (): void => {
    leave();
    read.reload();
    onChanged();
  };
  if (isFailure(read.error, 'not_found')) return <Empty title={texts.saves.noEntry} />;
  return (
    <Ready of={read}>
      {(entry) => (
        <>
          <Card
            title={`${visible(name.collection)} / ${visible(name.key)}`}
            actions={
              <>
                <Copy text={() => JSON.stringify(entry.value)} label={texts.saves.copyValue} />
                {allows('support') && !isEditing && (
                  <button type="button" class="small" onClick={() => setEditing(true)}>
                    {texts.saves.edit}
                  </button>
                )}
              </>
            }
          >
            <p class="soft line">
              <span>{texts.saves.version(entry.version)}</span>
              <Ago at={entry.changedAt} />
            </p>
            {isEditing ? (
              <EditEntry userId={userId} entry={entry} draftId={draftId} onDone={changed} onCancel={leave} />
            ) : (
              <ValueTree key={entry.version} value={entry.value} />
            )}
          </Card>
          {!isEditing && <EarlierVersions userId={userId} entry={entry} />}
        </>
      )}
    </Ready>
  );
}

interface EarlierVersion extends PlacedEntry {
  snapshotId: string;
  at: number;
  reason: string;
}

/** So many snapshots are looked through for an entry, the latest first, and so many more each time somebody wants to. */
const snapshotsAtOnce = 20;

/** What of an entry is in each snapshot that was read, by its id: a snapshot never changes. */
type SeenSnapshots = Map<string, EarlierVersion | null>;

/** The versions that were overwritten are in the player's snapshots. */
async function readEarlier(
  players: AdminPlayers,
  userId: string,
  { collection, key }: EntryName,
  { seen, atMost, signal }: { seen: SeenSnapshots; atMost: number; signal: AbortSignal },
): Promise<{ earlier: EarlierVersion[]; looked: number; of: number }> {
  const all = await players.snapshots(userId, { signal });
  const looked = all.slice(0, atMost).map(({ id }) => id);
  for (const id of looked.filter((one) => !seen.has(one))) {
    const { content, createdAt: at, reason } = await players.snapshot(userId, id, { signal });
    const entry = content.find((one) => one.collection === collection && one.key === key);
    seen.set(id, entry === undefined ? null : { ...entry, snapshotId: id, at, reason });
  }
  const earlier = looked.flatMap((id) => seen.get(id) ?? []);
  return { earlier, looked: looked.length, of: all.length };
}

function EarlierVersions({ userId, entry }: { userId: string; entry: AdminEntry }) {
  const { texts, players } = useConsole();
  const { collection, key, version } = entry;
  const [atMost, setAtMost] = useState(snapshotsAtOnce);
  const seen = useRef<SeenSnapshots>(new Map()).current;
  const read = useLoaded(
    (signal) => readEarlier(players, userId, { collection, key }, { seen, atMost, signal }),
    [players, userId, collection, key, version],
    [atMost],
  );
  return (
    <Card title={texts.saves.earlier}>
      <Ready of={read}>
        {({ earlier, looked, of }) => (
          <>
            {earlier.length > 0 && <Compared entry={entry} earlier={earlier} />}
            {earlier.length === 0 && looked === of && <p class="soft">{texts.saves.noEarlier}</p>}
            {looked < of && (
              <More
                said={texts.saves.lookedThrough(looked, of)}
                isLoading={read.isLoading}
                onMore={() => setAtMost(atMost + snapshotsAtOnce)}
              />
            )}
          </>
        )}
      </Ready>
    </Card>
  );
}

/** Two versions of an entry, which are chosen, and how they differ. */
function Compared({ entry, earlier }: { entry: AdminEntry; earlier: readonly EarlierVersion[] }) {
  const { texts, language } = useConsole();
  const [[left, right], setChosen] = useState<readonly [string, string]>(['', 'now']);
  const reasons: { readonly [reason: string]: string } = texts.snapshots.reasons;
  const format = timeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  const options = [
    { id: 'now', label: texts.saves.now(entry.version), value: entry.value },
    ...earlier.map((one) => ({
      id: one.snapshotId,
      label: `${texts.saves.version(one.version)}, ${reasons[one.reason] ?? one.reason}, ${format.format(one.at)}`,
      value: one.value,
    })),
  ];
  const valueAt = (id: string) => (options.find((option) => option.id === id) ?? options[1])?.value;
  const choice = (id: string, label: string, choose: (id: string) => void) => (
    <label>
      {label}
      <select value={id} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {options.map((option) => (
          <option key={option.id} value={option.id}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
  const before = left === '' ? (earlier[0]?.snapshotId ?? '') : left;
  return (
    <>
      <div class="fields fields-row">
        {choice(before, texts.diff.before, (id) => setChosen([id, right]))}
        {choice(right, texts.diff.after, (id) => setChosen([before, id]))}
      </div>
      <Differences before={valueAt(before)} after={valueAt(right)} />
    </>
  );
}
