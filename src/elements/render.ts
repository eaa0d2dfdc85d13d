/**
 * Renders what an element shows: `h` says what there should be, and a root makes it so, in the nodes that it has
 * already. What comes from elsewhere is only ever a text, an attribute or the value of a field, and never markup.
 */
export interface View {
  readonly tag: string;
  readonly attributes: Attributes;
  readonly children: readonly (Child | readonly View[])[];
}

/** What can stand among the children of an element; null holds the place of what may come there. */
export type Child = View | string | number | null;

/**
 * Attributes by their names; null, undefined and false leave one out. What begins with `on` listens to an event. `key`
 * tells an element from others in its place: rows of a list keep their elements wherever they move.
 */
interface Attributes {
  readonly [name: string]: string | number | boolean | null | undefined | ((event: Event) => unknown);
}

/**
 * An element as it should be. Children are told apart by their places; the rows of a list, in one array, by their keys.
 */
export function h(tag: string, attributes: Attributes | null, ...children: View['children']): View {
  return { tag, attributes: attributes ?? {}, children };
}

/** What each node was rendered by, and what tells it from its siblings. */
const rendered = new WeakMap<Node, { readonly id: string; readonly child: Child }>();

/** Makes a place in a node, for one element; gives what renders it there. */
export function createRoot(parent: Node): (view: View) => void {
  const place = parent.appendChild(document.createElement('div'));
  return (view) => renderChildren(place, [view]);
}

/** A node that stays keeps its place, and with it the focus of whoever is there: only what has to move is moved. */
function renderChildren(parent: Node, children: readonly Child[]): void {
  const wanted = new Map(children.map((child, index) => [idOf(child, index), child]));
  const kept = new Map<string, ChildNode>();
  for (const node of [...parent.childNodes]) {
    const { id = '' } = rendered.get(node) ?? {};
    if (wanted.has(id)) kept.set(id, node);
    else node.remove();
  }
  let next = parent.firstChild;
  for (const [id, child] of wanted) {
    const node = kept.get(id) ?? make(child);
    if (node === next) next = next.nextSibling;
    else parent.insertBefore(node, next);
    update(node, child);
    rendered.set(node, { id, child });
  }
}

function idOf(child: Child, index: number): string {
  return isView(child) ? `${child.tag} ${child.attributes['key'] ?? index}` : `${!child} ${index}`;
}

function make(child: Child): ChildNode {
  if (!child) return new Text();
  // Each text is laid out in its own direction, whatever the page's is.
  if (!isView(child)) return document.createElement('bdi');
  const element = document.createElement(child.tag);
  for (const name of Object.keys(child.attributes).filter(isEvent)) {
    element.addEventListener(name.slice(2), (event) => {
      const listener = attributesOf(element)[name];
      if (typeof listener === 'function') listener(event);
    });
  }
  return element;
}

function update(node: Node, child: Child): void {
  if (!isView(child)) {
    const text = String(child ?? '');
    // A live region speaks whenever its text is touched.
    if (node.textContent !== text) node.textContent = text;
    return;
  }
  const { attributes, children } = child;
  for (const name of Object.keys({ ...attributesOf(node), ...attributes })) {
    if (name !== 'key' && !isEvent(name)) setAttribute(node as Element, name, attributes[name] ?? false);
  }
  renderChildren(node, children.flat());
}

function setAttribute(element: Element, name: string, value: unknown): void {
  if (value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

function attributesOf(node: Node): Attributes {
  const { child = null } = rendered.get(node) ?? {};
  return isView(child) ? child.attributes : {};
}

function isView(child: Child): child is View {
  return typeof child === 'object' && child !== null;
}

function isEvent(name: string): boolean {
  return name.startsWith('on');
}
