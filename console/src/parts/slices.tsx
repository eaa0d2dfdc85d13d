import { useState } from 'preact/hooks';
import { useTexts } from '../context.js';

/** So many rows are drawn at once: a page that draws more takes no notice of its reader for a while. */
const rowsAtOnce = 30;

/** Which part of a long list is drawn. */
export interface Slice {
  readonly from: number;
  readonly to: number;
  readonly of: number;
  show(from: number): void;
}

export function useSlice(of: number): Slice {
  const [chosen, show] = useState(0);
  const from = chosen < of ? chosen : 0;
  return { from, to: Math.min(of, from + rowsAtOnce), of, show };
}

/** The way through a list that is drawn part by part; nothing where it is short. */
export function SliceButtons({ slice: { from, to, of, show } }: { slice: Slice }) {
  const texts = useTexts();
  if (of <= rowsAtOnce) return null;
  const last = Math.floor((of - 1) / rowsAtOnce) * rowsAtOnce;
  const button = (label: string, goal: number) => (
    <button type="button" class="small" disabled={goal === from} onClick={() => show(goal)}>
      {label}
    </button>
  );
  return (
    <p class="line">
      {button(texts.common.first, 0)}
      {button(texts.common.back, Math.max(0, from - rowsAtOnce))}
      <span class="soft" role="status">
        {texts.common.slice(from + 1, to, of)}
      </span>
      {button(texts.common.further, Math.min(last, from + rowsAtOnce))}
      {button(texts.common.last, last)}
    </p>
  );
}
