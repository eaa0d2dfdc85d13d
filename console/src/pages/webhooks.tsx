import { useConsole } from '../context.js';
import { Change } from '../parts/change.js';
import { Ready, useLoaded } from '../parts/loaded.js';
import { Page } from '../parts/page.js';
import { Pager, usePaging } from '../parts/pages.js';
import { Ago, Badge, Count, Empty, Id, Moment } from '../parts/show.js';
import { Table } from '../parts/table.js';

/** What the game's back end has not been told yet. */
export function Webhooks() {
  const { texts, gateway, place, hrefAt } = useConsole();
  const { gameId } = place;
  const paging = usePaging(gameId);
  const queue = useLoaded(
    (signal) => gateway.admin.webhooks({ gameId, cursor: paging.cursor, limit: 50, signal }),
    [gateway, gameId, paging.cursor],
  );
  const retryAll = (
    <Change
      scope="support"
      texts={texts.changes.retryAll}
      run={async () => {
        await gateway.admin.retryWebhooks({ gameId });
      }}
      onDone={queue.reload}
    />
  );
  const hasDead = (queue.value?.dead ?? 0) > 0;
  return (
    <Page title={texts.pages.webhooks} intro={texts.webhooks.intro} actions={hasDead ? retryAll : undefined}>
      <Ready of={queue}>
        {({ waiting, oldestAt, dead, lost, events, cursor }) => (
          <>
            <div class="tiles">
              <div class="tile">
                <p class="tile-title">{texts.webhooks.waiting}</p>
                <p class="tile-value">
                  <Count of={waiting} />
                </p>
                <p class="soft small-print">
                  {oldestAt === undefined ? texts.webhooks.nothingWaits : <Ago at={oldestAt} />}
                </p>
              </div>
              <div class="tile">
                <p class="tile-title">{texts.webhooks.dead}</p>
                <p class="tile-value">
                  <Count of={dead} />
                </p>
                <p class="soft small-print">{texts.webhooks.deadHint}</p>
              </div>
              {lost !== undefined && (
                <div class="tile">
                  <p class="tile-title">{texts.webhooks.lost}</p>
                  <p class="tile-value">
                    <Count of={lost} />
                  </p>
                  <p class="soft small-print">{texts.webhooks.lostHint}</p>
                </div>
              )}
            </div>
            {events.length === 0 ? (
              <Empty title={texts.webhooks.none}>{texts.webhooks.noneHint}</Empty>
            ) : (
              <Table
                label={texts.webhooks.dead}
                rows={events}
                keyOf={({ id }) => id}
                columns={[
                  { head: texts.webhooks.kind, cell: ({ kind }) => <code>{kind}</code> },
                  {
                    head: texts.players.player,
                    cell: ({ userId, env }) => (
                      <a href={hrefAt({ gameId, environment: env }, ['players', userId])}>
                        <Id id={userId} />
                      </a>
                    ),
                  },
                  { head: texts.webhooks.happened, cell: ({ at }) => <Moment at={at} /> },
                  { head: texts.webhooks.attempts, isNumber: true, cell: ({ attempts }) => <Count of={attempts} /> },
                  {
                    head: texts.webhooks.lastAnswer,
                    cell: ({ lastStatus }) =>
                      lastStatus === undefined ? texts.webhooks.noAnswer : <Badge tone="bad">{lastStatus}</Badge>,
                  },
                  { head: texts.webhooks.removed, cell: ({ removedAt }) => <Ago at={removedAt} /> },
                  {
                    head: texts.common.actions,
                    cell: ({ id }) => (
                      <Change
                        isSmall
                        scope="support"
                        texts={texts.changes.retryOne}
                        run={async () => {
                          await gateway.admin.retryWebhooks({ gameId, id });
                        }}
                        onDone={queue.reload}
                      />
                    ),
                  },
                ]}
              />
            )}
            <Pager paging={paging} cursor={cursor} />
          </>
        )}
      </Ready>
    </Page>
  );
}
