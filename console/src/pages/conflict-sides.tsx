import { useState } from 'preact/hooks';
import type { GameConflict } from '../../../src/protocol/admin-conflicts.js';
import type { AdminPlayers } from '../../../src/server/admin-players.js';
import { useConsole } from '../context.js';
import { Differences } from '../parts/differences.js';
import { Ready, useLoaded } from '../parts/loaded.js';
import { More } from '../parts/more.js';
import { Card } from '../parts/page.js';
import { readEntry } from './read-entry.js';

/** So many entries of each side are read at first, so many more each time somebody wants them, and so many at the same time. */
const [entriesAtOnce, atOnce] = [40, 4];

/** The saves of an account that are compared. */
type Values = { [entry: string]: unknown };

/** What the saves of the two accounts of a conflict have that the other has not. */
export function ConflictSides({ conflict, onClose }: { conflict: GameConflict; onClose(): void }) {
  const { texts, players } = useConsole();
  const { localUserId, cloudUserId } = conflict;
  const [atMost, setAtMost] = useState(entriesAtOnce);
  const sides = useLoaded(
    (signal) => readSides(players, [cloudUserId, localUserId], atMost, signal),
    [players, localUserId, cloudUserId],
    [atMost],
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
        {({ cloud, local, isWhole }) => (
          <>
            {!isWhole && (
              <More
                said={texts.conflicts.sidesCut(atMost)}
                isLoading={sides.isLoading}
                onMore={() => setAtMost(atMost + entriesAtOnce)}
              />
            )}
            <Differences before={cloud} after={local} heads={[texts.player.leadsTo, texts.player.signedInTo]} />
          </>
        )}
      </Ready>
    </Card>
  );
}

/** Reads the first entries of each of two accounts, on both: what the other has further back in its list is no difference. */
async function readSides(
  players: AdminPlayers,
  [cloudUserId, localUserId]: readonly [string, string],
  atMost: number,
  signal: AbortSignal,
): Promise<{ cloud: Values; local: Values; isWhole: boolean }> {
  const lists = await Promise.all([
    readNames(players, cloudUserId, atMost, signal),
    readNames(players, localUserId, atMost, signal),
  ]);
  const named = new Map(lists.flatMap(({ names }) => names.map((name) => [entryOf(name), name])));
  const read = (userId: string, { names, isWhole }: NameList) => {
    const own = new Set(names.map(entryOf));
    const wanted = [...named].filter(([entry]) => own.has(entry) || !isWhole).map(([, name]) => name);
    return readValues(players, userId, wanted, signal);
  };
  return {
    cloud: await read(cloudUserId, lists[0]),
    local: await read(localUserId, lists[1]),
    isWhole: lists.every(({ isWhole }) => isWhole),
  };
}

interface Name {
  collection: string;
  key: string;
}

interface NameList {
  names: readonly Name[];
  /** Whether the account has no other entries. */
  isWhole: boolean;
}

const entryOf = ({ collection, key }: Name): string => `${collection}/${key}`;

async function readNames(
  players: AdminPlayers,
  userId: string,
  atMost: number,
  signal: AbortSignal,
): Promise<NameList> {
  const names: Name[] = [];
  let cursor: string | undefined;
  do {
    const page = await players.entries(userId, { limit: entriesAtOnce, cursor, signal });
    names.push(...page.entries);
    cursor = page.cursor;
  } while (cursor !== undefined && names.length < atMost);
  return { names, isWhole: cursor === undefined };
}

async function readValues(
  players: AdminPlayers,
  userId: string,
  names: readonly Name[],
  signal: AbortSignal,
): Promise<Values> {
  const values: Values = {};
  for (let at = 0; at < names.length; at += atOnce) {
    const read = names.slice(at, at + atOnce).map((name) => readEntry(players, userId, { ...name, signal }));
    for (const entry of await Promise.all(read)) if (entry !== null) values[entryOf(entry)] = entry.value;
  }
  return values;
}
