import { useState } from 'preact/hooks';
import { operations } from '../../../src/protocol/operations.js';
import { useConsole } from '../context.js';
import { Change } from '../parts/change.js';
import { Ready, useEvery, useLoaded } from '../parts/loaded.js';
import { Card, Page } from '../parts/page.js';
import { Problem } from '../parts/problem.js';
import { Empty, Moment } from '../parts/show.js';
import { Table } from '../parts/table.js';
import type { FaultPlan } from '../wire/messages.js';

const faults = ['offline', 'slow', 'lost_answer', 'malformed', 'code'] as const;
/** Those that a game meets most; all others come after them. */
const usualCodes = ['unavailable', 'internal', 'rate_limited', 'token_expired', 'quota_exceeded', 'account_banned'];

/** What a developer plans to go wrong, and the service's clock. For development alone. */
export function Faults() {
  const { texts, session } = useConsole();
  if (session.mode !== 'dev') return <Empty title={texts.faults.devOnly} />;
  return (
    <Page title={texts.pages.faults} intro={texts.faults.intro}>
      <Plans />
      <Clock />
      <Reset />
    </Page>
  );
}

function Plans() {
  const { texts, gateway, announce } = useConsole();
  const read = useLoaded((signal) => gateway.faults(signal), [gateway]);
  const [error, setError] = useState<unknown>();
  // Another page may have planned something since this one has read: what is there now is changed, and no older list.
  const plan = async (change: (plans: readonly FaultPlan[]) => readonly FaultPlan[], said: string): Promise<void> => {
    try {
      const { plans } = await gateway.faults();
      await gateway.planFaults(change(plans));
      setError(undefined);
      announce(said);
      read.reload();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Card title={texts.faults.plans}>
      {error !== undefined && <Problem error={error} />}
      <Ready of={read}>
        {({ plans, codes }) => (
          <>
            {plans.length === 0 ? (
              <Empty title={texts.faults.none}>{texts.faults.noneHint}</Empty>
            ) : (
              <Table
                label={texts.faults.plans}
                rows={plans.map((one, index) => ({ ...one, index }))}
                keyOf={({ index }) => String(index)}
                columns={[
                  { head: texts.faults.what, cell: (one) => saidOf(one, texts.faults.kinds[one.fault]) },
                  { head: texts.faults.share, isNumber: true, cell: ({ share }) => `${Math.round(share * 100)} %` },
                  {
                    head: texts.faults.route,
                    cell: ({ route }) => (route === null ? texts.faults.every : <code>{route}</code>),
                  },
                  {
                    head: texts.players.player,
                    cell: ({ player }) => (player === null ? texts.faults.every : <code>{player}</code>),
                  },
                  {
                    head: texts.common.actions,
                    cell: ({ index: _, ...removed }) => (
                      <button
                        type="button"
                        class="small"
                        onClick={() => void plan((now) => without(now, removed), texts.faults.removed)}
                      >
                        {texts.faults.remove}
                      </button>
                    ),
                  },
                ]}
              />
            )}
            <NewPlan
              codes={[...new Set([...usualCodes, ...[...codes].sort()])]}
              onPlan={(one) => void plan((now) => [...now, one], texts.faults.planned)}
            />
          </>
        )}
      </Ready>
    </Card>
  );
}

/** All but the first of the plans that is the same. */
function without(plans: readonly FaultPlan[], removed: FaultPlan): FaultPlan[] {
  const textOf = ({ fault, share, route, player, ms, code }: FaultPlan): string =>
    JSON.stringify([fault, share, route, player, ms, code]);
  const at = plans.findIndex((plan) => textOf(plan) === textOf(removed));
  return plans.filter((_, index) => index !== at);
}

function saidOf({ ms, code }: FaultPlan, kind: string): string {
  const more = [ms === undefined ? '' : `${ms} ms`, code ?? ''].filter((part) => part !== '');
  return [kind, ...more].join(', ');
}

function NewPlan({ codes, onPlan }: { codes: readonly string[]; onPlan(plan: FaultPlan): void }) {
  const { texts } = useConsole();
  const [fault, setFault] = useState<FaultPlan['fault']>('offline');
  const [share, setShare] = useState(100);
  const [route, setRoute] = useState('');
  const [player, setPlayer] = useState('');
  const [ms, setMs] = useState(2_000);
  const [code, setCode] = useState('unavailable');
  const send = (event: Event): void => {
    event.preventDefault();
    onPlan({
      fault,
      share: share / 100,
      route: route === '' ? null : route,
      player: player.trim() === '' ? null : player.trim(),
      ...(fault === 'slow' ? { ms } : {}),
      ...(fault === 'code' ? { code } : {}),
    });
  };
  const number = (text: string): number => Math.max(0, Number(text) || 0);
  return (
    <form class="fields fields-row" onSubmit={send}>
      <label>
        {texts.faults.what}
        <select value={fault} onChange={({ currentTarget }) => setFault(currentTarget.value as FaultPlan['fault'])}>
          {faults.map((name) => (
            <option key={name} value={name}>
              {texts.faults.kinds[name]}
            </option>
          ))}
        </select>
      </label>
      {fault === 'slow' && (
        <label>
          {texts.faults.ms}
          <input
            type="number"
            min="1"
            max="60000"
            value={ms}
            onInput={({ currentTarget }) => setMs(number(currentTarget.value))}
          />
        </label>
      )}
      {fault === 'code' && (
        <label>
          {texts.faults.code}
          <select value={code} onChange={({ currentTarget }) => setCode(currentTarget.value)}>
            {codes.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <label>
        {texts.faults.sharePercent}
        <input
          type="number"
          min="1"
          max="100"
          value={share}
          onInput={({ currentTarget }) => setShare(number(currentTarget.value))}
        />
      </label>
      <label>
        {texts.faults.route}
        <select value={route} onChange={({ currentTarget }) => setRoute(currentTarget.value)}>
          <option value="">{texts.faults.every}</option>
          {Object.entries(operations)
            .filter(([, { path }]) => !path.startsWith('/v2/admin'))
            .map(([name]) => (
              <option key={name}>{name}</option>
            ))}
        </select>
      </label>
      <label>
        {texts.faults.player}
        <input
          value={player}
          placeholder={texts.faults.every}
          onInput={({ currentTarget }) => setPlayer(currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary">
        {texts.faults.plan}
      </button>
    </form>
  );
}

const moves = [
  ['hour', 3_600_000],
  ['day', 86_400_000],
  ['month', 2_592_000_000],
] as const;

function Clock() {
  const { texts, gateway } = useConsole();
  const clock = useLoaded((signal) => gateway.clock(signal), [gateway]);
  useEvery(10_000, clock.reload);
  return (
    <Card title={texts.faults.clock}>
      <p class="soft">{texts.faults.clockHint}</p>
      <Ready of={clock}>
        {({ now, offsetMs }) => (
          <>
            <p>
              <Moment at={now} />{' '}
              <span class="soft">
                {offsetMs === 0 ? texts.faults.onTime : texts.faults.ahead(Math.round(offsetMs / 3_600_000))}
              </span>
            </p>
            <div class="actions">
              {moves.map(([name, ms]) => (
                <Change
                  key={name}
                  scope="support"
                  texts={texts.changes.moveClock[name]}
                  run={async () => {
                    await gateway.moveClock(ms);
                  }}
                  onDone={clock.reload}
                />
              ))}
            </div>
          </>
        )}
      </Ready>
    </Card>
  );
}

function Reset() {
  const { texts, gateway } = useConsole();
  return (
    <Card title={texts.faults.reset}>
      <p class="soft">{texts.faults.resetHint}</p>
      <Change isDangerous scope="admin" texts={texts.changes.reset} run={() => gateway.reset()} />
    </Card>
  );
}
