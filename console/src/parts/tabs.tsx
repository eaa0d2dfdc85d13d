import { useLayoutEffect, useRef } from 'preact/hooks';

/** Links to the parts of a page. Where they do not fit side by side, the one of this part is in sight. */
export function Tabs<Name extends string>({
  label,
  names,
  current,
  titleOf,
  hrefOf,
}: {
  label: string;
  names: readonly Name[];
  current: Name;
  titleOf(name: Name): string;
  hrefOf(name: Name): string;
}) {
  const shown = useRef<HTMLAnchorElement>(null);
  // Before the first paint: an operator never sees the row jump.
  useLayoutEffect(() => shown.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [current]);
  return (
    <nav class="tabs" aria-label={label}>
      {names.map((name) => (
        <a
          key={name}
          ref={name === current ? shown : null}
          href={hrefOf(name)}
          aria-current={name === current ? 'page' : undefined}
        >
          {titleOf(name)}
        </a>
      ))}
    </nav>
  );
}
