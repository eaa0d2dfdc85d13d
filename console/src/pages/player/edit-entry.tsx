import { useState } from 'preact/hooks';
import { ServiceError } from '../../../../src/errors.js';
import type { AdminEntry } from '../../../../src/protocol/admin-messages.js';
import type { JsonObject } from '../../../../src/protocol/messages.js';
import { encodeValue } from '../../../../src/protocol/value-text.js';
import { useConsole, useTexts } from '../../context.js';
import { Change } from '../../parts/change.js';
import { Differences } from '../../parts/differences.js';
import { once, Ready, useModule } from '../../parts/loaded.js';

const loadEditor = once(() => import('../../parts/json-editor.js'));

type Read = { value: JsonObject; problem: null } | { value: null; problem: string };

/** Reads what was typed, as the service would take it. */
export function readValue(text: string): Read {
  try {
    const value: unknown = JSON.parse(text);
    encodeValue(value);
    return { value: value as JsonObject, problem: null };
  } catch (error) {
    return { value: null, problem: error instanceof Error ? error.message : String(error) };
  }
}

interface EditProps {
  userId: string;
  entry: AdminEntry;
  onDone(): void;
  onCancel(): void;
}

/** Changes an entry, if it is still the one that was read. Where it is not, both stand side by side. */
export function EditEntry({ userId, entry, onDone, onCancel }: EditProps) {
  const texts = useTexts();
  const { players } = useConsole();
  const [base, setBase] = useState<{ value: JsonObject; version: number }>(entry);
  const [text, setText] = useState(() => JSON.stringify(entry.value, null, 2));
  const [clash, setClash] = useState<{ value: JsonObject; version: number } | null>(null);
  const { value, problem } = readValue(text);

  const save = async (): Promise<void> => {
    if (value === null) return;
    const { collection, key } = entry;
    try {
      await players.updateEntry(userId, { collection, key, value, version: base.version });
    } catch (error) {
      const found = clashOf(error);
      if (found === null) throw error;
      setClash(found);
      // The dialog says why, and what was typed is still there.
      throw error;
    }
  };

  return (
    <>
      <Editor text={text} label={texts.saves.editor} onChange={setText} />
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
            setBase(clash);
            setClash(null);
          }}
          onTheirs={onDone}
        />
      )}
      <div class="actions">
        <Change
          scope="support"
          texts={texts.changes.updateEntry}
          isReady={problem === null}
          fields={value === null ? null : <Differences before={base.value} after={value} />}
          run={save}
          onDone={onDone}
        />
        <button type="button" onClick={onCancel}>
          {texts.common.cancel}
        </button>
      </div>
    </>
  );
}

function clashOf(error: unknown): { value: JsonObject; version: number } | null {
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
  theirs: { value: JsonObject; version: number };
  mine: JsonObject;
  onMine(): void;
  onTheirs(): void;
}) {
  const texts = useTexts();
  return (
    <section class="clash" aria-label={texts.clash.title}>
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
