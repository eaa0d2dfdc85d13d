/** The element with this id; a page without it is a mistake of ours, and is said at once. */
export function element<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element "${id}"`);
  return found as Kind;
}

/** Sets a text only where it differs, so that a live region speaks once. */
export function say(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}
