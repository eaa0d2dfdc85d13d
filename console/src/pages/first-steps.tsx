import { clientCode, guestCommand, readCommand } from '../../../src/cli/dev/first-steps.js';
import { useTexts } from '../context.js';
import { once, useModule } from '../parts/loaded.js';
import { Card } from '../parts/page.js';
import { Said } from '../parts/said.js';
import { Copy, Paste } from '../parts/show.js';
import { Table } from '../parts/table.js';
import type { DevFacts } from '../wire/messages.js';

const loadQrCodes = once(() => import('uqr'));

/** What to paste to begin, with this service's own address and ids. */
export function FirstSteps({ dev }: { dev: DevFacts }) {
  const texts = useTexts();
  const { gameId, privateKey, seeded, lanUrls, store, faults } = dev;
  // Whoever came here by another address, such as one of the local network, pastes that one.
  const place = { url: location.origin, gameId };
  return (
    <>
      <Card title={texts.firstSteps.title}>
        <dl class="facts facts-wide">
          <dt>{texts.firstSteps.address}</dt>
          <dd>
            <code>{place.url}</code>{' '}
            <Copy text={place.url} label={`${texts.common.copy}: ${texts.firstSteps.address}`} />
          </dd>
          <dt>{texts.firstSteps.gameId}</dt>
          <dd>
            <code>{gameId}</code> <Copy text={gameId} label={`${texts.common.copy}: ${texts.firstSteps.gameId}`} />
          </dd>
          <dt>{texts.firstSteps.privateKey}</dt>
          <dd>{privateKey === null ? texts.firstSteps.ownKey : <code>{privateKey}</code>}</dd>
          <dt>{texts.overview.store}</dt>
          <dd>{store === 'memory' ? texts.firstSteps.memory : <code>{store}</code>}</dd>
          {faults !== null && (
            <>
              <dt>{texts.pages.faults}</dt>
              <dd>
                {faults.split(', ').map((fault, index) => (
                  <span key={fault}>
                    {index > 0 && ', '}
                    <Said text={fault} />
                  </span>
                ))}
              </dd>
            </>
          )}
        </dl>
        <Paste title={texts.firstSteps.inGame} text={clientCode(place)}>
          <code>npm install savepoint</code>
        </Paste>
        <Paste title={texts.firstSteps.inTerminal} text={guestCommand(place)} />
        <Paste title={texts.firstSteps.inBackEnd} text={readCommand(place, privateKey ?? '<private key>')}>
          {texts.firstSteps.userIdOfAnswer}
        </Paste>
      </Card>
      <div class="columns">
        {seeded.length > 0 && (
          <Card title={texts.firstSteps.players}>
            <p class="soft">{texts.firstSteps.playersHint}</p>
            <Table
              label={texts.firstSteps.players}
              rows={seeded}
              keyOf={({ username }) => username}
              columns={[
                { head: texts.firstSteps.name, cell: ({ username }) => <code>{username}</code> },
                { head: texts.firstSteps.password, cell: ({ password }) => <code>{password}</code> },
              ]}
            />
          </Card>
        )}
        <Phones urls={lanUrls} />
      </div>
    </>
  );
}

function Phones({ urls }: { urls: readonly string[] }) {
  const texts = useTexts();
  return (
    <Card title={texts.firstSteps.phone}>
      <p class="soft">{urls.length === 0 ? texts.firstSteps.phoneHost : texts.firstSteps.phoneHint}</p>
      <div class="codes">
        {urls.map((url) => (
          <div key={url}>
            <QrCode text={url} />
            <code>{url}</code>
          </div>
        ))}
      </div>
    </Card>
  );
}

function QrCode({ text }: { text: string }) {
  const texts = useTexts();
  const made = useModule(loadQrCodes).value;
  if (made === undefined) return <div class="qr" />;
  const { data, size } = made.encode(text, { border: 2 });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg class="qr" role="img" aria-label={texts.firstSteps.qr(text)} viewBox={`0 0 ${size} ${size}`}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
