import { useMemo } from 'preact/hooks';
import type { DayCounts } from '../../../src/protocol/admin-counts.js';
import { useConsole, useTexts } from '../context.js';
import { Figure } from '../parts/figure.js';
import { Ready, useEvery, useLoaded } from '../parts/loaded.js';
import { Card, Page } from '../parts/page.js';
import { Bytes, bytesText, Count } from '../parts/show.js';
import type { ServiceOverview } from '../wire/messages.js';
import { FirstSteps } from './first-steps.js';
import { Places } from './places.js';

const serviceEveryMs = 5_000;
const countsEveryMs = 20_000;

/** How the service and the game are at present. */
export function Overview() {
  const { texts, session, gateway, place } = useConsole();
  const service = useLoaded((signal) => gateway.overview(signal), [gateway]);
  const counts = useLoaded(
    (signal) => gateway.admin.counts({ ...place, signal }),
    [gateway, place.gameId, place.environment],
  );
  const now = service.value === undefined ? null : (service.value.players[place.gameId] ?? 0);
  useEvery(serviceEveryMs, service.reload);
  useEvery(countsEveryMs, counts.reload);
  return (
    <Page title={texts.pages.overview} intro={texts.overview.intro}>
      <Ready of={counts}>{(days) => <Days days={days} now={now} />}</Ready>
      {session.dev !== null && <FirstSteps dev={session.dev} />}
      <Places />
      <Ready of={service}>{(found) => <Service found={found} />}</Ready>
    </Page>
  );
}

function Days({ days, now }: { days: readonly DayCounts[]; now: number | null }) {
  const texts = useTexts();
  const times = useMemo(() => days.map(({ day }) => Date.parse(day)), [days]);
  const players = useMemo(
    () => [
      { label: texts.overview.active, colour: '--accent' as const, values: days.map(({ active }) => active) },
      { label: texts.overview.newPlayers, colour: '--second' as const, values: days.map((day) => day.new) },
    ],
    [days, texts],
  );
  const signIns = useMemo(
    () => [
      { label: texts.overview.allSignIns, colour: '--accent' as const, values: days.map(signInsOf) },
      { label: texts.methods.device, colour: '--second' as const, values: days.map((day) => day.signIns.device) },
    ],
    [days, texts],
  );
  const conflictCourse = useMemo(
    () => [
      { label: texts.overview.met, colour: '--accent' as const, values: days.map((day) => day.conflicts) },
      { label: texts.overview.chosen, colour: '--second' as const, values: days.map(chosenOf) },
    ],
    [days, texts],
  );
  const sum = (of: (day: DayCounts) => number): number => days.reduce((all, day) => all + of(day), 0);
  const today = days.at(-1);
  const conflicts = sum((day) => day.conflicts);
  const choices = (['local', 'cloud', 'merge'] as const).map((name) => ({
    name,
    count: sum((day) => day.choices[name]),
  }));
  const chosen = choices.reduce((all, { count }) => all + count, 0);
  return (
    <>
      <div class="tiles">
        <Tile title={texts.overview.now} value={now ?? '–'} note={texts.overview.nowHint} />
        <Tile title={texts.overview.activeToday} value={today?.active ?? 0} note={texts.overview.activeHint} />
        <Tile
          title={texts.overview.newToday}
          value={today?.new ?? 0}
          note={texts.overview.newHint(sum((day) => day.new))}
        />
        <Tile
          title={texts.overview.signInsToday}
          value={today === undefined ? 0 : signInsOf(today)}
          note={texts.overview.signInsHint}
        />
        <Tile title={texts.overview.conflicts} value={conflicts} note={texts.overview.conflictsHint} />
      </div>
      <div class="columns">
        <Card title={texts.overview.byDay}>
          <Figure title={texts.overview.last30} times={times} series={players} isDays />
        </Card>
        <Card title={texts.overview.how}>
          <Figure title={texts.overview.signInsByDay} times={times} series={signIns} isDays />
          <h3>{texts.overview.signIns}</h3>
          <Shares
            parts={(['device', 'name', 'identity', 'social', 'custom', 'recovery'] as const).map((method) => ({
              label: texts.methods[method],
              count: sum((day) => day.signIns[method]),
            }))}
          />
        </Card>
        <Card title={texts.overview.howConflictsEnded}>
          <Figure title={texts.overview.conflictsByDay} times={times} series={conflictCourse} isDays />
          <h3>{texts.overview.last30}</h3>
          <Shares
            parts={[
              ...choices.map(({ name, count }) => ({ label: texts.overview.choices[name], count })),
              { label: texts.overview.choices.none, count: Math.max(0, conflicts - chosen) },
            ]}
          />
        </Card>
      </div>
    </>
  );
}

const signInsOf = ({ signIns }: DayCounts): number => Object.values(signIns).reduce((sum, count) => sum + count, 0);

const chosenOf = ({ choices }: DayCounts): number => choices.local + choices.cloud + choices.merge;

function Tile({ title, value, note }: { title: string; value: number | string; note: string }) {
  return (
    <div class="tile">
      <p class="tile-title">{title}</p>
      <p class="tile-value">{typeof value === 'number' ? <Count of={value} /> : value}</p>
      <p class="soft small-print">{note}</p>
    </div>
  );
}

/** How a sum is made up. */
function Shares({ parts }: { parts: readonly { label: string; count: number }[] }) {
  const all = Math.max(1, ...parts.map(({ count }) => count));
  return (
    <dl class="shares">
      {parts.map(({ label, count }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <progress aria-label={label} value={count} max={all} />
            <span class="number">
              <Count of={count} />
            </span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

const stepMs = 10_000;
const steps = 180;

/** The numbers of each ten seconds; the service has none of those in which nobody asked. */
function everyStep(requests: ServiceOverview['requests']): ServiceOverview['requests'] {
  const known = new Map(requests.map((step) => [step.time, step]));
  const last = Math.max(Math.floor(Date.now() / stepMs) * stepMs, ...known.keys());
  return Array.from({ length: steps }, (_, index) => last - (steps - 1 - index) * stepMs).map(
    (time) => known.get(time) ?? { time, count: 0, errors: 0, p50: null, p99: null },
  );
}

function Service({ found }: { found: ServiceOverview }) {
  const { texts, language } = useConsole();
  const requests = useMemo(() => everyStep(found.requests), [found]);
  const times = useMemo(() => requests.map(({ time }) => time), [requests]);
  const load = useMemo(
    () => [
      { label: texts.overview.requests, colour: '--accent' as const, values: requests.map(({ count }) => count) },
      { label: texts.overview.errors, colour: '--bad' as const, values: requests.map(({ errors }) => errors) },
    ],
    [requests, texts],
  );
  const speed = useMemo(
    () => [
      { label: 'p50', colour: '--accent' as const, values: requests.map(({ p50 }) => p50) },
      { label: 'p99', colour: '--second' as const, values: requests.map(({ p99 }) => p99) },
    ],
    [requests],
  );
  const errors = requests.reduce((sum, { errors: count }) => sum + count, 0);
  const hours = found.uptimeMs / 3_600_000;
  return (
    <>
      <div class="columns">
        <Card title={texts.overview.requests}>
          <Figure title={texts.overview.per10s} times={times} series={load} />
        </Card>
        <Card title={texts.overview.speed}>
          <Figure title={texts.overview.speedUnit} times={times} series={speed} />
        </Card>
      </div>
      {found.processes.of > 1 && <p class="soft">{texts.overview.ofProcesses(found.processes)}</p>}
      <Card title={texts.overview.service}>
        <dl class="facts facts-wide">
          <dt>{texts.overview.store}</dt>
          <dd>
            {found.storeKind}
            {found.storeBytes !== null && (
              <>
                {' · '}
                <Bytes of={found.storeBytes} />
              </>
            )}
          </dd>
          <dt>{texts.overview.errorsLast30}</dt>
          <dd>
            <Count of={errors} />
          </dd>
          <dt>{texts.overview.uptime}</dt>
          <dd>
            {hours < 1 ? texts.overview.minutes(Math.floor(hours * 60)) : texts.overview.hours(Math.floor(hours))}
          </dd>
          <dt>{texts.overview.memory}</dt>
          <dd>{bytesText(found.memoryBytes, language)}</dd>
          <dt>{texts.overview.version}</dt>
          <dd>
            <code>{found.version}</code>
          </dd>
        </dl>
      </Card>
    </>
  );
}
