import { useMemo } from 'preact/hooks';
import { useTexts } from '../context.js';
import { differencesOf } from './json-diff.js';
import { Badge, Code, Foreign } from './show.js';
import { SliceButtons, useSlice } from './slices.js';
import { Table } from './table.js';

/** So much of a value is shown, and so much of it before the first sign that differs. */
const [textAtOnce, textBefore] = [300, 60];
const tones = { added: 'good', removed: 'bad', changed: 'warn' } as const;

/** Where two JSON values differ. */
export function Differences({
  before,
  after,
  heads,
}: {
  before: unknown;
  after: unknown;
  heads?: readonly [string, string];
}) {
  const texts = useTexts();
  const found = useMemo(() => differencesOf(before, after), [before, after]);
  const slice = useSlice(found.length);
  const [was, is] = heads ?? [texts.diff.before, texts.diff.after];
  if (found.length === 0) return <p class="soft">{texts.diff.same}</p>;
  return (
    <>
      <p class="soft">{texts.diff.count(found.length)}</p>
      <Table
        label={texts.diff.title}
        rows={found.slice(slice.from, slice.to)}
        keyOf={({ path }) => path}
        columns={[
          { head: texts.diff.where, cell: ({ path }) => (path === '' ? texts.diff.whole : <Code text={path} />) },
          { head: texts.diff.what, cell: ({ kind }) => <Badge tone={tones[kind]}>{texts.diff.kinds[kind]}</Badge> },
          {
            head: was,
            cell: ({ before: value, after: other, kind }) =>
              kind === 'added' ? '–' : <Short value={value} beside={other} />,
          },
          {
            head: is,
            cell: ({ after: value, before: other, kind }) =>
              kind === 'removed' ? '–' : <Short value={value} beside={other} />,
          },
        ]}
      />
      <SliceButtons slice={slice} />
    </>
  );
}

/** A value on one line. Of a long one it is the part in which it differs from the other side's. */
function Short({ value, beside }: { value: unknown; beside: unknown }) {
  const text = JSON.stringify(value) ?? '';
  const from = text.length > textAtOnce ? Math.max(0, firstDifference(text, beside) - textBefore) : 0;
  const part = text.slice(from, from + textAtOnce);
  return (
    <code class="value">
      <Foreign text={`${from > 0 ? '…' : ''}${part}${from + part.length < text.length ? '…' : ''}`} />
    </code>
  );
}

/** Where a text of JSON first differs from that of another value; 0 where there is no other. */
function firstDifference(text: string, value: unknown): number {
  const other = JSON.stringify(value) ?? '';
  if (other === '') return 0;
  let at = 0;
  while (at < text.length && text[at] === other[at]) at += 1;
  return Math.min(at, text.length - 1);
}
