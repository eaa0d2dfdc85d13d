import { useState } from 'preact/hooks';
import type { GameConflict } from '../../../src/protocol/admin-conflicts.js';
import type { AuditEntry } from '../../../src/protocol/admin-messages.js';
import { useConsole } from '../context.js';
import { Ready, useLoaded } from '../parts/loaded.js';
import { More } from '../parts/more.js';
import { Card, Page } from '../parts/page.js';
import { Pager, usePaging } from '../parts/pages.js';
import { Ago, Badge, Empty, Id } from '../parts/show.js';
import { Table } from '../parts/table.js';
import { AuditTable } from './audit.js';
import { ConflictSides } from './conflict-sides.js';

/** So many entries of the audit log are read at once, and so many times before somebody wants to look further back. */
const [auditAtOnce, roundsAtOnce] = [200, 5];
const deeds: readonly string[] = ['mergePlayers', 'undoPlayerChoice'];

/** What players still have to choose, and what was chosen lately. */
export function Conflicts() {
  const { texts } = useConsole();
  const [round, setRound] = useState(0);
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
      <Chosen round={round} />
      <ByOperators round={round} />
    </Page>
  );
}

/** What operators have merged and taken back here. The audit log is of the whole service, so this looks for it there. */
function ByOperators({ round }: { round: number }) {
  const { texts, gateway, place } = useConsole();
  const [rounds, setRounds] = useState(roundsAtOnce);
  const read = useLoaded(
    async (signal) => {
      const entries: AuditEntry[] = [];
      let cursor: string | undefined;
      let seen = 0;
      for (let turn = 0; turn < rounds && (turn === 0 || cursor !== undefined); turn += 1) {
        const page = await gateway.admin.audit({ limit: auditAtOnce, cursor, signal });
        seen += page.entries.length;
        entries.push(
          ...page.entries.filter(
            ({ action, gameId, env }) => deeds.includes(action) && gameId === place.gameId && env === place.environment,
          ),
        );
        cursor = page.cursor;
      }
      return { entries, seen, isWhole: cursor === undefined };
    },
    [gateway, place, round],
    [rounds],
  );
  return (
    <Card title={texts.conflicts.byOperators}>
      <Ready of={read}>
        {({ entries, seen, isWhole }) => (
          <>
            <AuditTable entries={entries} none={texts.conflicts.noneByOperators} />
            {!isWhole && (
              <More
                said={texts.conflicts.lookedThrough(seen)}
                isLoading={read.isLoading}
                onMore={() => setRounds(rounds + roundsAtOnce)}
              />
            )}
          </>
        )}
      </Ready>
    </Card>
  );
}

function Open({ round }: { round: number }) {
  const { texts, href, gateway, place } = useConsole();
  const paging = usePaging(`open ${place.gameId} ${place.environment}`);
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

/** The latest choice of each account, as long as it can be taken back. */
function Chosen({ round }: { round: number }) {
  const { texts, href, gateway, place } = useConsole();
  const paging = usePaging(`chosen ${place.gameId} ${place.environment}`);
  const { cursor } = paging;
  const page = useLoaded(
    (signal) => gateway.admin.choices({ ...place, cursor, signal }),
    [gateway, place, cursor, round],
  );
  const player = (id: string, ...tab: string[]) => (
    <a href={href(['players', id, ...tab])}>
      <Id id={id} />
    </a>
  );
  return (
    <Card title={texts.conflicts.chosen}>
      <p class="soft">{texts.conflicts.chosenHint}</p>
      <Ready of={page}>
        {({ choices, cursor: next }) => (
          <>
            {choices.length === 0 ? (
              <Empty title={texts.conflicts.noneChosen} />
            ) : (
              <Table
                label={texts.conflicts.chosen}
                rows={choices}
                keyOf={({ id }) => id}
                columns={[
                  { head: texts.players.player, cell: ({ userId }) => player(userId, 'changes') },
                  { head: texts.player.chose, cell: ({ choice }) => <Badge>{texts.player.choices[choice]}</Badge> },
                  { head: texts.player.otherAccount, cell: ({ fromUserId }) => player(fromUserId) },
                  { head: texts.audit.when, cell: ({ madeAt }) => <Ago at={madeAt} /> },
                  { head: texts.conflicts.undoUntil, cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
                ]}
              />
            )}
            <Pager paging={paging} cursor={next} />
          </>
        )}
      </Ready>
    </Card>
  );
}
