import { environments } from '../../../src/protocol/environments.js';
import { useConsole } from '../context.js';
import { Ready, useEvery, useLoaded } from '../parts/loaded.js';
import { Card } from '../parts/page.js';
import { Count } from '../parts/show.js';
import { Table } from '../parts/table.js';

const everyMs = 60_000;
/** Of so many games the numbers are read; of a service with more, one looks at each for itself. */
const gamesAtMost = 10;

/** Every game in every environment, side by side. */
export function Places() {
  const { texts, session, gateway, place, hrefAt } = useConsole();
  const games = session.games.slice(0, gamesAtMost);
  const read = useLoaded(
    (signal) =>
      Promise.all(
        games.flatMap((gameId) =>
          Object.values(environments).map(async (environment) => {
            const days = await gateway.admin.counts({ gameId, environment, signal });
            return {
              gameId,
              environment,
              today: days.at(-1),
              conflicts: days.reduce((sum, day) => sum + day.conflicts, 0),
            };
          }),
        ),
      ),
    [gateway, games.join(' ')],
  );
  useEvery(everyMs, read.reload);
  return (
    <Card title={texts.overview.places}>
      <Ready of={read}>
        {(rows) => (
          <Table
            label={texts.overview.places}
            rows={rows}
            keyOf={({ gameId, environment }) => `${gameId} ${environment}`}
            columns={[
              {
                head: texts.shell.game,
                cell: (row) => (
                  <a
                    href={hrefAt(row, [])}
                    aria-current={
                      row.gameId === place.gameId && row.environment === place.environment ? 'true' : undefined
                    }
                  >
                    <code title={row.gameId}>{row.gameId.slice(0, 8)}</code> {texts.environments[row.environment]}
                  </a>
                ),
              },
              {
                head: texts.overview.activeToday,
                isNumber: true,
                cell: ({ today }) => <Count of={today?.active ?? 0} />,
              },
              { head: texts.overview.newToday, isNumber: true, cell: ({ today }) => <Count of={today?.new ?? 0} /> },
              { head: texts.overview.conflicts30, isNumber: true, cell: ({ conflicts }) => <Count of={conflicts} /> },
            ]}
          />
        )}
      </Ready>
      {session.games.length > gamesAtMost && (
        <p class="soft small-print">{texts.overview.firstGames(gamesAtMost, session.games.length)}</p>
      )}
    </Card>
  );
}
