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
  /** Whether the page itself says why it did not work, and the dialog closes. */
  isToldElsewhere?(error: unknown): boolean;
  /** What else stands beside the reason why it did not work, such as a way out; `forget` takes all of that away. */
  wayOut?(error: unknown, forget: () => void): ComponentChildren;
  label?: string | undefined;
  isSmall?: boolean;
}

/** A button for a change, which asks once. Whoever may not make the change does not see it. */
export function Change(props: ChangeProps) {
  return <ChangeButton {...props}>{(close) => <ChangeDialog {...props} close={close} />}</ChangeButton>;
}

/**
 * A button for a change whose dialog is a part of its own. That is made anew each time it opens, so that its form shows
 * what there is then.
 */
export function ChangeButton({
  texts,
  scope,
  label,
  isSmall,
  isDangerous,
  children,
}: Pick<ChangeProps, 'texts' | 'scope' | 'label' | 'isSmall' | 'isDangerous'> & {
  children(close: () => void): ComponentChildren;
}) {
  const { allows } = useConsole();
  const [isOpen, setOpen] = useState(false);
  if (!allows(scope)) return null;
  const kinds = [isSmall === true ? 'small' : '', isDangerous === true ? 'danger' : ''];
  return (
    <>
      <button type="button" class={kinds.join(' ')} aria-label={label} onClick={() => setOpen(true)}>
        {texts.title}
      </button>
      {isOpen && children(() => setOpen(false))}
    </>
  );
}

/** Asks once, says what the change will do and how it is taken back, and makes it. */
export function ChangeDialog({
  texts,
  isDangerous,
  fields,
  isReady = true,
  run,
  onDone,
  isToldElsewhere,
  wayOut,
  close,
}: Omit<ChangeProps, 'scope' | 'label' | 'isSmall'> & { close(): void }) {
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
      if (isToldElsewhere?.(failure) === true) close();
      else setError(failure);
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
          {error !== undefined && <Problem error={error}>{wayOut?.(error, () => setError(undefined))}</Problem>}
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
