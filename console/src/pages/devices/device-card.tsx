import { useEffect, useReducer, useState } from 'preact/hooks';
import type { Client } from '../../../../src/client/create-client.js';
import { useConsole } from '../../context.js';
import { Card } from '../../parts/page.js';
import { Badge, Id } from '../../parts/show.js';
import type { Device } from './device.js';

type AuthResult = Awaited<ReturnType<Client['auth']['withName']>>;

/** One device as its player sees it. */
export function DeviceCard({
  title,
  device,
  signIn,
}: {
  title: string;
  device: Device;
  signIn(): Promise<AuthResult>;
}) {
  const { texts, href } = useConsole();
  const [, show] = useReducer((count: number) => count + 1, 0);
  const [failure, setFailure] = useState<string | null>(null);
  const [isOffline, setOffline] = useState(false);
  const { client } = device;
  useEffect(() => device.subscribe(() => show(0)), [device]);

  const attempt = async (what: () => Promise<unknown>): Promise<void> => {
    setFailure(null);
    try {
      const result = await what();
      if (isRefused(result)) setFailure(result.error.message);
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    }
    show(0);
  };
  const { userId, state, methods } = client.watchAccount().getSnapshot();
  const isNamed = methods.includes('name');
  return (
    <Card title={title}>
      <p class="coins">
        <strong>{device.coins()}</strong> {texts.devices.coins}
      </p>
      <dl class="facts">
        <dt>{texts.players.player}</dt>
        <dd>
          {userId === null ? (
            '–'
          ) : (
            <a href={href(['players', userId])}>
              <Id id={userId} />
            </a>
          )}
        </dd>
        <dt>{texts.devices.state}</dt>
        <dd>
          <code>{state}</code>
        </dd>
        <dt>{texts.devices.saves}</dt>
        <dd>
          <Badge tone={client.profile.status === 'synced' ? 'good' : 'plain'}>{client.profile.status}</Badge>
        </dd>
      </dl>
      <div class="actions device-actions">
        <button type="button" class="primary" onClick={() => void attempt(() => device.add(10))}>
          {texts.devices.earn}
        </button>
        <button
          type="button"
          disabled={isNamed || client.conflict !== null || isOffline}
          onClick={() => void attempt(signIn)}
        >
          {texts.devices.signIn}
        </button>
        <button type="button" disabled={isOffline} onClick={() => void attempt(() => device.look())}>
          {texts.devices.look}
        </button>
        <label class="choice">
          <input
            type="checkbox"
            checked={isOffline}
            onChange={({ currentTarget: { checked } }) => {
              setOffline(checked);
              void attempt(() => client.setNetwork(checked ? 'off' : 'on'));
            }}
          />
          {texts.devices.offline}
        </label>
      </div>
      {failure !== null && (
        <p class="problem" role="alert">
          {failure}
        </p>
      )}
      <Choice device={device} attempt={attempt} />
    </Card>
  );
}

/** An open conflict, and what the player may choose. */
function Choice({
  device: { client },
  attempt,
}: {
  device: Device;
  attempt(what: () => Promise<unknown>): Promise<void>;
}) {
  const { texts } = useConsole();
  const { conflict } = client;
  if (conflict === null) return null;
  // What the client has asked to be shown of each side is the coins alone.
  const coinsOf = (side: 'local' | 'cloud'): string => String(conflict[side].fields[0]?.value ?? 0);
  const choose = (choice: Parameters<typeof conflict.resolve>[0]) => () => void attempt(() => conflict.resolve(choice));
  return (
    <fieldset class="conflict">
      <legend>{texts.devices.conflict}</legend>
      <p>{texts.devices.conflictHint}</p>
      <div class="actions">
        <button type="button" onClick={choose('local')}>
          {texts.devices.local(coinsOf('local'))}
        </button>
        <button type="button" onClick={choose('cloud')}>
          {texts.devices.cloud(coinsOf('cloud'))}
        </button>
        {conflict.mergeable && (
          <button type="button" onClick={choose('merge')}>
            {texts.devices.merge}
          </button>
        )}
        <button type="button" onClick={choose('cancel')}>
          {texts.common.cancel}
        </button>
      </div>
    </fieldset>
  );
}

function isRefused(result: unknown): result is { success: false; error: Error } {
  return typeof result === 'object' && result !== null && 'success' in result && result.success === false;
}
