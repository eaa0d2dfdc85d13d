import { isFailure } from '../../../../src/errors.js';
import type { AdminPlayer } from '../../../../src/protocol/admin-messages.js';
import { isUuid } from '../../../../src/protocol/ids.js';
import { useConsole } from '../../context.js';
import { type Loaded, Ready, useLoaded } from '../../parts/loaded.js';
import { Page } from '../../parts/page.js';
import { Copy, Empty, Foreign, Id, Moment } from '../../parts/show.js';
import { Tabs } from '../../parts/tabs.js';
import { visible } from '../../parts/visible.js';
import { States } from '../players.js';
import { AccountChanges } from './account-changes.js';
import { Identity } from './identity.js';
import { Saves } from './saves.js';
import { Snapshots } from './snapshots.js';
import { Timeline } from './timeline.js';

const tabs = ['who', 'saves', 'snapshots', 'timeline', 'changes'] as const;

/** One player: who it is, what is saved, and what can be done for them. */
export function Player() {
  const { texts, route, href } = useConsole();
  const userId = route.path[1] ?? '';
  if (isUuid(userId)) return <KnownPlayer userId={userId} />;
  return (
    <Page title={texts.player.nobody}>
      <Empty title={texts.player.nobody}>
        <a href={href(['players'])}>{texts.pages.players}</a>
      </Empty>
    </Page>
  );
}

function KnownPlayer({ userId }: { userId: string }) {
  const { texts, players } = useConsole();
  const found = useLoaded((signal) => players.get(userId, { signal }), [players, userId]);
  const name = found.value?.methods.find(({ method }) => method === 'name')?.label;
  const titleOf = (): string => {
    if (isFailure(found.error, 'user_not_found')) return texts.player.nobody;
    return name === undefined ? texts.player.title : visible(name);
  };
  return (
    <Page
      title={titleOf()}
      intro={
        <>
          <Id id={userId} /> <Copy text={userId} label={`${texts.common.copy}: ${texts.players.by.id}`} />
        </>
      }
    >
      <Ready of={found}>{(player) => <PlayerTabs player={player} found={found} />}</Ready>
    </Page>
  );
}

export interface PlayerProps {
  player: AdminPlayer;
  reload(): void;
}

function PlayerTabs({ player, found }: { player: AdminPlayer; found: Loaded<AdminPlayer> }) {
  const { texts, route, href, allows } = useConsole();
  const shown = tabs.filter((tab) => tab !== 'changes' || allows('support'));
  const current = shown.find((tab) => tab === route.path[2]) ?? 'who';
  const props = { player, reload: found.reload };
  return (
    <>
      <p class="line">
        <States of={player} />
        {player.ban !== undefined && (
          <span class="soft">
            {player.ban.until === null ? (
              texts.player.bannedForGood
            ) : (
              <>
                {texts.player.bannedUntil} <Moment at={player.ban.until} />
              </>
            )}
            {': '}
            <Foreign text={player.ban.reason} />
          </span>
        )}
        {player.deletedAt !== undefined && player.removedAt !== undefined && (
          <span class="soft">
            {texts.player.removedAt} <Moment at={player.removedAt} />
          </span>
        )}
      </p>
      <Tabs
        label={texts.player.parts}
        names={shown}
        current={current}
        titleOf={(tab) => texts.player.tabs[tab]}
        hrefOf={(tab) => href(['players', player.userId, tab])}
      />
      {current === 'who' && <Identity {...props} />}
      {current === 'saves' && <Saves {...props} />}
      {current === 'snapshots' && <Snapshots {...props} />}
      {current === 'timeline' && <Timeline {...props} />}
      {current === 'changes' && <AccountChanges {...props} />}
    </>
  );
}
