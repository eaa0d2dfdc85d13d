import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/** A dialog above the page. The browser keeps the focus in it, closes it at Escape, and gives the focus back. */
export function Dialog({
  title,
  onClose,
  isWide = false,
  children,
}: {
  title: string;
  onClose(): void;
  isWide?: boolean;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const from = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (from instanceof HTMLElement && from.isConnected) from.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} class={isWide ? 'wide' : undefined} aria-labelledby={titleId} onClose={onClose}>
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}
