export const accountStyles = `
  .card { display: grid; grid-template-columns: auto minmax(0, 1fr); align-items: center; gap: var(--_gap); }
  .badge {
    display: grid; place-items: center; inline-size: 44px; block-size: 44px;
    border: 2px solid var(--_line); border-radius: 50%; font-size: 1.15em; font-weight: 700;
  }
  .badge[data-linked='true'] { border-color: var(--_accent); background: var(--_accent); color: var(--_accent-text); }
  .who { overflow: hidden; text-overflow: ellipsis; }
  .fields { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(11rem, 100%), 1fr)); gap: var(--_gap); }
  details { border-block-start: 1px solid var(--_rule); }
  details > div { padding-block-end: var(--_gap); }
`;
