export const conflictStyles = `
  dialog {
    inline-size: min(42rem, calc(100vw - 16px));
    max-inline-size: none;
    max-block-size: calc(100vh - 16px);
    max-block-size: calc(100dvh - 16px);
    overflow: auto;
  }
  dialog, [part='chosen'] {
    padding: clamp(14px, 3vw, 24px);
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) + 4px);
    background: var(--_surface);
    color: var(--_text);
  }
  [part='chosen'] {
    position: fixed; inset: auto 8px 8px; z-index: 9; max-inline-size: 26rem; margin-inline: auto;
    box-shadow: 0 4px 24px rgb(8 8 20 / 65%);
  }
  dialog::backdrop { background: rgb(8 8 20 / 65%); }
  @media (prefers-reduced-motion: no-preference) {
    dialog[open] { animation: appear 0.18s ease-out; }
  }
  @keyframes appear { from { opacity: 0; translate: 0 8px; } }
  h2:focus { outline: none; }
  table {
    inline-size: 100%; border-collapse: collapse;
    font-size: min(0.9em, 4.3vw); font-variant-numeric: tabular-nums;
  }
  th, td { inline-size: 35%; padding: 5px 3px; text-align: end; vertical-align: baseline; }
  thead th { overflow-wrap: break-word; }
  tr > :first-child { inline-size: 30%; padding-inline-start: 0; text-align: start; }
  tbody th { color: var(--_soft); font-weight: 400; }
  tbody tr { border-block-start: 1px solid var(--_rule); }
  .more { font-weight: 700; }
  .option { display: grid; grid-template-rows: subgrid; grid-row: span 2; gap: 4px; }
  .line > p { flex: 1 1 12rem; }
  details ul { max-block-size: 12rem; overflow: auto; }
`;
