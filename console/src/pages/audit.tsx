import { useState } from 'preact/hooks';
import type { AuditEntry } from '../../../src/protocol/admin-messages.js';
import { auditText } from '../../../src/protocol/audit-text.js';
import { useConsole, useTexts } from '../context.js';
import { Ready, useLoaded } from '../parts/loaded.js';
import { Page } from '../parts/page.js';
import { Pager, usePaging } from '../parts/pages.js';
import { Empty, Foreign, Id, Moment } from '../parts/show.js';
import { Table } from '../parts/table.js';

/** What operators have done, all of them and everywhere. */
export function Audit() {
  const { texts, gateway } = useConsole();
  const [wanted, setWanted] = useState('');
  const paging = usePaging('audit');
  const page = useLoaded(
    (signal) => gateway.admin.audit({ cursor: paging.cursor, limit: 100, signal }),
    [gateway, paging.cursor],
  );
  return (
    <Page title={texts.pages.audit} intro={texts.audit.intro}>
      <div class="toolbar">
        <input
          type="search"
          class="grow"
          aria-label={texts.audit.filter}
          placeholder={texts.audit.filter}
          value={wanted}
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
      </div>
      <Ready of={page}>
        {({ entries, cursor }) => (
          <>
            <AuditTable entries={entries.filter((entry) => matches(entry, wanted))} none={texts.audit.none} />
            <Pager paging={paging} cursor={cursor} />
          </>
        )}
      </Ready>
    </Page>
  );
}

function matches(entry: AuditEntry, wanted: string): boolean {
  return JSON.stringify(entry).toLowerCase().includes(wanted.trim().toLowerCase());
}

export function AuditTable({ entries, none }: { entries: readonly AuditEntry[]; none: string }) {
  const { texts } = useConsole();
  const actions: { readonly [action: string]: string } = texts.audit.actions;
  if (entries.length === 0) return <Empty title={none}>{texts.audit.noneHint}</Empty>;
  return (
    <Table
      label={texts.pages.audit}
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        { head: texts.audit.when, cell: ({ at }) => <Moment at={at} /> },
        { head: texts.audit.who, cell: ({ by }) => <Foreign text={by.name} /> },
        {
          head: texts.audit.did,
          cell: ({ action }) => (
            <>
              {actions[action] ?? action}
              <code class="soft">{action}</code>
            </>
          ),
        },
        { head: texts.audit.player, cell: (entry) => <PlayerOf entry={entry} /> },
        { head: texts.audit.details, cell: (entry) => <Details entry={entry} /> },
      ]}
    />
  );
}

/** The player of an entry, who may be in another game or environment than the one that is looked at. */
function PlayerOf({ entry: { userId, gameId, env } }: { entry: AuditEntry }) {
  const { hrefAt } = useConsole();
  if (userId === undefined) return <span class="soft">–</span>;
  if (gameId === undefined || env === undefined) return <Id id={userId} />;
  return (
    <a href={hrefAt({ gameId, environment: env }, ['players', userId])}>
      <Id id={userId} />
    </a>
  );
}

export function Details({ entry: { what, before, after } }: { entry: AuditEntry }) {
  const texts = useTexts();
  const parts = [
    [texts.audit.what, what],
    [texts.diff.before, before],
    [texts.diff.after, after],
  ] as const;
  const told = parts.flatMap(([name, value]) =>
    value === undefined || Object.keys(value).length === 0 ? [] : [[name, value] as const],
  );
  if (told.length === 0) return <span class="soft">–</span>;
  return (
    <dl class="facts inline-facts">
      {told.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <code class="value">
              <Foreign text={auditText(value)} />
            </code>
          </dd>
        </div>
      ))}
    </dl>
  );
}
