import { useConsole } from '../../context.js';
import { Ready, useLoaded } from '../../parts/loaded.js';
import { Pager, usePaging } from '../../parts/pages.js';
import { AuditTable } from '../audit.js';
import type { PlayerProps } from './player.js';

/** What operators have done to a player. */
export function Timeline({ player }: PlayerProps) {
  const { texts, players } = useConsole();
  const paging = usePaging(player.userId);
  const page = useLoaded(
    (signal) => players.audit(player.userId, { cursor: paging.cursor, limit: 50, signal }),
    [players, player, paging.cursor],
  );
  return (
    <Ready of={page}>
      {({ entries, cursor }) => (
        <>
          <AuditTable entries={entries} none={texts.player.nothingDone} />
          <Pager paging={paging} cursor={cursor} />
        </>
      )}
    </Ready>
  );
}
