import { useState } from 'preact/hooks';
import { useTexts } from '../context.js';
import { isObject } from './json-diff.js';
import { Foreign } from './show.js';
import { SliceButtons, useSlice } from './slices.js';

/** So much of a long text is shown before somebody asks for all of it. */
const textAtOnce = 400;

/**
 * A long text is drawn in pieces of so many characters, of which the browser lays out those that are in sight: all of it on one
 * line would be one task, in which the page takes no notice of its reader.
 */
const pieceLength = 2_000;

/** A JSON value, to be opened level by level. */
export function ValueTree({ value }: { value: unknown }) {
  return (
    <div class="tree">
      <Members of={value as object} />
    </div>
  );
}

function Members({ of }: { of: object }) {
  const texts = useTexts();
  const names = Object.keys(of);
  const slice = useSlice(names.length);
  if (names.length === 0) return <p class="soft">{texts.tree.empty}</p>;
  return (
    <>
      <ul>
        {names.slice(slice.from, slice.to).map((name) => (
          <Member key={name} name={name} value={(of as { readonly [name: string]: unknown })[name]} />
        ))}
      </ul>
      <SliceButtons slice={slice} />
    </>
  );
}

function Member({ name, value }: { name: string; value: unknown }) {
  const texts = useTexts();
  const [isOpen, setOpen] = useState(false);
  if (!isObject(value) && !Array.isArray(value)) {
    return (
      <li>
        <span class="tree-name">
          <Foreign text={name} />
        </span>
        <Leaf value={value} />
      </li>
    );
  }
  const size = Array.isArray(value) ? value.length : Object.keys(value).length;
  return (
    <li>
      <button type="button" class="tree-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="tree-name">
          <Foreign text={name} />
        </span>
        <span class="soft">{Array.isArray(value) ? texts.tree.items(size) : texts.tree.members(size)}</span>
      </button>
      {isOpen && <Members of={value} />}
    </li>
  );
}

function Leaf({ value }: { value: unknown }) {
  if (typeof value === 'string') return <LongText text={value} />;
  return <span class={`tree-value tree-${value === null ? 'null' : typeof value}`}>{String(value)}</span>;
}

/** A text of a save, as JSON writes it, so that what cannot be seen can be seen. */
function LongText({ text }: { text: string }) {
  const texts = useTexts();
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > textAtOnce;
  return (
    <span class="tree-value tree-string">
      {isLong && isWhole ? (
        piecesOf(`"${text}"`).map((piece, index) => (
          <span key={String(index)} class="text-piece">
            <Foreign text={piece} />
          </span>
        ))
      ) : (
        <>
          "<Foreign text={isLong ? text.slice(0, textAtOnce) : text} />
          {isLong ? '…' : '"'}
        </>
      )}
      {isLong && (
        <button type="button" class="small" onClick={() => setWhole(!isWhole)}>
          {isWhole ? texts.tree.less : texts.tree.whole(text.length)}
        </button>
      )}
    </span>
  );
}

/** No piece ends within a character. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const to = from + pieceLength;
    const isWithin = /[\uD800-\uDBFF]/.test(text[to - 1] ?? '') && to < text.length;
    pieces.push(text.slice(from, isWithin ? to + 1 : to));
    from = isWithin ? to + 1 : to;
  }
  return pieces;
}
