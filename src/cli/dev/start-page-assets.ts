export const style = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #fff; --text: #1b2230; --soft: #566070; --line: #d5dae2; --code: #eef1f5; --accent: #1f5fbf;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161d; --card: #1a202a; --text: #e7ebf2; --soft: #a3adbd; --line: #343d4b; --code: #11151c; --accent: #8ab4f8;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { margin: 0 0 .25rem; font-size: 1.6rem; line-height: 1.25; }
h2 { margin: 2rem 0 .5rem; font-size: 1.15rem; }
p { margin: .25rem 0 .75rem; }
a { color: var(--accent); }
code { font: .875rem/1.6 ui-monospace, Consolas, monospace; }
.soft { color: var(--soft); }
ul { padding-left: 1.25rem; }
li, p { overflow-wrap: anywhere; }
dl, table, .paste { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
dl { display: grid; grid-template-columns: 9rem minmax(0, 1fr); gap: .5rem 1rem; margin: 1rem 0; padding: 1rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
table { width: 100%; border-spacing: 0; overflow: hidden; text-align: left; }
th, td { padding: .4rem 1rem; }
th { color: var(--soft); font-weight: normal; }
tr + tr td, tbody td { border-top: 1px solid var(--line); }
.paste { margin: 0 0 1rem; overflow: hidden; }
.bar { display: flex; align-items: center; justify-content: space-between; gap: 1rem; min-height: 3rem; padding: .25rem 1rem; }
.bar h3 { margin: 0; font-size: 1rem; font-weight: 600; }
.paste p { margin: 0; padding: 0 1rem .5rem; color: var(--soft); }
pre { margin: 0; padding: .75rem 1rem; background: var(--code); border-top: 1px solid var(--line); white-space: pre-wrap; }
pre code { overflow-wrap: anywhere; }
button {
  flex: none; min-height: 2.25rem; padding: 0 .9rem; border: 1px solid var(--line); border-radius: .4rem;
  background: var(--page); color: var(--accent); font: inherit; font-size: .9rem; cursor: pointer;
}
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 30rem) { dl { grid-template-columns: minmax(0, 1fr); gap: 0; } dd { margin-bottom: .6rem; } }
`;

/**
 * Whoever came here by another address, such as one of the local network, pastes that one. Where a page may not write to
 * the clipboard (plain HTTP from another machine), the button selects the text.
 */
export const script = `
const printed = document.documentElement.dataset.address;
for (const place of document.querySelectorAll('[data-addressed]')) {
  place.textContent = place.textContent.replaceAll(printed, location.origin);
}
const status = document.querySelector('[role=status]');
for (const button of document.querySelectorAll('button')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const code = button.closest('.paste').querySelector('pre code');
    const isCopied = await (async () => navigator.clipboard.writeText(code.textContent))().then(() => true, () => false);
    if (!isCopied) getSelection().selectAllChildren(code);
    button.textContent = isCopied ? 'Copied' : 'Selected';
    status.textContent = isCopied ? 'Copied.' : 'Selected: copy it with the keyboard or the menu.';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
}
`;
