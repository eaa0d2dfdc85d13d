/**
 * Gives a root its styles, in the way that the rules of a page for inline styles have nothing to say
 * about, where there is one.
 */
export function adoptStyles(root: ShadowRoot, text: string): void {
  if ('adoptedStyleSheets' in root) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    root.adoptedStyleSheets = [sheet];
    return;
  }
  const style = Object.assign(document.createElement('style'), { textContent: text });
  (root as ShadowRoot).append(style);
}
