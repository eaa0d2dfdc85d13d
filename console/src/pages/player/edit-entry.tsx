import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ServiceError } from '../../../../src/errors.js';
import type { AdminEntry } from '../../../../src/protocol/admin-messages.js';
import type { JsonObject } from '../../../../src/protocol/messages.js';
import { encodeValue } from '../../../../src/protocol/value-text.js';
import { type EntryDraft, useConsole, useTexts } from '../../context.js';
import { Change } from '../../parts/change.js';
import { Differences } from '../../parts/differences.js';
import { once, Ready, useModule } from '../../parts/loaded.js';
import { visible } from '../../parts/visible.js';
import type { Texts } from '../../texts/texts.js';
import { repeatedName } from './repeated-name.js';

const loadEditor = once(() => import('../../parts/json-editor.js'));

type Read = { value: JsonObject; problem: null } | { value: null; problem: string };

/** Reads what was typed, as the service would take it. Of two members with one name the first would be lost without a word. */
export function readValue(text: string, { saves }: Texts): Read {
  try {
    const value: unknown = JSON.parse(text);
    encodeValue(value);
    const twice = repeatedName(text);
    if (twice !== null) return { value: null, problem: saves.twice(visible(twice)) };
    return { value: value as JsonObject, problem: null };
  } catch (error) {
    return { value: null, problem: error instanceof Error ? error.message : String(error) };
  }
}

interface EditProps {
  userId: string;
  entry: AdminEntry;
  /** Under which what was typed is kept while its operator is elsewhere. */
  draftId: string;
  onDone(): void;
  onCancel(): void;
}

/** Changes an entry, if it is still the one that was read. Where it is not, both stand side by side. */
export function EditEntry({ userId, entry, draftId, onDone, onCancel }: EditProps) {
  const { texts, players, drafts } = useConsole();
  // Nothing is typed at first: a save of 150 KiB is neither written twice nor read again before that.
  const [{ text: typed, base }, setDraft] = useState<Pick<EntryDraft, 'base'> & { text: string | null }>(
    () => drafts.get(draftId) ?? { text: null, base: entry },
  );
  const [clash, setClash] = useState<EntryDraft['base'] | null>(null);
  const stored = useMemo(() => writtenAs(base.value), [base]);
  const text = typed ?? stored;
  const { value, problem } = useMemo(
    () => (text === stored ? { value: base.value, problem: null } : readValue(text, texts)),
    [text, stored, texts],
  );
  const keep = (draft: EntryDraft): void => {
    setDraft(draft);
    if (draft.text === stored) drafts.delete(draftId);
    else drafts.set(draftId, draft);
  };

  const save = async (): Promise<void> => {
    if (value === null) return;
    const { collection, key } = entry;
    await players.updateEntry(userId, { collection, key, value, version: base.version });
  };
  const meetClash = (error: unknown): boolean => {
    const found = clashOf(error);
    if (found !== null) setClash(found);
    return found !== null;
  };

  return (
    <>
      <Editor text={text} label={texts.saves.editor} onChange={(typed) => keep({ text: typed, base })} />
      {problem !== null && (
        <p class="field-error" role="alert">
          <bdi>{problem}</bdi>
        </p>
      )}
      {clash !== null && value !== null && (
        <Clash
          theirs={clash}
          mine={value}
          onMine={() => {
            keep({ text, base: clash });
            setClash(null);
          }}
          onTheirs={onDone}
        />
      )}
      <div class="actions">
        {clash === null && (
          <Change
            scope="support"
            texts={texts.changes.updateEntry}
            isReady={problem === null}
            fields={value === null ? null : <Differences before={base.value} after={value} />}
            run={save}
            isToldElsewhere={meetClash}
            onDone={onDone}
          />
        )}
        <button type="button" onClick={onCancel}>
          {texts.common.cancel}
        </button>
      </div>
    </>
  );
}

const writtenAs = (value: JsonObject): string => JSON.stringify(value, null, 2);

function clashOf(error: unknown): EntryDraft['base'] | null {
  if (!(error instanceof ServiceError) || error.code !== 'version_mismatch') return null;
  const { currentValue, currentVersion } = error;
  return currentValue === undefined || currentVersion === undefined
    ? null
    : { value: currentValue, version: currentVersion };
}

/** What another device, or another operator, has written meanwhile. */
function Clash({
  theirs,
  mine,
  onMine,
  onTheirs,
}: {
  theirs: EntryDraft['base'];
  mine: JsonObject;
  onMine(): void;
  onTheirs(): void;
}) {
  const texts = useTexts();
  const section = useRef<HTMLElement>(null);
  // The dialog that has just closed gives the focus back to its button, which is gone.
  useEffect(() => section.current?.focus(), []);
  return (
    <section ref={section} tabIndex={-1} class="clash" aria-label={texts.clash.title}>
      <h3>{texts.clash.title}</h3>
      <p>{texts.clash.hint(theirs.version)}</p>
      <Differences before={theirs.value} after={mine} heads={[texts.clash.theirs, texts.clash.mine]} />
      <div class="actions">
        <button type="button" onClick={onTheirs}>
          {texts.clash.keepTheirs}
        </button>
        <button type="button" onClick={onMine}>
          {texts.clash.keepMine}
        </button>
      </div>
    </section>
  );
}

/** The editor, which is loaded once somebody edits. */
export function Editor(props: { text: string; label: string; onChange(text: string): void }) {
  const loaded = useModule(loadEditor);
  return <Ready of={loaded}>{({ JsonEditor }) => <JsonEditor {...props} />}</Ready>;
}
