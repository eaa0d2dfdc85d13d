const dark = `
  --_text: var(--savepoint-text, #f2f2f7);
  --_soft: var(--savepoint-soft, #b8b8c8);
  --_surface: var(--savepoint-surface, #1c1c26);
  --_field: var(--savepoint-field, #262634);
  --_line: var(--savepoint-line, #8585a0);
  --_rule: var(--savepoint-rule, #3c3c4a);
  --_accent: var(--savepoint-accent, #8fb4ff);
  --_accent-text: var(--savepoint-accent-text, #0b1730);
  --_danger: var(--savepoint-danger, #ff9c8f);
  color-scheme: dark;
`;

/** What all elements look like. What begins with `--savepoint-` is the page's to set. */
export const styles = `
  :host {
    --_text: var(--savepoint-text, #1d1d26);
    --_soft: var(--savepoint-soft, #55555f);
    --_surface: var(--savepoint-surface, #fff);
    --_field: var(--savepoint-field, #fff);
    --_line: var(--savepoint-line, #767684);
    --_rule: var(--savepoint-rule, #dcdce4);
    --_accent: var(--savepoint-accent, #2453b8);
    --_accent-text: var(--savepoint-accent-text, #fff);
    --_danger: var(--savepoint-danger, #b3261e);
    --_radius: var(--savepoint-radius, 10px);
    --_gap: var(--savepoint-gap, 12px);
    display: block;
    color: var(--_text);
    font: var(--savepoint-font, 1rem/1.45 system-ui, sans-serif);
    color-scheme: light;
    text-align: start;
    overflow-wrap: anywhere;
  }
  :host([hidden]) { display: none; }
  @media (prefers-color-scheme: dark) {
    :host(:not([scheme='light'])) { ${dark} }
  }
  :host([scheme='dark']) { ${dark} }
  *, ::before, ::after { box-sizing: border-box; }
  [hidden] { display: none !important; }
  h2, h3, p, ul { margin: 0; padding: 0; }
  h2 { font-size: 1.2em; line-height: 1.3; }
  h3 { font-size: 1em; }
  section, form, .stack { display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--_gap); }
  [part~='note'] { color: var(--_soft); font-size: 0.92em; }
  [part='error'] { color: var(--_danger); font-size: 0.92em; }
  [part='error']:empty, [part='said']:empty { display: none; }
  bdi { text-align: -webkit-match-parent; text-align: match-parent; }
  .row, .line { display: flex; flex-wrap: wrap; gap: 8px; }
  button, input {
    min-block-size: 44px;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) - 2px);
    font: inherit;
    color: inherit;
  }
  button { padding: 6px 14px; background: transparent; font-weight: 600; cursor: pointer; }
  button:hover { border-color: currentColor; }
  [part~='primary'] { border-color: var(--_accent); background: var(--_accent); color: var(--_accent-text); }
  [part~='danger'] { border-color: var(--_danger); color: var(--_danger); }
  button[part~='link'] {
    padding: 6px 0; border: 0; color: var(--_accent); text-decoration: underline; text-underline-offset: 3px;
  }
  [aria-disabled] { opacity: 0.55; cursor: progress; }
  :focus-visible, :host([data-gamepad]) :focus, :host([data-gamepad]) ::slotted(:focus) { outline: 3px solid var(--_accent); outline-offset: 2px; }
  label { display: grid; gap: 4px; font-size: 0.92em; }
  input { inline-size: 100%; padding: 6px 10px; background: var(--_field); font-size: 16px; }
  input[aria-invalid='true'] { border-color: var(--_danger); }
  summary {
    display: list-item; min-block-size: 44px; padding-block: 10px; inline-size: fit-content;
    min-inline-size: 44px; font-weight: 600; cursor: pointer;
  }
  ul { list-style: none; display: grid; gap: 8px; }
  li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px var(--_gap);
    padding-block-start: 8px;
    border-block-start: 1px solid var(--_rule);
  }
  li > :first-child { flex: 1 1 9rem; }
  li > [role] { flex-basis: 100%; }
  li strong, li span { display: block; }
  code {
    padding: 8px 12px; border: 1px dashed var(--_line); border-radius: calc(var(--_radius) - 2px);
    font: 1.05em/1.4 ui-monospace, monospace; user-select: all;
  }
  .unseen { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); }
  .line { align-items: center; justify-content: space-between; }
  [part~='status'] { display: grid; grid-template-columns: 12px minmax(0, 1fr); align-items: center; gap: 10px; }
  [part~='status']::before {
    content: ''; inline-size: 12px; block-size: 12px; border: 2px solid var(--_accent); border-radius: 50%;
  }
  [data-status='synced']::before { background: var(--_accent); }
  [data-status='conflict']::before, [data-status='unstored']::before {
    border-color: var(--_danger); background: var(--_danger);
  }
  .fields { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(11rem, 100%), 1fr)); gap: var(--_gap); }
`;
