import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { OperatorScope } from '../../../src/protocol/admin-messages.js';
import { useConsole } from '../context.js';
import { Dialog } from './dialog.js';
import { Problem } from './problem.js';

/** What a change says of itself before it is made. */
export interface ChangeTexts {
  /** On the button, and as the dialog's title. */
  title: string;
  /** What will happen. */
  does: string;
  /** How it can be taken back. */
  undo: string;
  /** What is told when it is done. */
  done: string;
}

export interface ChangeProps {
  texts: ChangeTexts;
  scope: OperatorScope;
  isDangerous?: boolean;
  /** What is to be filled in. */
  fields?: ComponentChildren;
  /** Whether what is filled in can be sent; true by default. */
  isReady?: boolean;
  /** Makes the change. What it gives back is shown once, such as a code that nobody can read again. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most changes give nothing back.
  run(): Promise<ComponentChildren | void>;
  /** Called when it is done and the dialog is closed. */
  onDone?(): void;
  label?: string | undefined;
  isSmall?: boolean;
}

/** A button for a change, which asks once. Whoever may not make the change does not see it. */
export function Change(props: ChangeProps) {
  const { allows } = useConsole();
  const [isOpen, setOpen] = useState(false);
  if (!allows(props.scope)) return null;
  const kinds = [props.isSmall === true ? 'small' : '', props.isDangerous === true ? 'danger' : ''];
  return (
    <>
      <button type="button" class={kinds.join(' ')} aria-label={props.label} onClick={() => setOpen(true)}>
        {props.texts.title}
      </button>
      {isOpen && <ChangeDialog {...props} close={() => setOpen(false)} />}
    </>
  );
}

function ChangeDialog({
  texts,
  isDangerous,
  fields,
  isReady = true,
  run,
  onDone,
  close,
}: ChangeProps & { close(): void }) {
  const { texts: all, announce } = useConsole();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [result, setResult] = useState<{ shown: ComponentChildren } | null>(null);

  const end = (): void => {
    close();
    if (result !== null) onDone?.();
  };
  const go = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy || !isReady) return;
    setBusy(true);
    setError(undefined);
    try {
      const shown = await run();
      announce(texts.done);
      if (shown !== undefined) return setResult({ shown });
      close();
      onDone?.();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog title={texts.title} onClose={end}>
      {result !== null ? (
        <>
          <div class="result">{result.shown}</div>
          <div class="dialog-actions">
            <button type="button" class="primary" onClick={end}>
              {all.common.close}
            </button>
          </div>
        </>
      ) : (
        <form onSubmit={(event) => void go(event)}>
          <p>{texts.does}</p>
          {fields}
          <p class="undo">
            <strong>{all.common.takenBack}</strong> {texts.undo}
          </p>
          {error !== undefined && <Problem error={error} />}
          <div class="dialog-actions">
            <button type="button" onClick={close}>
              {all.common.cancel}
            </button>
            <button
              type="submit"
              class={isDangerous === true ? 'danger-fill' : 'primary'}
              disabled={isBusy || !isReady}
            >
              {isBusy ? all.common.working : texts.title}
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
