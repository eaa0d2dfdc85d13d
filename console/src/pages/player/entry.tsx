import { useState } from 'preact/hooks';
import type { AdminEntry } from '../../../../src/protocol/admin-messages.js';
import type { PlacedEntry } from '../../../../src/protocol/player-messages.js';
import type { AdminPlayers } from '../../../../src/server/admin-players.js';
import { useConsole } from '../../context.js';
import { timeFormat } from '../../formats.js';
import { Differences } from '../../parts/differences.js';
import { Ready, useLoaded } from '../../parts/loaded.js';
import { Card } from '../../parts/page.js';
import { Ago, Copy } from '../../parts/show.js';
import { ValueTree } from '../../parts/value-tree.js';
import { visible } from '../../parts/visible.js';
import { EditEntry } from './edit-entry.js';

export interface EntryName {
  collection: string;
  key: string;
}

/** One entry: its value, its earlier versions, and the way to change it. */
export function Entry({ userId, name, onChanged }: { userId: string; name: EntryName; onChanged(): void }) {
  const { texts, players, allows } = useConsole();
  const [isEditing, setEditing] = useState(false);
  const read = useLoaded(
    (signal) => players.entry(userId, { ...name, signal }),
    [players, userId, name.collection, name.key],
  );
  const changed = (): void => {
    setEditing(false);
    read.reload();
    onChanged();
  };
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
              <EditEntry userId={userId} entry={entry} onDone={changed} onCancel={() => setEditing(false)} />
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

/** So many snapshots are looked through for an entry: the latest ones. */
const snapshotsAtMost = 20;

/** The versions that were overwritten are in the player's snapshots. */
async function readEarlier(
  players: AdminPlayers,
  userId: string,
  { collection, key }: EntryName,
  signal: AbortSignal,
): Promise<EarlierVersion[]> {
  const summaries = (await players.snapshots(userId, { signal })).slice(0, snapshotsAtMost);
  const found: EarlierVersion[] = [];
  for (const { id } of summaries) {
    const { content, createdAt: at, reason } = await players.snapshot(userId, id, { signal });
    const entry = content.find((one) => one.collection === collection && one.key === key);
    if (entry !== undefined) found.push({ ...entry, snapshotId: id, at, reason });
  }
  return found;
}

function EarlierVersions({ userId, entry }: { userId: string; entry: AdminEntry }) {
  const { texts, players, language } = useConsole();
  const [[left, right], setChosen] = useState<readonly [string, string]>(['', 'now']);
  const { collection, key, version } = entry;
  const read = useLoaded(
    (signal) => readEarlier(players, userId, { collection, key }, signal),
    [players, userId, collection, key, version],
  );
  const reasons: { readonly [reason: string]: string } = texts.snapshots.reasons;
  const format = timeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <Card title={texts.saves.earlier}>
      <Ready of={read}>
        {(earlier) => {
          if (earlier.length === 0) return <p class="soft">{texts.saves.noEarlier}</p>;
          const options = [
            { id: 'now', label: texts.saves.now(version), value: entry.value },
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
        }}
      </Ready>
    </Card>
  );
}
