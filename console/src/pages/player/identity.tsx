import { useConsole, useTexts } from '../../context.js';
import { numberFormat } from '../../formats.js';
import { Change } from '../../parts/change.js';
import { Card } from '../../parts/page.js';
import { Ago, bytesText, Code, Empty, Foreign, Id, Moment } from '../../parts/show.js';
import { Table } from '../../parts/table.js';
import type { PlayerProps } from './player.js';

/** Who a player is: what leads to the account, where it is in use, and how much it holds. */
export function Identity(props: PlayerProps) {
  const { texts, language } = useConsole();
  const { player } = props;
  const { usage } = player;
  const quotas = ['values', 'entries', 'collections', 'snapshots', 'snapshotBytes', 'devices', 'sessions'] as const;
  const amount = (name: string, count: number): string =>
    name === 'values' || name === 'snapshotBytes' ? bytesText(count, language) : numberFormat(language).format(count);
  return (
    <>
      <Card title={texts.player.account}>
        <dl class="facts facts-wide">
          <dt>{texts.players.made}</dt>
          <dd>
            <Moment at={player.createdAt} />
          </dd>
          <dt>{texts.players.seen}</dt>
          <dd>
            <Ago at={player.lastSeenAt} />
          </dd>
          {player.logName !== undefined && (
            <>
              <dt>{texts.player.logName}</dt>
              <dd>
                <code>{player.logName}</code>
              </dd>
            </>
          )}
        </dl>
      </Card>
      <Methods {...props} />
      <Devices {...props} />
      <Sessions {...props} />
      <OpenConflicts {...props} />
      <Card title={texts.player.usage}>
        <dl class="shares">
          {quotas.map((name) => (
            <div key={name}>
              <dt>{texts.player.quotas[name]}</dt>
              <dd>
                <progress aria-label={texts.player.quotas[name]} value={usage[name].used} max={usage[name].limit} />
                <span class="number">
                  {amount(name, usage[name].used)} / {amount(name, usage[name].limit)}
                </span>
              </dd>
            </div>
          ))}
        </dl>
      </Card>
    </>
  );
}

function Methods({ player, reload }: PlayerProps) {
  const { texts, players } = useConsole();
  const known: { readonly [method: string]: string } = texts.methods;
  if (player.methods.length === 0) {
    return (
      <Card title={texts.player.methods}>
        <Empty title={texts.player.noMethods}>{texts.player.noMethodsHint}</Empty>
      </Card>
    );
  }
  return (
    <Card title={texts.player.methods}>
      <Table
        label={texts.player.methods}
        rows={player.methods.map((method, index) => ({ ...method, index }))}
        keyOf={({ index }) => String(index)}
        columns={[
          { head: texts.player.kind, cell: ({ method }) => known[method] ?? method },
          {
            head: texts.player.called,
            cell: ({ label, subject, address }) => (
              <>
                {label !== undefined && <Foreign text={label} />}
                {subject !== undefined && <Code text={subject} />}
                {address !== undefined && (
                  <span class="soft">
                    <Foreign text={address} />
                  </span>
                )}
                {label === undefined && subject === undefined && '–'}
              </>
            ),
          },
          { head: texts.player.linked, cell: ({ linkedAt }) => <Moment at={linkedAt} /> },
          {
            head: texts.player.used,
            cell: ({ lastUsedAt }) => (lastUsedAt === undefined ? '–' : <Ago at={lastUsedAt} />),
          },
          {
            head: texts.common.actions,
            cell: ({ method }) => (
              <Change
                isSmall
                isDangerous
                scope="support"
                texts={texts.changes.unlink}
                label={`${texts.changes.unlink.title}: ${known[method] ?? method}`}
                run={() => players.unlink(player.userId, method)}
                onDone={reload}
              />
            ),
          },
        ]}
      />
    </Card>
  );
}

function Devices({ player, reload }: PlayerProps) {
  const { texts, players } = useConsole();
  return (
    <Card title={texts.player.devices}>
      {player.devices.length === 0 ? (
        <Empty title={texts.player.noDevices} />
      ) : (
        <Table
          label={texts.player.devices}
          rows={player.devices}
          keyOf={({ id }) => id}
          columns={[
            { head: texts.player.device, cell: ({ id }) => <Id id={id} /> },
            { head: texts.player.linked, cell: ({ linkedAt }) => <Moment at={linkedAt} /> },
            { head: texts.player.used, cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} /> },
            {
              head: texts.common.actions,
              cell: ({ id }) => (
                <Change
                  isSmall
                  isDangerous
                  scope="support"
                  texts={texts.changes.revokeDevice}
                  label={`${texts.changes.revokeDevice.title}: ${id}`}
                  run={() => players.revokeDevice(player.userId, id)}
                  onDone={reload}
                />
              ),
            },
          ]}
        />
      )}
    </Card>
  );
}

function Sessions({ player, reload }: PlayerProps) {
  const { texts, players } = useConsole();
  const known: { readonly [method: string]: string } = texts.methods;
  const signOut = (
    <Change
      isSmall
      scope="support"
      texts={texts.changes.signOut}
      run={() => players.signOut(player.userId)}
      onDone={reload}
    />
  );
  return (
    <Card title={texts.player.sessions} actions={player.sessions.length > 0 ? signOut : undefined}>
      {player.sessions.length === 0 ? (
        <Empty title={texts.player.noSessions} />
      ) : (
        <Table
          label={texts.player.sessions}
          rows={player.sessions}
          keyOf={({ id }) => id}
          columns={[
            { head: texts.player.cameBy, cell: ({ method }) => known[method] ?? method },
            { head: texts.player.device, cell: ({ device }) => <Id id={device} /> },
            { head: texts.player.opened, cell: ({ openedAt }) => <Moment at={openedAt} /> },
            { head: texts.player.shown, cell: ({ authenticatedAt }) => <Ago at={authenticatedAt} /> },
            { head: texts.player.ends, cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
          ]}
        />
      )}
    </Card>
  );
}

function OpenConflicts({ player }: Pick<PlayerProps, 'player'>) {
  const texts = useTexts();
  const { href } = useConsole();
  const known: { readonly [method: string]: string } = texts.methods;
  if (player.conflicts.length === 0) return null;
  return (
    <Card title={texts.player.conflicts}>
      <p class="soft">{texts.player.conflictsHint}</p>
      <Table
        label={texts.player.conflicts}
        rows={player.conflicts}
        keyOf={({ localUserId, cloudUserId, method }) => `${localUserId} ${cloudUserId} ${method}`}
        columns={[
          { head: texts.player.kind, cell: ({ method }) => known[method] ?? method },
          {
            head: texts.player.signedInTo,
            cell: ({ localUserId }) => (
              <a href={href(['players', localUserId])}>
                <Id id={localUserId} />
              </a>
            ),
          },
          {
            head: texts.player.leadsTo,
            cell: ({ cloudUserId }) => (
              <a href={href(['players', cloudUserId])}>
                <Id id={cloudUserId} />
              </a>
            ),
          },
          { head: texts.player.ends, cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
        ]}
      />
    </Card>
  );
}
