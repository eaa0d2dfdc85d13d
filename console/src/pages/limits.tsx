import { useMemo, useState } from 'preact/hooks';
import page from '../../../docs/limits.md?raw';
import { useConsole } from '../context.js';
import { Page } from '../parts/page.js';
import { Badge } from '../parts/show.js';
import { Table } from '../parts/table.js';

interface Limit {
  name: string;
  of: string;
  bounds: string;
  usual: string;
  change: string;
}

/** The table of `docs/limits.md`, which is made of the code. */
export function readLimits(markdown: string): Limit[] {
  const rows = markdown.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((line) => {
    const [name = '', of = '', bounds = '', usual = '', change = ''] = line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim());
    return { name: name.replaceAll('`', ''), of, bounds, usual, change };
  });
}

/** Every limit with its default. */
export function Limits() {
  const { texts } = useConsole();
  const [wanted, setWanted] = useState('');
  const limits = useMemo(() => readLimits(page), []);
  const shown = limits.filter((limit) =>
    Object.values(limit).join(' ').toLowerCase().includes(wanted.trim().toLowerCase()),
  );
  return (
    <Page title={texts.pages.limits} intro={texts.limits.intro}>
      <div class="toolbar">
        <input
          type="search"
          class="grow"
          aria-label={texts.limits.filter}
          placeholder={texts.limits.filter}
          value={wanted}
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
      </div>
      <Table
        label={texts.pages.limits}
        rows={shown}
        keyOf={({ name, of }) => `${of} ${name}`}
        columns={[
          { head: texts.limits.name, cell: ({ name }) => <code>{name}</code> },
          { head: texts.limits.of, cell: ({ of }) => <Badge>{of}</Badge> },
          { head: texts.limits.bounds, cell: ({ bounds }) => <Marked text={bounds} /> },
          { head: texts.limits.usual, cell: ({ usual }) => <Marked text={usual} /> },
          { head: texts.limits.change, cell: ({ change }) => <Marked text={change} /> },
        ]}
      />
    </Page>
  );
}

/** A line of Markdown with code in it. */
function Marked({ text }: { text: string }) {
  return (
    <span lang="en">
      {text.split('`').map((part, index) => (index % 2 === 1 ? <code key={part + String(index)}>{part}</code> : part))}
    </span>
  );
}
