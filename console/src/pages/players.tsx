import { useRef, useState } from 'preact/hooks';
import type { PlayerSummary } from '../../../src/protocol/admin-messages.js';
import { isUuid } from '../../../src/protocol/ids.js';
import type { FindPlayerOptions } from '../../../src/server/admin-players.js';
import { useConsole, useTexts } from '../context.js';
import { Ready, useLoaded } from '../parts/loaded.js';
import { Page } from '../parts/page.js';
import { Pager, usePaging } from '../parts/pages.js';
import { Ago, Badge, Empty, Foreign, Id, Moment } from '../parts/show.js';
import { type Column, Table } from '../parts/table.js';
import { Tabs } from '../parts/tabs.js';
import { hrefOf } from '../route.js';

const lists = ['newest', 'last_seen', 'orphaned', 'deleted', 'banned'] as const;
const searches = ['name', 'id', 'custom', 'identity', 'social'] as const;

type Search = (typeof searches)[number];

/** The players of a place: a list, page by page, or who is looked for. */
export function Players() {
  const { texts, route } = useConsole();
  const { by, text } = route.query;
  const isSearch = text !== undefined && searches.some((known) => known === by);
  return (
    <Page title={texts.pages.players} intro={texts.players.intro}>
      <SearchForm />
      {isSearch ? <Found /> : <Listed />}
    </Page>
  );
}

function SearchForm() {
  const { texts, route, place } = useConsole();
  const [by, setBy] = useState<Search>(searches.find((known) => known === route.query['by']) ?? 'name');
  const text = useRef<HTMLInputElement>(null);
  const provider = useRef<HTMLInputElement>(null);
  const takesProvider = by === 'identity' || by === 'social';
  const send = (event: Event): void => {
    event.preventDefault();
    const typed = text.current?.value.trim() ?? '';
    if (typed === '') return;
    // A user id is known by its form, whatever is chosen beside it.
    const kind = by === 'name' && isUuid(typed) ? 'id' : by;
    location.hash = hrefOf(['players'], {
      by: kind,
      text: typed,
      provider: takesProvider ? provider.current?.value.trim() : undefined,
      game: place.gameId,
      env: String(place.environment),
    });
  };
  return (
    <search>
      <form class="toolbar" onSubmit={send}>
        <select
          aria-label={texts.players.searchBy}
          value={by}
          onChange={({ currentTarget }) => setBy(searches.find((known) => known === currentTarget.value) ?? 'name')}
        >
          {searches.map((name) => (
            <option key={name} value={name}>
              {texts.players.by[name]}
            </option>
          ))}
        </select>
        {takesProvider && (
          <input
            ref={provider}
            aria-label={texts.players.provider}
            placeholder={texts.players.provider}
            defaultValue={route.query['provider'] ?? ''}
            required
          />
        )}
        <input
          ref={text}
          type="search"
          class="grow"
          aria-label={texts.players.searchText}
          placeholder={texts.players.placeholder}
          defaultValue={route.query['text'] ?? ''}
          spellcheck={false}
          autocomplete="off"
        />
        <button type="submit" class="primary">
          {texts.players.search}
        </button>
      </form>
    </search>
  );
}

function Found() {
  const { texts, players, route, href } = useConsole();
  const { by = 'name', text = '', provider = '' } = route.query;
  const found = useLoaded(
    (signal) => players.find({ ...searchOf(by as Search, text, provider), signal }),
    [by, text, provider],
  );
  return (
    <>
      <p>
        <a href={href(['players'])}>{texts.players.toList}</a>
      </p>
      <Ready of={found}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title={texts.players.nobody}>{texts.players.nobodyHint}</Empty>
          ) : (
            <PlayerTable rows={rows} />
          )
        }
      </Ready>
    </>
  );
}

function searchOf(by: Search, text: string, provider: string): FindPlayerOptions {
  if (by === 'id') return { id: text };
  if (by === 'custom') return { customId: text };
  return by === 'name' ? { name: text } : { method: by, provider, subject: text };
}

function Listed() {
  const { texts, players, route, href } = useConsole();
  const list = lists.find((known) => known === route.query['list']) ?? 'newest';
  const paging = usePaging(list);
  const page = useLoaded(
    (signal) => players.list({ list, cursor: paging.cursor, limit: 20, signal }),
    [list, paging.cursor],
  );
  return (
    <>
      <Tabs
        label={texts.players.lists}
        names={lists}
        current={list}
        titleOf={(name) => texts.players.list[name]}
        hrefOf={(name) => href(['players'], { list: name })}
      />
      <Ready of={page}>
        {({ players: rows, cursor }) =>
          rows.length === 0 ? (
            <Empty title={texts.players.none[list]}>{list === 'newest' ? texts.players.noneHint : null}</Empty>
          ) : (
            <>
              <PlayerTable rows={rows} />
              <Pager paging={paging} cursor={cursor} />
            </>
          )
        }
      </Ready>
    </>
  );
}

export function PlayerTable({ rows }: { rows: readonly PlayerSummary[] }) {
  const { texts, href } = useConsole();
  const columns: readonly Column<PlayerSummary>[] = [
    {
      head: texts.players.player,
      cell: ({ userId, methods }) => {
        const name = methods.find(({ method }) => method === 'name')?.label;
        return (
          <a class="player-link" href={href(['players', userId])}>
            {name !== undefined && (
              <strong>
                <Foreign text={name} />
              </strong>
            )}
            <Id id={userId} />
          </a>
        );
      },
    },
    { head: texts.players.ways, cell: (player) => <Ways of={player} /> },
    { head: texts.players.state, cell: (player) => <States of={player} /> },
    { head: texts.players.made, cell: ({ createdAt }) => <Moment at={createdAt} /> },
    { head: texts.players.seen, cell: ({ lastSeenAt }) => <Ago at={lastSeenAt} /> },
  ];
  return <Table label={texts.pages.players} columns={columns} rows={rows} keyOf={({ userId }) => userId} />;
}

function Ways({ of: { methods, deviceCount } }: { of: PlayerSummary }) {
  const texts = useTexts();
  const kinds = [...new Set(methods.map(({ method }) => method))];
  const known: { readonly [method: string]: string } = texts.methods;
  return (
    <>
      {kinds.map((method) => (
        <Badge key={method}>{known[method] ?? method}</Badge>
      ))}
      <span class="soft">{texts.players.devices(deviceCount)}</span>
    </>
  );
}

export function States({ of: { ban, deletedAt, orphanedAt } }: { of: PlayerSummary }) {
  const texts = useTexts();
  return (
    <>
      {ban !== undefined && <Badge tone="bad">{texts.players.states.banned}</Badge>}
      {deletedAt !== undefined && <Badge tone="warn">{texts.players.states.deleted}</Badge>}
      {orphanedAt !== undefined && <Badge tone="warn">{texts.players.states.orphaned}</Badge>}
    </>
  );
}
