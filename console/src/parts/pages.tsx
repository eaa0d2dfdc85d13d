import { useState } from 'preact/hooks';
import { useTexts } from '../context.js';

/** Where a list that is read page by page stands: the cursors of the pages before, and that of this one. */
export interface Paging {
  readonly cursor: string | undefined;
  readonly number: number;
  next(cursor: string): void;
  back(): void;
}

/** It begins anew where `list` is another one. */
export function usePaging(list: string): Paging {
  const [{ of, cursors }, set] = useState<{ of: string; cursors: readonly string[] }>({ of: list, cursors: [] });
  const current = of === list ? cursors : [];
  return {
    cursor: current.at(-1),
    number: current.length + 1,
    next: (cursor) => set({ of: list, cursors: [...current, cursor] }),
    back: () => set({ of: list, cursors: current.slice(0, -1) }),
  };
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
