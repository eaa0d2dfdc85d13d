import { useEffect, useState } from 'preact/hooks';
import { useConsole } from '../../context.js';
import { Loading } from '../../parts/loaded.js';
import { Page } from '../../parts/page.js';
import { Empty } from '../../parts/show.js';
import { createDevice, type Device } from './device.js';
import { DeviceCard } from './device-card.js';

interface Pair {
  phone: Device;
  laptop: Device;
  /** The name that both devices sign in with, and nobody has yet. */
  name: string;
  password: string;
}

/** Two live clients side by side, which meet a conflict in three clicks. For development alone. */
export function Devices() {
  const { texts, session, place } = useConsole();
  const [round, setRound] = useState(0);
  const [pair, setPair] = useState<Pair | null>(null);
  const isDev = session.mode === 'dev';

  useEffect(() => {
    if (!isDev) return;
    const phone = createDevice(place);
    const laptop = createDevice(place);
    // A browser has no randomUUID on a page that came over plain http from another machine.
    const random = [...crypto.getRandomValues(new Uint8Array(6))]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join('');
    const made = { phone, laptop, name: `player-${random}`, password: `password-${random}` };
    let isGone = false;
    const start = async (): Promise<void> => {
      await Promise.all([phone.client.init(), laptop.client.init()]);
      // The phone has the name already, so that the laptop, which plays as a guest, meets it.
      await phone.client.auth.withName(made.name, made.password);
      if (!isGone) setPair(made);
    };
    void start();
    return () => {
      isGone = true;
      setPair(null);
      phone.client.dispose();
      laptop.client.dispose();
    };
  }, [isDev, place, round]);

  if (!isDev) return <Empty title={texts.faults.devOnly} />;
  return (
    <Page
      title={texts.pages.devices}
      intro={texts.devices.intro}
      actions={
        <button type="button" onClick={() => setRound(round + 1)}>
          {texts.devices.anew}
        </button>
      }
    >
      {pair === null ? (
        <Loading />
      ) : (
        <div class="columns">
          {(['phone', 'laptop'] as const).map((which) => (
            <DeviceCard
              key={which}
              title={texts.devices[which]}
              device={pair[which]}
              signIn={() => pair[which].client.auth.withName(pair.name, pair.password)}
            />
          ))}
        </div>
      )}
    </Page>
  );
}
