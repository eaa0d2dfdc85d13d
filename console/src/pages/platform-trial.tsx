import { useState } from 'preact/hooks';
import type { PlatformTrial } from '../../../src/protocol/admin-platforms.js';
import { useConsole } from '../context.js';
import { Change } from '../parts/change.js';
import { Said } from '../parts/said.js';
import { Badge, Code } from '../parts/show.js';

const tones = { passed: 'good', failed: 'bad', not_reached: 'plain' } as const;

/** Checks a token as a player's is checked, and tells of each step. */
export function TryPlatform({ name }: { name: string }) {
  const { texts, gateway, place } = useConsole();
  const [token, setToken] = useState('');
  return (
    <Change
      isSmall
      scope="admin"
      texts={texts.changes.tryPlatform}
      label={`${texts.changes.tryPlatform.title}: ${name}`}
      isReady={token.trim() !== ''}
      fields={
        <div class="fields">
          <label>
            {texts.platforms.token}
            <textarea
              rows={4}
              value={token}
              spellcheck={false}
              required
              onInput={({ currentTarget }) => setToken(currentTarget.value)}
            />
          </label>
        </div>
      }
      run={async () => {
        const trial = await gateway.admin.tryPlatform({ ...place, name, token: token.trim() });
        setToken('');
        return <Trial trial={trial} />;
      }}
    />
  );
}

function Trial({ trial: { player, steps } }: { trial: PlatformTrial }) {
  const { texts } = useConsole();
  return (
    <>
      <p>
        {player === null ? (
          <strong>{texts.platforms.refused}</strong>
        ) : (
          <>
            <strong>{texts.platforms.accepted}</strong> <Code text={player.id} />
            {player.issuer !== undefined && <Code text={player.issuer} />}
          </>
        )}
      </p>
      <ol class="steps">
        {steps.map(({ step, result, detail }) => (
          <li key={step}>
            <Badge tone={tones[result]}>{texts.platforms.results[result]}</Badge>
            <span>
              <Said text={step} />
              {detail !== undefined && (
                <span class="soft">
                  {' '}
                  <Said text={detail} />
                </span>
              )}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
