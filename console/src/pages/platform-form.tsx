import { useId, useState } from 'preact/hooks';
import type { ServiceWords } from '../../../src/cli/console/words/words.js';
import { isFailure } from '../../../src/errors.js';
import type { GamePlatform, PlatformFieldInfo, PlatformPresetInfo } from '../../../src/protocol/admin-platforms.js';
import { useConsole } from '../context.js';
import { Change } from '../parts/change.js';
import { languageOf } from '../parts/said.js';
import { TryUnsaved } from './platform-trial.js';

type Values = { readonly [field: string]: string };

/** Registers a platform, or changes one: the form is what its preset asks for. */
export function EditPlatform({
  presets,
  platform,
  onDone,
}: {
  presets: readonly PlatformPresetInfo[];
  platform: GamePlatform | null;
  onDone(): void;
}) {
  const { texts, words, gateway, place } = useConsole();
  const [chosen, setChosen] = useState(platform?.preset ?? presets[0]?.name ?? '');
  const [name, setName] = useState(platform?.name ?? '');
  const [isOn, setOn] = useState(platform?.isOn ?? true);
  const [values, setValues] = useState<Values>(() => valuesOf(platform));
  const [isInUse, setInUse] = useState(false);
  const [takesOver, setTakesOver] = useState(false);
  const [takenAway, setTakenAway] = useState<readonly string[]>([]);
  const preset = presets.find((one) => one.name === chosen);
  if (preset === undefined) return null;
  const own = words?.presets[preset.name];
  const called = name.trim() === '' ? usualName(preset) : name.trim();
  const secrets = platform?.secrets ?? [];
  const settings = settingsOf(preset, values, takenAway);
  const isComplete = preset.fields.every(
    ({ name: field, isRequired }) => !isRequired || secrets.includes(field) || (values[field] ?? '').trim() !== '',
  );
  return (
    <Change
      scope="admin"
      texts={platform === null ? texts.changes.addPlatform : texts.changes.savePlatform}
      isSmall={platform !== null}
      label={platform === null ? undefined : `${texts.changes.savePlatform.title}: ${platform.name}`}
      isReady={isComplete}
      fields={
        <div class="fields">
          {platform === null && (
            <>
              <label>
                {texts.platforms.preset}
                <select value={chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
                  {presets.map((one) => (
                    <option key={one.name} value={one.name}>
                      {titleOf(one, words)}
                    </option>
                  ))}
                </select>
              </label>
              <label>
                {texts.platforms.nameHint}
                <input
                  value={name}
                  placeholder={usualName(preset)}
                  onInput={({ currentTarget }) => setName(currentTarget.value)}
                />
              </label>
            </>
          )}
          <p class="soft">
            <Worded said={own?.help} text={preset.help} />{' '}
            {/^https:\/\//.test(preset.documentation) && (
              <a href={preset.documentation} target="_blank" rel="noreferrer">
                {texts.platforms.documentation}
              </a>
            )}
          </p>
          {preset.fields.map((field) => (
            <Field
              key={field.name}
              field={field}
              said={own?.fields[field.name]}
              value={values[field.name] ?? ''}
              isSet={secrets.includes(field.name)}
              isTakenAway={takenAway.includes(field.name)}
              onInput={(value) => setValues({ ...values, [field.name]: value })}
              onTakeAway={(isGone) =>
                setTakenAway([...takenAway.filter((one) => one !== field.name), ...(isGone ? [field.name] : [])])
              }
            />
          ))}
          <label class="choice">
            <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => setOn(currentTarget.checked)} />
            {texts.platforms.mayUse}
          </label>
          <TryUnsaved name={called} preset={preset.name} settings={settings} isReady={isComplete} />
          {isInUse && (
            <label class="choice">
              <input
                type="checkbox"
                checked={takesOver}
                onChange={({ currentTarget }) => setTakesOver(currentTarget.checked)}
              />
              {texts.platforms.takeOver}
            </label>
          )}
        </div>
      }
      run={async () => {
        const saved = gateway.admin.savePlatform({
          ...place,
          name: called,
          preset: preset.name,
          settings,
          isOn,
          version: platform?.version ?? 0,
          takesOver,
        });
        await saved.catch((error: unknown) => {
          // The box is shown only to whoever needs it, beside what the service says.
          if (isFailure(error, 'platform_name_in_use')) setInUse(true);
          throw error;
        });
        setInUse(false);
        setTakesOver(false);
        setValues(valuesOf(null));
        setTakenAway([]);
        setName('');
      }}
      onDone={onDone}
    />
  );
}

function valuesOf(platform: GamePlatform | null): Values {
  const entries = Object.entries(platform?.settings ?? {});
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join('\n') : String(value)]),
  );
}

type Settings = { readonly [field: string]: string | string[] | null };

/** A field that is empty is left out: of a secret that keeps what is there, unless it is taken away. */
function settingsOf({ fields }: PlatformPresetInfo, values: Values, takenAway: readonly string[]): Settings {
  return Object.fromEntries(
    fields.flatMap(({ name, kind }): [string, Settings[string]][] => {
      const text = (values[name] ?? '').trim();
      if (text === '') return takenAway.includes(name) ? [[name, null]] : [];
      const lines = text.split('\n').map((line) => line.trim());
      return [[name, kind === 'list' ? lines.filter((line) => line !== '') : text]];
    }),
  );
}

/** A name that a platform may have: `crazy-games` of the preset `crazyGames`. */
const usualName = ({ name }: PlatformPresetInfo): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** What a preset is called. */
export function titleOf({ name, title }: PlatformPresetInfo, words: ServiceWords | null): string {
  return words?.presets[name]?.title ?? title;
}

/** Words of a preset in the reader's language; a preset of the service's own has them in English alone. */
function Worded({ said, text }: { said: string | undefined; text: string }) {
  const { language } = useConsole();
  return <span lang={languageOf(language, said)}>{said ?? text}</span>;
}

interface FieldProps {
  field: PlatformFieldInfo;
  /** Its label and its help in the reader's language, where they are not English. */
  said: readonly string[] | undefined;
  value: string;
  isSet: boolean;
  /** Whether a secret that is set is to be there no longer. */
  isTakenAway: boolean;
  onInput(value: string): void;
  onTakeAway(isGone: boolean): void;
}

/** What a preset asks for. */
function Field(props: FieldProps) {
  const { texts } = useConsole();
  const id = useId();
  const { kind, label, help, isRequired } = props.field;
  return (
    <div class="field">
      <label for={id}>
        <Worded said={props.said?.[0]} text={label} />
        {!isRequired && <span class="soft"> ({texts.platforms.optional})</span>}
      </label>
      <Input {...props} id={id} />
      <span id={`${id}-help`} class="soft small-print">
        <Worded said={props.said?.[1]} text={help} /> {kind === 'list' && texts.platforms.onePerLine}
      </span>
      {props.isSet && !isRequired && props.value === '' && (
        <label class="choice">
          <input
            type="checkbox"
            checked={props.isTakenAway}
            onChange={({ currentTarget }) => props.onTakeAway(currentTarget.checked)}
          />
          {texts.platforms.takeAway(props.said?.[0] ?? label)}
        </label>
      )}
    </div>
  );
}

function Input({ field: { kind, choices = [], example }, value, isSet, onInput, id }: FieldProps & { id: string }) {
  const { texts } = useConsole();
  const common = { id, 'aria-describedby': `${id}-help`, value };
  if (kind === 'choice') {
    return (
      <select {...common} onChange={({ currentTarget }) => onInput(currentTarget.value)}>
        <option value="">–</option>
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  }
  const typed = { ...common, spellcheck: false, placeholder: isSet ? texts.platforms.keepSecret : (example ?? '') };
  if (kind === 'list') {
    return <textarea {...typed} rows={3} onInput={({ currentTarget }) => onInput(currentTarget.value)} />;
  }
  const input = {
    ...typed,
    autocomplete: 'off',
    onInput: (event: { currentTarget: HTMLInputElement }) => onInput(event.currentTarget.value),
  };
  if (kind === 'secret') return <input {...input} type="password" />;
  return kind === 'address' ? <input {...input} type="url" /> : <input {...input} type="text" />;
}
