import { useState } from 'preact/hooks';
import type { AdminPlayer } from '../../../src/protocol/admin-messages.js';
import type { AdminPlayers } from '../../../src/server/admin-players.js';
import { useConsole } from '../context.js';
import { type Loaded, Ready, useLoaded } from '../parts/loaded.js';
import { Card, Page } from '../parts/page.js';
import { Ago, Badge, Empty, Foreign, Id } from '../parts/show.js';
import { Table } from '../parts/table.js';
import { AuditTable } from './audit.js';

/** So many players are looked at: those who were seen last. The service has no list of open conflicts. */
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
      intro={texts.conflicts.intro(playersAtMost)}
      actions={
        <button type="button" onClick={() => setRound(round + 1)}>
          {texts.common.refresh}
        </button>
      }
    >
      <Open latest={latest} />
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

function Open({ latest }: { latest: Loaded<AdminPlayer[]> }) {
  const { texts, href } = useConsole();
  const known: { readonly [method: string]: string } = texts.methods;
  const player = (id: string) => (
    <a href={href(['players', id])}>
      <Id id={id} />
    </a>
  );
  return (
    <Card title={texts.conflicts.open}>
      <Ready of={latest}>
        {(players) => {
          const all = players.flatMap(({ conflicts }) => conflicts);
          const keyOf = ({ localUserId, cloudUserId, method }: (typeof all)[number]) =>
            [method, localUserId, cloudUserId].join(' ');
          const open = [...new Map(all.map((conflict) => [keyOf(conflict), conflict])).values()];
          if (open.length === 0) return <Empty title={texts.conflicts.none}>{texts.conflicts.noneHint}</Empty>;
          return (
            <Table
              label={texts.conflicts.open}
              rows={open}
              keyOf={keyOf}
              columns={[
                { head: texts.player.kind, cell: ({ method }) => known[method] ?? method },
                { head: texts.player.signedInTo, cell: ({ localUserId }) => player(localUserId) },
                { head: texts.player.leadsTo, cell: ({ cloudUserId }) => player(cloudUserId) },
                { head: texts.player.ends, cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
              ]}
            />
          );
        }}
      </Ready>
    </Card>
  );
}

function Chosen({ latest }: { latest: Loaded<AdminPlayer[]> }) {
  const { texts, href } = useConsole();
  return (
    <Card title={texts.conflicts.chosen}>
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
