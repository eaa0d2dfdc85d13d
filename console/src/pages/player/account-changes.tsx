import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { EntriesOfMerge } from '../../../../src/protocol/admin-choices.js';
import { isUuid } from '../../../../src/protocol/ids.js';
import { useConsole } from '../../context.js';
import { Change } from '../../parts/change.js';
import { Card } from '../../parts/page.js';
import { Ago, Copy, Foreign, Id, Moment } from '../../parts/show.js';
import type { PlayerProps } from './player.js';

/** Whatever can be done for a player, or to one. */
export function AccountChanges(props: PlayerProps) {
  const { texts, players, allows } = useConsole();
  const { player, reload } = props;
  const id = player.userId;
  const hasName = player.methods.some(({ method }) => method === 'name');
  return (
    <>
      <Card title={texts.player.help}>
        <Row hint={texts.changes.signOut.does}>
          <Change scope="support" texts={texts.changes.signOut} run={() => players.signOut(id)} onDone={reload} />
        </Row>
        {hasName && (
          <Row hint={texts.changes.resetCode.does}>
            <Change
              scope="support"
              texts={texts.changes.resetCode}
              run={async () => {
                const made = await players.makeResetCode(id);
                return <Secret text={made.code} note={texts.player.resetCodeFor(made.name)} until={made.expiresAt} />;
              }}
              onDone={reload}
            />
          </Row>
        )}
        {player.deletedAt === undefined && (
          <Row hint={texts.changes.signInCode.does}>
            <Change
              scope="support"
              texts={texts.changes.signInCode}
              run={async () => {
                const { code, expiresAt } = await players.makeSignInCode(id);
                return <Secret text={code} note={texts.player.signInCode} until={expiresAt} />;
              }}
              onDone={reload}
            />
          </Row>
        )}
        <Row hint={texts.changes.export.does}>
          <Change
            scope="support"
            texts={texts.changes.export}
            run={async () => download(`player-${id}.json`, JSON.stringify(await players.export(id), null, 2))}
          />
        </Row>
        {player.choice !== undefined && <UndoChoice {...props} choice={player.choice} />}
      </Card>
      <Card title={texts.player.keepOut}>{player.ban === undefined ? <Ban {...props} /> : <Unban {...props} />}</Card>
      <Card title={texts.player.whole}>
        {allows('admin') && <Merge {...props} />}
        {player.deletedAt === undefined ? (
          allows('admin') && (
            <Row hint={texts.changes.delete.does}>
              <Change
                isDangerous
                scope="admin"
                texts={texts.changes.delete}
                run={async () => {
                  const { recoveryCode, removedAt } = await players.delete(id);
                  return <Secret text={recoveryCode} note={texts.player.recoveryCode} until={removedAt} />;
                }}
                onDone={reload}
              />
            </Row>
          )
        ) : (
          <Row hint={texts.changes.restore.does}>
            <Change scope="support" texts={texts.changes.restore} run={() => players.restore(id)} onDone={reload} />
          </Row>
        )}
        {!allows('admin') && player.deletedAt === undefined && <p class="soft">{texts.player.takesAdmin}</p>}
      </Card>
    </>
  );
}

function Row({ hint, children }: { hint: string; children: ComponentChildren }) {
  return (
    <div class="change-row">
      <p>{hint}</p>
      {children}
    </div>
  );
}

/** What is shown once. */
function Secret({ text, note, until }: { text: string; note: string; until: number }) {
  const { texts } = useConsole();
  return (
    <>
      <p>
        <bdi>{note}</bdi>
      </p>
      <p class="secret">
        <code>{text}</code> <Copy text={text} label={texts.common.copy} />
      </p>
      <p class="soft">
        {texts.common.shownOnce} {texts.common.until} <Moment at={until} />
      </p>
    </>
  );
}

function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}

function UndoChoice({
  player,
  reload,
  choice,
}: PlayerProps & { choice: NonNullable<PlayerProps['player']['choice']> }) {
  const { texts, players, href } = useConsole();
  return (
    <Row hint={texts.changes.undoChoice.does}>
      <Change
        scope="support"
        texts={texts.changes.undoChoice}
        fields={
          <dl class="facts">
            <dt>{texts.player.chose}</dt>
            <dd>
              {texts.player.choices[choice.choice]}, <Ago at={choice.madeAt} />
            </dd>
            <dt>{texts.player.otherAccount}</dt>
            <dd>
              <a href={href(['players', choice.fromUserId])}>
                <Id id={choice.fromUserId} />
              </a>
            </dd>
            <dt>{texts.common.until}</dt>
            <dd>
              <Moment at={choice.expiresAt} />
            </dd>
          </dl>
        }
        run={async () => {
          await players.undoChoice(player.userId, choice.id);
        }}
        onDone={reload}
      />
    </Row>
  );
}

function Ban({ player, reload }: PlayerProps) {
  const { texts, players } = useConsole();
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState('');
  const at = until === '' ? null : Date.parse(until);
  return (
    <Row hint={texts.changes.ban.does}>
      <Change
        isDangerous
        scope="support"
        texts={texts.changes.ban}
        isReady={reason.trim() !== '' && (at === null || !Number.isNaN(at))}
        fields={
          <div class="fields">
            <label>
              {texts.player.banReason}
              <input
                value={reason}
                maxLength={500}
                required
                onInput={({ currentTarget }) => setReason(currentTarget.value)}
              />
            </label>
            <label>
              {texts.player.banUntil}
              <input
                type="datetime-local"
                value={until}
                onInput={({ currentTarget }) => setUntil(currentTarget.value)}
              />
            </label>
          </div>
        }
        run={() => players.ban(player.userId, { reason, until: at })}
        onDone={reload}
      />
    </Row>
  );
}

function Unban({ player, reload }: PlayerProps) {
  const { texts, players } = useConsole();
  return (
    <Row hint={texts.changes.unban.does}>
      <p class="soft">
        <Foreign text={player.ban?.reason ?? ''} />
      </p>
      <Change scope="support" texts={texts.changes.unban} run={() => players.unban(player.userId)} onDone={reload} />
    </Row>
  );
}

function Merge({ player, reload }: PlayerProps) {
  const { texts, players } = useConsole();
  const [into, setInto] = useState('');
  const [entries, setEntries] = useState<EntriesOfMerge>('keep');
  const isOther = isUuid(into.trim()) && into.trim().toLowerCase() !== player.userId;
  return (
    <Row hint={texts.changes.merge.does}>
      <Change
        isDangerous
        scope="admin"
        texts={texts.changes.merge}
        isReady={isOther}
        fields={
          <div class="fields">
            <label>
              {texts.player.mergeInto}
              <input
                value={into}
                spellcheck={false}
                required
                onInput={({ currentTarget }) => setInto(currentTarget.value)}
              />
            </label>
            <fieldset>
              <legend>{texts.player.mergeEntries}</legend>
              {(['keep', 'take'] as const).map((which) => (
                <label key={which} class="choice">
                  <input
                    type="radio"
                    name="entries-of-merge"
                    checked={entries === which}
                    onChange={() => setEntries(which)}
                  />
                  {texts.player.mergeChoices[which]}
                </label>
              ))}
            </fieldset>
          </div>
        }
        run={async () => {
          await players.merge(player.userId, { into: into.trim(), entries });
        }}
        onDone={reload}
      />
    </Row>
  );
}
