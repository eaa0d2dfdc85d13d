import { useState } from 'preact/hooks';
import { entryNameProblem } from '../../../../src/protocol/entry-name.js';
import { useConsole } from '../../context.js';
import { Change } from '../../parts/change.js';
import { Editor, readValue } from './edit-entry.js';

/** Makes an entry that is not there yet; it overwrites none. */
export function NewEntry({ userId, onMade }: { userId: string; onMade(): void }) {
  const { texts, players } = useConsole();
  const [collection, setCollection] = useState('');
  const [key, setKey] = useState('main');
  const [text, setText] = useState('{}');
  const { value, problem } = readValue(text, texts);
  const isReady = value !== null && entryNameProblem(collection) === null && entryNameProblem(key) === null;
  return (
    <Change
      scope="support"
      texts={texts.changes.newEntry}
      isReady={isReady}
      fields={
        <div class="fields">
          <label>
            {texts.saves.collection}
            <input value={collection} onInput={({ currentTarget }) => setCollection(currentTarget.value)} required />
          </label>
          <label>
            {texts.saves.key}
            <input value={key} onInput={({ currentTarget }) => setKey(currentTarget.value)} required />
          </label>
          <Editor text={text} label={texts.saves.editor} onChange={setText} />
          {problem !== null && (
            <p class="field-error" role="alert">
              <bdi>{problem}</bdi>
            </p>
          )}
        </div>
      }
      run={async () => {
        if (value !== null) await players.updateEntry(userId, { collection, key, value, version: -1 });
      }}
      onDone={onMade}
    />
  );
}
