import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Texts } from './texts/texts.js';

interface Failure {
  code?: string;
  message?: string;
  retryAfterMs?: number;
}

/** Takes an operator's key. It is sent once, and is kept nowhere in the page. */
export function SignIn({
  isOver,
  mode,
  texts,
  error: before,
  signIn,
}: {
  /** Whether it lies over the console, whose session has ended. */
  isOver: boolean;
  mode: 'dev' | 'serve';
  texts: Texts;
  error: unknown;
  signIn(key: string): Promise<void>;
}) {
  const [error, setError] = useState<unknown>(before);
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const { title } = document;
    document.title = `${texts.signIn.title} · savepoint`;
    field.current?.focus();
    return () => {
      if (isOver) document.title = title;
    };
  }, [texts]);
  useEffect(() => setError(before), [before]);

  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    const key = field.current?.value.trim() ?? '';
    if (key === '' || isBusy) return;
    setBusy(true);
    try {
      await signIn(key);
    } catch (failure) {
      setError(failure);
      field.current?.select();
    } finally {
      setBusy(false);
    }
  };

  const form = (
    <form class="card" onSubmit={(event) => void send(event)}>
      <h1 id="sign-in">{texts.signIn.title}</h1>
      <p class="soft">{mode === 'dev' ? texts.signIn.openLink : texts.signIn.intro}</p>
      <label for="operator-key">{texts.signIn.key}</label>
      <input ref={field} id="operator-key" type="password" autocomplete="off" spellcheck={false} required />
      {error !== undefined && (
        <p class="field-error" role="alert">
          {said(error as Failure, texts)}
        </p>
      )}
      <button type="submit" class="primary" disabled={isBusy}>
        {isBusy ? texts.common.working : texts.signIn.button}
      </button>
      <p class="soft small-print">{texts.signIn.where}</p>
    </form>
  );
  return isOver ? <Over>{form}</Over> : <main class="sign-in">{form}</main>;
}

/** Covers the page, of which nobody reads or presses anything until somebody is signed in. */
function Over({ children }: { children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const from = document.activeElement;
    dialog.current?.showModal();
    // A second Escape would close the dialog below before this one is open again.
    const stay = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') event.preventDefault();
    };
    addEventListener('keydown', stay, true);
    return () => {
      removeEventListener('keydown', stay, true);
      if (from instanceof HTMLElement && from.isConnected) from.focus();
    };
  }, []);
  return (
    // A phone's way back ends no sign-in: it opens again.
    <dialog ref={dialog} class="sign-in" aria-labelledby="sign-in" onClose={() => dialog.current?.showModal()}>
      {children}
    </dialog>
  );
}

function said({ code, message, retryAfterMs }: Failure, texts: Texts): string {
  if (code === 'invalid_credentials' || code === 'unauthorized') return texts.signIn.wrong;
  if (code === 'rate_limited') return texts.signIn.tooOften(Math.ceil((retryAfterMs ?? 0) / 1000));
  return `${message ?? ''}${code === undefined ? '' : ` (${code})`}`;
}
