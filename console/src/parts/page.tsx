import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

let isFirst = true;

/** A page: its title is what the window is called, and where the focus goes when somebody comes here by a link. */
export function Page({
  title,
  intro,
  actions,
  children,
}: {
  title: string;
  intro?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst) heading.current?.focus();
    isFirst = false;
  }, []);
  useEffect(() => {
    document.title = `${title} · savepoint`;
  }, [title]);
  return (
    <>
      <div class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            <bdi>{title}</bdi>
          </h1>
          {intro !== undefined && <p class="soft intro">{intro}</p>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      {children}
    </>
  );
}

export function Card({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="card" aria-label={title}>
      <div class="card-head">
        <h2>{title}</h2>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
}
