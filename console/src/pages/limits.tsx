import { useMemo, useState } from 'preact/hooks';
import page from '../../../docs/limits.md?raw';
import { inWords } from '../../../src/cli/console/words/words.js';
import { useConsole } from '../context.js';
import { Ready, useLoaded } from '../parts/loaded.js';
import { Page } from '../parts/page.js';
import { languageOf, Said } from '../parts/said.js';
import { Badge, Empty } from '../parts/show.js';
import { Table } from '../parts/table.js';
import type { LimitsInUse } from '../wire/messages.js';

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

/** Of a limit: what it is in this service, null where nothing there is bounded by it, and whether the settings made it another one. */
interface InUse {
  value: string | null;
  isOther: boolean;
}

/** The values of a service, by its settings. A default is followed by what it is in words, as in `900000 (15 min)`. */
function inUse({ name, of, usual }: Limit, { set, unused }: LimitsInUse): InUse {
  const given = set.find((one) => one.name === name && one.of === of)?.value;
  const isOther = given !== undefined && given !== usual.split(' ')[0];
  if (unused.includes(of)) return { value: null, isOther: of === 'rate' };
  return { value: isOther ? given : usual, isOther };
}

/** Every limit, with what it is in this service. */
export function Limits() {
  const { texts, gateway } = useConsole();
  const found = useLoaded((signal) => gateway.limits(signal), [gateway]);
  return (
    <Page title={texts.pages.limits} intro={texts.limits.intro}>
      <Ready of={found}>{(settings) => <LimitsTable settings={settings} />}</Ready>
    </Page>
  );
}

function LimitsTable({ settings }: { settings: LimitsInUse }) {
  const { texts, words: service } = useConsole();
  const [wanted, setWanted] = useState('');
  const [isOtherOnly, setOtherOnly] = useState(false);
  const limits = useMemo(
    () =>
      readLimits(page).map((limit) => ({
        ...limit,
        ...inUse(limit, settings),
        said: service?.limits[limit.of]?.[limit.name],
      })),
    [settings, service],
  );
  const words = wanted.trim().toLowerCase();
  const shown = limits.filter(
    ({ name, of, bounds, said, isOther }) =>
      (isOther || !isOtherOnly) && [name, of, bounds, said].join(' ').toLowerCase().includes(words),
  );
  return (
    <>
      <div class="toolbar">
        <input
          type="search"
          class="grow"
          aria-label={texts.limits.filter}
          placeholder={texts.limits.filter}
          value={wanted}
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
        <label class="choice">
          <input
            type="checkbox"
            checked={isOtherOnly}
            onChange={({ currentTarget }) => setOtherOnly(currentTarget.checked)}
          />
          {texts.limits.otherOnly}
        </label>
      </div>
      {shown.length === 0 ? (
        <Empty title={isOtherOnly ? texts.limits.noneOther : texts.limits.none} />
      ) : (
        <div class="limits">
          <Table
            label={texts.pages.limits}
            rows={shown}
            keyOf={({ name, of }) => `${of} ${name}`}
            columns={[
              { head: texts.limits.name, cell: ({ name }) => <code>{name}</code> },
              {
                head: texts.limits.of,
                cell: ({ of }) => (
                  <Badge>
                    <Said text={of} />
                  </Badge>
                ),
              },
              { head: texts.limits.bounds, cell: ({ bounds, said }) => <Marked text={bounds} said={said} /> },
              {
                head: texts.limits.here,
                cell: ({ value, isOther }) => (
                  <>
                    {value === null ? texts.limits.off : <Marked text={value} />}{' '}
                    {isOther && <Badge tone="warn">{texts.limits.other}</Badge>}
                  </>
                ),
              },
              { head: texts.limits.usual, cell: ({ usual }) => <Marked text={usual} /> },
              { head: texts.limits.change, cell: ({ change }) => <Marked text={change} /> },
            ]}
          />
        </div>
      )}
    </>
  );
}

/** A line of Markdown with code in it, in the reader's language where that has words for it. */
function Marked({ text, said }: { text: string; said?: string | undefined }) {
  const { words, language } = useConsole();
  const shown = said ?? inWords(words, text);
  // A number, a span of time or a code is the same in every language.
  const isSpoken = /[a-z]{4}/i.test(text.replaceAll(/`[^`]*`|KiB|MiB/g, ''));
  return (
    <span lang={isSpoken ? languageOf(language, shown) : undefined}>
      {(shown ?? text)
        .split('`')
        .map((part, index) => (index % 2 === 1 ? <code key={part + String(index)}>{part}</code> : part))}
    </span>
  );
}
