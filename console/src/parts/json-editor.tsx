import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldService } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'preact/hooks';

/**
 * An editor for JSON. It stands in a shadow root, where its styles are sheets and no elements: so the page's policy needs no
 * exception for them.
 */
export function JsonEditor({ text, label, onChange }: { text: string; label: string; onChange(text: string): void }) {
  const frame = useRef<HTMLDivElement>(null);
  const told = useRef(onChange);
  told.current = onChange;
  useEffect(() => {
    const host = frame.current;
    if (host === null) return;
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const typed = afterTyping(() => told.current(view.state.doc.toString()));
    const view = new EditorView({ root, parent: root as unknown as Element, extensions: readOnly });
    // An editor, all that it can do, a long text in it and its focus are each a task of their own: the page takes notice of
    // its reader between them. Until its text is there it takes nothing, which would be lost.
    let next = setTimeout(() => {
      view.setState(stateOf('', { label, typed }, readOnly));
      next = setTimeout(() => {
        view.setState(stateOf(text, { label, typed }));
        // Whoever has gone on to a field meanwhile goes on writing there.
        next = setTimeout(() => {
          if (document.activeElement === document.body) view.focus();
        });
      });
    });
    return () => {
      clearTimeout(next);
      typed.now();
      view.destroy();
    };
  }, []);
  return <div ref={frame} class="editor" />;
}

const readOnly = EditorView.editable.of(false);

function stateOf(text: string, { label, typed }: { label: string; typed: Typed }, more: Extension = []): EditorState {
  return EditorState.create({
    doc: text,
    extensions: [
      more,
      lineNumbers(),
      foldGutter(),
      foldService.of(blockAt),
      history(),
      bracketMatching(),
      look,
      // Of a line that goes on and on the browser would measure each piece: such a text is scrolled instead.
      hasLongLine(text) ? [] : EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': label }),
      EditorView.perLineTextDirection.of(true),
      // Tab leaves the editor, as it leaves every field: in a dialog, Escape does not, but closes it.
      keymap.of([...standardKeymap, ...historyKeymap]),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) typed.set();
      }),
      EditorView.domEventHandlers({ blur: () => typed.now() }),
    ],
  });
}

/** Tells of what is typed. */
interface Typed {
  set(): void;
  now(): void;
}

/** The editor tells what was typed after a pause of so many ms, or once it is left: a save of 150 KiB is not read at every key. */
const pauseMs = 150;

function afterTyping(tell: () => void): Typed {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const now = (): void => {
    if (timer === undefined) return;
    end();
    tell();
  };
  return {
    set() {
      end();
      timer = setTimeout(now, pauseMs);
    },
    now,
  };
}

const longLine = 5_000;

function hasLongLine(text: string): boolean {
  return text.split('\n').some((line) => line.length > longLine);
}

/** A block of more lines cannot be folded: they all would be looked through at every key. */
const foldedAtMost = 1_000;

/** What can be folded at a line: the lines below it that stand further to the right, as JSON is written here. */
function blockAt({ doc }: EditorState, start: number): { from: number; to: number } | null {
  const line = doc.lineAt(start);
  if (!/[[{]\s*$/.test(line.text)) return null;
  const indent = indentOf(line.text);
  let to = line.to;
  let lines = 0;
  for (const text of doc.iterLines(line.number + 1)) {
    if (indentOf(text) <= indent) return lines === 0 ? null : { from: line.to, to };
    lines += 1;
    if (lines > foldedAtMost) return null;
    to += text.length + 1;
  }
  return lines === 0 ? null : { from: line.to, to };
}

function indentOf(text: string): number {
  return text.search(/\S|$/);
}

/** The editor's colours are the page's: variables reach into a shadow root. */
const look = EditorView.theme({
  '&': {
    minHeight: '12rem',
    maxHeight: '28rem',
    color: 'var(--text)',
    backgroundColor: 'var(--code)',
    fontSize: '13px',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--code)', color: 'var(--soft)', borderRight: '1px solid var(--line)' },
  '.cm-line::selection, .cm-line ::selection': { backgroundColor: 'var(--selection)' },
});
