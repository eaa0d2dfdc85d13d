import type { GameConflict } from '../../../src/protocol/admin-conflicts.js';
import type { AdminPlayers } from '../../../src/server/admin-players.js';
import { useConsole } from '../context.js';
import { Differences } from '../parts/differences.js';
import { Ready, useLoaded } from '../parts/loaded.js';
import { Card } from '../parts/page.js';

/** So many entries of each side are read, and so many at once. */
const [entriesAtMost, atOnce] = [40, 4];

interface Side {
  values: { [entry: string]: unknown };
  isWhole: boolean;
}

/** What the saves of the two accounts of a conflict have that the other has not. */
export function ConflictSides({ conflict, onClose }: { conflict: GameConflict; onClose(): void }) {
  const { texts, players } = useConsole();
  const { localUserId, cloudUserId } = conflict;
  const sides = useLoaded(
    (signal) => Promise.all([readSide(players, cloudUserId, signal), readSide(players, localUserId, signal)]),
    [players, localUserId, cloudUserId],
  );
  return (
    <Card
      title={texts.conflicts.sides}
      actions={
        <button type="button" onClick={onClose}>
          {texts.common.close}
        </button>
      }
    >
      <Ready of={sides}>
        {([cloud, local]) => (
          <>
            {!(cloud.isWhole && local.isWhole) && <p class="soft">{texts.conflicts.sidesCut(entriesAtMost)}</p>}
            <Differences
              before={cloud.values}
              after={local.values}
              heads={[texts.player.leadsTo, texts.player.signedInTo]}
            />
          </>
        )}
      </Ready>
    </Card>
  );
}

async function readSide(players: AdminPlayers, userId: string, signal: AbortSignal): Promise<Side> {
  const { entries, cursor } = await players.entries(userId, { limit: entriesAtMost, signal });
  const values: Side['values'] = {};
  for (let at = 0; at < entries.length; at += atOnce) {
    const read = entries
      .slice(at, at + atOnce)
      .map(({ collection, key }) => players.entry(userId, { collection, key, signal }));
    // What is removed meanwhile is on no side.
    for (const result of await Promise.allSettled(read)) {
      if (result.status === 'fulfilled') values[`${result.value.collection}/${result.value.key}`] = result.value.value;
    }
  }
  return { values, isWhole: cursor === undefined };
}
