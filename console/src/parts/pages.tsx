import { useState } from 'preact/hooks';
import { useTexts } from '../context.js';

/** Where a list that is read page by page stands: the cursors of the pages before, and that of this one. */
export interface Paging {
  readonly cursor: string | undefined;
  readonly number: number;
  next(cursor: string): void;
  back(): void;
}

/**
 * It begins anew where `list` is another one. Where it stands is kept with the address in the browser's history: whoever comes back
 * to it, or loads the page again, is where they were.
 */
export function usePaging(list: string): Paging {
  const [{ of, cursors }, set] = useState(() => ({ of: list, cursors: keptCursors(list) }));
  const current = of === list ? cursors : keptCursors(list);
  const go = (to: readonly string[]): void => {
    history.replaceState({ ...history.state, [list]: to }, '');
    set({ of: list, cursors: to });
  };
  return {
    cursor: current.at(-1),
    number: current.length + 1,
    next: (cursor) => go([...current, cursor]),
    back: () => go(current.slice(0, -1)),
  };
}

function keptCursors(list: string): readonly string[] {
  const kept: unknown = history.state?.[list];
  return Array.isArray(kept) ? kept : [];
}

export function Pager({ paging, cursor }: { paging: Paging; cursor: string | undefined }) {
  const texts = useTexts();
  if (paging.number === 1 && cursor === undefined) return null;
  return (
    <nav class="pager" aria-label={texts.common.pages}>
      <button type="button" disabled={paging.number === 1} onClick={() => paging.back()}>
        {texts.common.back}
      </button>
      <span class="soft">{texts.common.page(paging.number)}</span>
      <button type="button" disabled={cursor === undefined} onClick={() => cursor !== undefined && paging.next(cursor)}>
        {texts.common.further}
      </button>
    </nav>
  );
}
