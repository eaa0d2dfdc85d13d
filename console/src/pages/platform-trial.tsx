import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { PlatformTrial } from '../../../src/protocol/admin-platforms.js';
import { useConsole, useTexts } from '../context.js';
import { Change } from '../parts/change.js';
import { Problem } from '../parts/problem.js';
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
          <Token value={token} onInput={setToken} />
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

/** The same before anything is saved: by what stands in the form. */
export function TryUnsaved({
  name,
  preset,
  settings,
  isReady,
}: {
  name: string;
  preset: string;
  settings: { readonly [field: string]: string | readonly string[] | null };
  isReady: boolean;
}) {
  const { texts, gateway, place } = useConsole();
  const [token, setToken] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [shown, setShown] = useState<ComponentChildren>(null);
  const go = async (): Promise<void> => {
    setBusy(true);
    const unsaved = { preset, settings };
    await gateway.admin.tryPlatform({ ...place, name, token: token.trim(), unsaved }).then(
      (trial) => setShown(<Trial trial={trial} />),
      (error: unknown) => setShown(<Problem error={error} />),
    );
    setBusy(false);
  };
  return (
    <details class="trial">
      <summary>{texts.platforms.tryFirst}</summary>
      <Token value={token} onInput={setToken} />
      <button type="button" disabled={!isReady || isBusy || token.trim() === ''} onClick={() => void go()}>
        {texts.changes.tryPlatform.title}
      </button>
      <div role="status">{shown}</div>
    </details>
  );
}

function Token({ value, onInput }: { value: string; onInput(token: string): void }) {
  const texts = useTexts();
  return (
    <label>
      {texts.platforms.token}
      <textarea
        rows={4}
        value={value}
        spellcheck={false}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </label>
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
