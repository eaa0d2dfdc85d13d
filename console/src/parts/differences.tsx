import { useMemo, useState } from 'preact/hooks';
import { useTexts } from '../context.js';
import { differencesOf } from './json-diff.js';
import { Badge, Code, Foreign } from './show.js';
import { Table } from './table.js';

const atOnce = 100;
const textAtOnce = 300;
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
  const [count, setCount] = useState(atOnce);
  const found = useMemo(() => differencesOf(before, after), [before, after]);
  const [was, is] = heads ?? [texts.diff.before, texts.diff.after];
  if (found.length === 0) return <p class="soft">{texts.diff.same}</p>;
  return (
    <>
      <p class="soft">{texts.diff.count(found.length)}</p>
      <Table
        label={texts.diff.title}
        rows={found.slice(0, count)}
        keyOf={({ path }) => path}
        columns={[
          { head: texts.diff.where, cell: ({ path }) => (path === '' ? texts.diff.whole : <Code text={path} />) },
          { head: texts.diff.what, cell: ({ kind }) => <Badge tone={tones[kind]}>{texts.diff.kinds[kind]}</Badge> },
          { head: was, cell: ({ before: value, kind }) => (kind === 'added' ? '–' : <Short value={value} />) },
          { head: is, cell: ({ after: value, kind }) => (kind === 'removed' ? '–' : <Short value={value} />) },
        ]}
      />
      {found.length > count && (
        <button type="button" class="small" onClick={() => setCount(count + atOnce * 5)}>
          {texts.tree.more(found.length - count)}
        </button>
      )}
    </>
  );
}

function Short({ value }: { value: unknown }) {
  const text = JSON.stringify(value) ?? '';
  return (
    <code class="value">
      <Foreign text={text.length > textAtOnce ? `${text.slice(0, textAtOnce)}…` : text} />
    </code>
  );
}
