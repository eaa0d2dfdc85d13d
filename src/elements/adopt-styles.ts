const sheets = new Map<string, CSSStyleSheet>();

/** Gives a root its styles; all elements of a kind share theirs where the browser can do that. */
export function adoptStyles(root: ShadowRoot, text: string): void {
  if (!('adoptedStyleSheets' in root)) {
    const style = document.createElement('style');
    style.textContent = text;
    (root as ShadowRoot).append(style);
    return;
  }
  const sheet = sheets.get(text) ?? new CSSStyleSheet();
  if (!sheets.has(text)) sheet.replaceSync(text);
  sheets.set(text, sheet);
  root.adoptedStyleSheets = [sheet];
}
