import { useId, useRef, useState } from 'preact/hooks';
import type { ServiceWords } from '../../../src/cli/console/words/words.js';
import { isFailure } from '../../../src/errors.js';
import type { GamePlatform, PlatformFieldInfo, PlatformPresetInfo } from '../../../src/protocol/admin-platforms.js';
import { useConsole } from '../context.js';
import { ChangeButton, ChangeDialog } from '../parts/change.js';
import { Problem } from '../parts/problem.js';
import { languageOf } from '../parts/said.js';
import { TryUnsaved } from './platform-trial.js';

type Values = { readonly [field: string]: string };

interface EditProps {
  presets: readonly PlatformPresetInfo[];
  platform: GamePlatform | null;
  onDone(): void;
}

/** Registers a platform, or changes one: the form is what its preset asks for. */
export function EditPlatform({ platform, ...props }: EditProps) {
  const { texts } = useConsole();
  const said = platform === null ? texts.changes.addPlatform : texts.changes.savePlatform;
  const kept = useRef<Draft | null>(null);
  return (
    <ChangeButton
      scope="admin"
      texts={said}
      isSmall={platform !== null}
      label={platform === null ? undefined : `${said.title}: ${platform.name}`}
    >
      {(close) => <PlatformDialog {...props} opened={platform} kept={kept} close={close} />}
    </ChangeButton>
  );
}

/** What stands in the form, and the platform that it was filled from. */
interface Draft {
  /** Null where there is none yet. A change rests on this one's version: it is what the operator has seen. */
  readonly base: GamePlatform | null;
  readonly preset: string;
  readonly name: string;
  readonly isOn: boolean;
  readonly values: Values;
  /** The secrets that are to be there no longer. */
  readonly takenAway: readonly string[];
  readonly takesOver: boolean;
}

function draftOf(platform: GamePlatform | null, presets: readonly PlatformPresetInfo[]): Draft {
  return {
    base: platform,
    preset: platform?.preset ?? presets[0]?.name ?? '',
    name: platform?.name ?? '',
    isOn: platform?.isOn ?? true,
    values: valuesOf(platform),
    takenAway: [],
    takesOver: false,
  };
}

/**
 * `opened` is the platform as the list had it when the dialog opened: what the list reads afterwards changes no form. `kept` is what
 * was typed of a new one before, until that is registered.
 */
function PlatformDialog({
  presets,
  opened,
  kept,
  onDone,
  close,
}: Omit<EditProps, 'platform'> & { opened: GamePlatform | null; kept: { current: Draft | null }; close(): void }) {
  const { texts, gateway, place } = useConsole();
  const [draft, setDraft] = useState(() => kept.current ?? draftOf(opened, presets));
  if (draft.base === null) kept.current = draft;
  const [isInUse, setInUse] = useState(false);
  const preset = presets.find(({ name }) => name === draft.preset);
  if (preset === undefined) return null;
  const { base, isOn, takesOver } = draft;
  const { name, settings, isComplete } = filledIn(draft, preset);
  const readAgain = async (): Promise<void> => {
    const platforms = await gateway.admin.platforms(place);
    const found = platforms.find((one) => one.source === 'store' && one.name === name);
    setInUse(false);
    if (found?.preset != null) return setDraft(draftOf(found, presets));
    close();
    onDone();
  };
  return (
    <ChangeDialog
      texts={base === null ? texts.changes.addPlatform : texts.changes.savePlatform}
      isReady={isComplete}
      fields={
        <Fields
          presets={presets}
          preset={preset}
          draft={draft}
          isInUse={isInUse}
          onChange={(changed) => setDraft({ ...draft, ...changed })}
        />
      }
      run={async () => {
        const version = base?.version ?? 0;
        const saved = gateway.admin.savePlatform({
          ...place,
          ...{ name, preset: preset.name, settings, isOn, version, takesOver },
        });
        await saved.catch((error: unknown) => {
          // The box is shown only to whoever needs it, beside what the service says.
          if (isFailure(error, 'platform_name_in_use')) setInUse(true);
          throw error;
        });
      }}
      wayOut={(error, forget) => (
        <PlatformClash error={error} isNew={base === null} readAgain={readAgain} forget={forget} />
      )}
      onDone={() => {
        kept.current = null;
        onDone();
      }}
      close={close}
    />
  );
}

/** What the form would send, and whether that is all that its preset needs. */
function filledIn({ name, values, takenAway, base }: Draft, preset: PlatformPresetInfo) {
  const secrets = base?.secrets ?? [];
  return {
    name: name.trim() === '' ? usualName(preset) : name.trim(),
    settings: settingsOf(preset, values, takenAway),
    isComplete: preset.fields.every(
      ({ name: field, isRequired }) => !isRequired || secrets.includes(field) || (values[field] ?? '').trim() !== '',
    ),
  };
}

/** What has become of a platform that the service has in another version than the page, and the way out of that. */
export function PlatformClash({
  error,
  isNew = false,
  readAgain,
  forget,
}: {
  error: unknown;
  isNew?: boolean;
  readAgain(): Promise<void> | void;
  forget(): void;
}) {
  const { texts } = useConsole();
  const [trouble, setTrouble] = useState<unknown>();
  if (!isFailure(error, 'version_mismatch')) return null;
  if (isNew) return <p>{texts.platforms.clash.taken}</p>;
  const { changed, removed } = texts.platforms.clash;
  const again = async (dialog: Element | null): Promise<void> => {
    try {
      await readAgain();
      forget();
      // The button that was pressed goes: whoever pressed it goes on at the top of what there is now.
      dialog?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    } catch (failure) {
      setTrouble(failure);
    }
  };
  return (
    <>
      <p>{error.currentVersion === 0 ? removed : changed}</p>
      {trouble !== undefined && <Problem error={trouble} />}
      <div class="actions">
        <button type="button" onClick={({ currentTarget }) => void again(currentTarget.closest('dialog'))}>
          {texts.common.refresh}
        </button>
      </div>
    </>
  );
}

function Fields({
  presets,
  preset,
  draft,
  isInUse,
  onChange,
}: {
  presets: readonly PlatformPresetInfo[];
  preset: PlatformPresetInfo;
  draft: Draft;
  isInUse: boolean;
  onChange(changed: Partial<Draft>): void;
}) {
  const { texts, words } = useConsole();
  const own = words?.presets[preset.name];
  const { base, name, isOn, values, takenAway, takesOver } = draft;
  const filled = filledIn(draft, preset);
  return (
    <div class="fields">
      {base === null && (
        <>
          <label>
            {texts.platforms.preset}
            <select value={preset.name} onChange={({ currentTarget }) => onChange({ preset: currentTarget.value })}>
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
              onInput={({ currentTarget }) => onChange({ name: currentTarget.value })}
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
          isSet={base?.secrets.includes(field.name) ?? false}
          isTakenAway={takenAway.includes(field.name)}
          onInput={(value) => onChange({ values: { ...values, [field.name]: value } })}
          onTakeAway={(isGone) =>
            onChange({
              takenAway: [...takenAway.filter((one) => one !== field.name), ...(isGone ? [field.name] : [])],
            })
          }
        />
      ))}
      <label class="choice">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget }) => onChange({ isOn: currentTarget.checked })}
        />
        {texts.platforms.mayUse}
      </label>
      <TryUnsaved name={filled.name} preset={preset.name} settings={filled.settings} isReady={filled.isComplete} />
      {isInUse && (
        <label class="choice">
          <input
            type="checkbox"
            checked={takesOver}
            onChange={({ currentTarget }) => onChange({ takesOver: currentTarget.checked })}
          />
          {texts.platforms.takeOver}
        </label>
      )}
    </div>
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
