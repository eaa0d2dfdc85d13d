export const accountStyles = `
  [part='card'] { display: grid; grid-template-columns: auto minmax(0, 1fr); align-items: center; gap: var(--_gap); }
  [part~='badge'] {
    display: grid; place-items: center; inline-size: 44px; block-size: 44px;
    border: 2px solid var(--_line); border-radius: 50%; font-size: 1.15em; font-weight: 700;
  }
  details { border-block-start: 1px solid var(--_rule); }
  details > .stack { padding-block-end: var(--_gap); }
`;
