import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldService } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'preact/hooks';

/**
 * An editor for JSON. It stands in a shadow root, where its styles are sheets and no elements: so the page's policy needs no
 * exception for them.
 */
export function JsonEditor({ text, label, onChange }: { text: string; label: string; onChange(text: string): void }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const host = frame.current;
    if (host === null) return;
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const view = new EditorView({
      root,
      parent: root as unknown as Element,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          foldGutter(),
          foldService.of(blockAt),
          history(),
          drawSelection(),
          bracketMatching(),
          highlightActiveLine(),
          look,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.perLineTextDirection.of(true),
          // Tab indents; Escape and then Tab leaves the editor, as CodeMirror has it.
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.focus();
    return () => view.destroy();
  }, []);
  return <div ref={frame} class="editor" />;
}

/** What can be folded at a line: the lines below it that stand further to the right, as JSON is written here. */
function blockAt({ doc }: EditorState, start: number): { from: number; to: number } | null {
  const line = doc.lineAt(start);
  if (!/[[{]\s*$/.test(line.text)) return null;
  const indent = indentOf(line.text);
  let { number } = line;
  while (number < doc.lines && indentOf(doc.line(number + 1).text) > indent) number += 1;
  return number === line.number ? null : { from: line.to, to: doc.line(number).to };
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
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--code)', color: 'var(--soft)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--selection) !important' },
});
