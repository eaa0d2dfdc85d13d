import type { GamePlatform, PlatformPresetInfo } from '../../../src/protocol/admin-platforms.js';
import { useConsole } from '../context.js';
import { Change } from '../parts/change.js';
import { Ready, useLoaded } from '../parts/loaded.js';
import { Page } from '../parts/page.js';
import { Ago, Badge, Code, Empty, Foreign } from '../parts/show.js';
import { Table } from '../parts/table.js';
import { EditPlatform, PlatformClash, titleOf } from './platform-form.js';
import { TryPlatform } from './platform-trial.js';

/** The platforms that players of a game sign in with. */
export function Platforms() {
  const { texts, gateway, place } = useConsole();
  const { gameId, environment } = place;
  const read = useLoaded(
    async (signal) => {
      const [presets, platforms] = await Promise.all([
        gateway.admin.platformPresets({ signal }),
        gateway.admin.platforms({ gameId, environment, signal }),
      ]);
      return { presets, platforms };
    },
    [gateway, gameId, environment],
  );
  const presets = read.value?.presets ?? [];
  return (
    <Page
      title={texts.pages.platforms}
      intro={texts.platforms.intro}
      actions={presets.length > 0 ? <EditPlatform presets={presets} platform={null} onDone={read.reload} /> : undefined}
    >
      <Ready of={read}>
        {({ platforms }) =>
          platforms.length === 0 ? (
            <Empty title={texts.platforms.none}>{texts.platforms.noneHint}</Empty>
          ) : (
            <PlatformTable platforms={platforms} presets={presets} reload={read.reload} />
          )
        }
      </Ready>
    </Page>
  );
}

function PlatformTable({
  platforms,
  presets,
  reload,
}: {
  platforms: readonly GamePlatform[];
  presets: readonly PlatformPresetInfo[];
  reload(): void;
}) {
  const { texts, words } = useConsole();
  const called = (preset: string): string => {
    const found = presets.find(({ name }) => name === preset);
    return found === undefined ? preset : titleOf(found, words);
  };
  return (
    <Table
      label={texts.pages.platforms}
      rows={platforms}
      keyOf={({ name, kind, source }) => [source, kind, name].join(' ')}
      columns={[
        {
          head: texts.platforms.name,
          cell: ({ name, preset }) => (
            <>
              <strong>
                <Foreign text={name} />
              </strong>
              <span class="soft">{preset === null ? texts.platforms.ownCode : called(preset)}</span>
            </>
          ),
        },
        { head: texts.player.kind, cell: ({ kind }) => texts.platforms.kinds[kind] },
        { head: texts.players.state, cell: (platform) => <State of={platform} /> },
        { head: texts.platforms.settings, cell: (platform) => <Settings of={platform} /> },
        {
          head: texts.platforms.changed,
          cell: ({ changedAt, source }) =>
            changedAt === undefined ? (
              <span class="soft">{texts.platforms.sources[source]}</span>
            ) : (
              <Ago at={changedAt} />
            ),
        },
        {
          head: texts.common.actions,
          cell: (platform) =>
            platform.source === 'store' ? (
              <Actions platform={platform} presets={presets} reload={reload} />
            ) : (
              <TryPlatform name={platform.name} />
            ),
        },
      ]}
    />
  );
}

function State({ of: { isOn, problem } }: { of: GamePlatform }) {
  const { texts } = useConsole();
  const problems: { readonly [problem: string]: string } = texts.platforms.problems;
  return (
    <>
      <Badge tone={isOn ? 'good' : 'plain'}>{isOn ? texts.platforms.on : texts.platforms.off}</Badge>
      {problem !== undefined && <Badge tone="bad">{problems[problem] ?? problem}</Badge>}
    </>
  );
}

function Settings({ of: { settings, secrets } }: { of: GamePlatform }) {
  const { texts } = useConsole();
  // The cell says that there are none.
  if (Object.keys(settings).length + secrets.length === 0) return null;
  return (
    <dl class="facts inline-facts">
      {Object.entries(settings).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Code text={Array.isArray(value) ? value.join(', ') : String(value)} />
          </dd>
        </div>
      ))}
      {secrets.map((name) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="soft">{texts.platforms.secretSet}</dd>
        </div>
      ))}
    </dl>
  );
}

function Actions({
  platform,
  presets,
  reload,
}: {
  platform: GamePlatform;
  presets: readonly PlatformPresetInfo[];
  reload(): void;
}) {
  const { texts, gateway, place } = useConsole();
  const { name, preset, version } = platform;
  if (preset === null) return null;
  return (
    <>
      <EditPlatform presets={presets} platform={platform} onDone={reload} />
      <TryPlatform name={name} />
      <Change
        isSmall
        isDangerous
        scope="admin"
        texts={texts.changes.removePlatform}
        label={`${texts.changes.removePlatform.title}: ${name}`}
        run={() => gateway.admin.removePlatform({ ...place, name, version })}
        wayOut={(error, forget) => <PlatformClash error={error} readAgain={reload} forget={forget} />}
        onDone={reload}
      />
    </>
  );
}
