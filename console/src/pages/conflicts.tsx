import { useState } from 'preact/hooks';
import type { GameConflict } from '../../../src/protocol/admin-conflicts.js';
import type { AdminPlayer } from '../../../src/protocol/admin-messages.js';
import type { AdminPlayers } from '../../../src/server/admin-players.js';
import { useConsole } from '../context.js';
import { type Loaded, Ready, useLoaded } from '../parts/loaded.js';
import { Card, Page } from '../parts/page.js';
import { Pager, usePaging } from '../parts/pages.js';
import { Ago, Badge, Empty, Foreign, Id } from '../parts/show.js';
import { Table } from '../parts/table.js';
import { AuditTable } from './audit.js';
import { ConflictSides } from './conflict-sides.js';

/** So many players are looked at for the choice that they made: those who were seen last. */
const playersAtMost = 40;
/** So many are asked for at once. */
const atOnce = 4;
const auditAtMost = 200;

/** What players still have to choose, and what was chosen lately. */
export function Conflicts() {
  const { texts, players, gateway, place } = useConsole();
  const [round, setRound] = useState(0);
  const latest = useLoaded((signal) => readLatest(players, signal), [players, round]);
  const audit = useLoaded((signal) => gateway.admin.audit({ limit: auditAtMost, signal }), [gateway, round]);
  return (
    <Page
      title={texts.pages.conflicts}
      intro={texts.conflicts.intro}
      actions={
        <button type="button" onClick={() => setRound(round + 1)}>
          {texts.common.refresh}
        </button>
      }
    >
      <Open round={round} />
      <Chosen latest={latest} />
      <Card title={texts.conflicts.byOperators}>
        <Ready of={audit}>
          {({ entries }) => (
            <AuditTable
              entries={entries.filter(
                ({ action, gameId }) =>
                  ['mergePlayers', 'undoPlayerChoice'].includes(action) && gameId === place.gameId,
              )}
              none={texts.conflicts.noneByOperators}
            />
          )}
        </Ready>
      </Card>
    </Page>
  );
}

async function readLatest(players: AdminPlayers, signal: AbortSignal): Promise<AdminPlayer[]> {
  const { players: found } = await players.list({ list: 'last_seen', limit: playersAtMost, signal });
  const read: AdminPlayer[] = [];
  for (let at = 0; at < found.length; at += atOnce) {
    const some = found.slice(at, at + atOnce).map(({ userId }) => players.get(userId, { signal }));
    // Who has gone meanwhile is nobody to look at.
    for (const result of await Promise.allSettled(some)) if (result.status === 'fulfilled') read.push(result.value);
  }
  return read;
}

function Open({ round }: { round: number }) {
  const { texts, href, gateway, place } = useConsole();
  const paging = usePaging(`${place.gameId} ${place.environment}`);
  const [shown, setShown] = useState<GameConflict | null>(null);
  const { cursor } = paging;
  const page = useLoaded(
    (signal) => gateway.admin.conflicts({ ...place, cursor, signal }),
    [gateway, place, cursor, round],
  );
  const known: { readonly [method: string]: string } = texts.methods;
  const player = (id: string) => (
    <a href={href(['players', id])}>
      <Id id={id} />
    </a>
  );
  return (
    <>
      <Card title={texts.conflicts.open}>
        <Ready of={page}>
          {({ conflicts, cursor: next }) => (
            <>
              {conflicts.length === 0 ? (
                <Empty title={texts.conflicts.none}>{texts.conflicts.noneHint}</Empty>
              ) : (
                <Table
                  label={texts.conflicts.open}
                  rows={conflicts}
                  keyOf={({ id }) => id}
                  columns={[
                    { head: texts.player.kind, cell: ({ method }) => known[method] ?? method },
                    { head: texts.player.signedInTo, cell: ({ localUserId }) => player(localUserId) },
                    { head: texts.player.leadsTo, cell: ({ cloudUserId }) => player(cloudUserId) },
                    { head: texts.conflicts.since, cell: ({ openedAt }) => <Ago at={openedAt} /> },
                    { head: texts.player.ends, cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
                    {
                      head: texts.common.actions,
                      cell: (conflict) => (
                        <button type="button" class="small" onClick={() => setShown(conflict)}>
                          {texts.conflicts.compare}
                        </button>
                      ),
                    },
                  ]}
                />
              )}
              <Pager paging={paging} cursor={next} />
            </>
          )}
        </Ready>
      </Card>
      {shown !== null && <ConflictSides key={shown.id} conflict={shown} onClose={() => setShown(null)} />}
    </>
  );
}

function Chosen({ latest }: { latest: Loaded<AdminPlayer[]> }) {
  const { texts, href } = useConsole();
  return (
    <Card title={texts.conflicts.chosen}>
      <p class="soft">{texts.conflicts.chosenHint(playersAtMost)}</p>
      <Ready of={latest}>
        {(players) => {
          const chosen = players.flatMap(({ userId, methods, choice }) =>
            choice === undefined
              ? []
              : [{ userId, name: methods.find(({ label }) => label !== undefined)?.label, choice }],
          );
          if (chosen.length === 0) return <Empty title={texts.conflicts.noneChosen} />;
          return (
            <Table
              label={texts.conflicts.chosen}
              rows={chosen}
              keyOf={({ choice }) => choice.id}
              columns={[
                {
                  head: texts.players.player,
                  cell: ({ userId, name }) => (
                    <a class="player-link" href={href(['players', userId, 'changes'])}>
                      {name !== undefined && <Foreign text={name} />}
                      <Id id={userId} />
                    </a>
                  ),
                },
                {
                  head: texts.player.chose,
                  cell: ({ choice }) => <Badge>{texts.player.choices[choice.choice]}</Badge>,
                },
                {
                  head: texts.player.otherAccount,
                  cell: ({ choice }) => (
                    <a href={href(['players', choice.fromUserId])}>
                      <Id id={choice.fromUserId} />
                    </a>
                  ),
                },
                { head: texts.audit.when, cell: ({ choice }) => <Ago at={choice.madeAt} /> },
                { head: texts.conflicts.undoUntil, cell: ({ choice }) => <Ago at={choice.expiresAt} /> },
              ]}
            />
          );
        }}
      </Ready>
    </Card>
  );
}
