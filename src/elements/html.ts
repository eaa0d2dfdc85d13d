/**
 * Renders templates as Lit writes them, as far as the elements need it, in a fifth of its bytes: `html` with values as
 * children, attributes, `?attribute` and `@event`. A value is only ever a text or an attribute, and never markup.
 */
export interface Template {
  readonly strings: TemplateStringsArray;
  readonly values: readonly unknown[];
}

/** What can stand where a template has a child. */
export type Child = Template | string | number | null | undefined | readonly Child[];

/** A template: markup with values between. Two with the same markup are the same elements, with other values. */
export function html(strings: TemplateStringsArray, ...values: unknown[]): Template {
  return { strings, values };
}

/** Marks where a value goes; no markup of ours has it. */
const mark = '§';
const attributeHoles = /§(\d+)§/;

/** Where the values of a template go: into which node of it, counted in the order of the document, and how. */
interface Hole {
  readonly node: number;
  /** The name of an attribute; empty for a child. */
  readonly name: string;
  /** Of an attribute texts and numbers of values in turn; of a child the number of its value alone. */
  readonly pieces: readonly string[];
}

interface Compiled {
  readonly content: DocumentFragment;
  readonly holes: readonly Hole[];
}

const compiled = new WeakMap<TemplateStringsArray, Compiled>();

function compile(strings: TemplateStringsArray): Compiled {
  const known = compiled.get(strings);
  if (known !== undefined) return known;
  let markup = strings[0] ?? '';
  strings.slice(1).forEach((next, index) => {
    const isInTag = markup.lastIndexOf('<') > markup.lastIndexOf('>');
    markup += `${isInTag ? mark + index + mark : `<!--${mark}${index}-->`}${next}`;
  });
  const template = document.createElement('template');
  template.innerHTML = trusted(markup);
  const holes: Hole[] = [];
  nodesOf(template.content).forEach((node, at) => {
    if (node instanceof Comment && node.data.startsWith(mark)) {
      holes.push({ node: at, name: '', pieces: [node.data.slice(1)] });
    }
    for (const { name, value } of node instanceof Element ? [...node.attributes] : []) {
      if (!value.includes(mark)) continue;
      holes.push({ node: at, name, pieces: value.split(attributeHoles) });
      (node as Element).removeAttribute(name);
    }
  });
  const result = { content: template.content, holes };
  compiled.set(strings, result);
  return result;
}

function nodesOf(root: Node): Node[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_COMMENT);
  const nodes: Node[] = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  return nodes;
}

type Update = (values: readonly unknown[]) => void;

/** A place between two nodes, which remembers what it has. */
interface Place {
  render(child: Child): void;
  /** Takes the place away, with what is in it. */
  remove(): void;
}

/** Makes a place at the end of a node; what it renders takes the place of what it rendered before. */
export function createPlaceIn(parent: Node): (child: Child) => void {
  return createPlace(parent.appendChild(document.createComment(''))).render;
}

/** Makes a place before a node. */
function createPlace(end: ChildNode): Place {
  const start = document.createComment('');
  end.before(start);
  let strings: TemplateStringsArray | null = null;
  let update: Update = () => {};
  let text: Text | null = null;
  let items: Place[] = [];

  function empty(): void {
    while (start.nextSibling !== end) start.nextSibling?.remove();
    items = [];
    strings = null;
    text = null;
  }

  function renderList(children: readonly Child[]): void {
    if (items.length === 0) empty();
    for (const item of items.splice(children.length)) item.remove();
    children.forEach((child, index) => {
      items[index] ??= createPlace(insert(document.createComment('')));
      items[index]?.render(child);
    });
  }

  function renderTemplate(template: Template): void {
    if (strings !== template.strings) {
      empty();
      const { content, updates } = instantiate(template.strings);
      insert(content);
      update = updates;
      ({ strings } = template);
    }
    update(template.values);
  }

  function insert<Inserted extends Node>(node: Inserted): Inserted {
    end.before(node);
    return node;
  }

  return {
    render: (child) => {
      if (Array.isArray(child)) renderList(child);
      else if (typeof child === 'object' && child !== null) renderTemplate(child as Template);
      else {
        if (text === null) {
          empty();
          text = insert(document.createTextNode(''));
        }
        const next = String(child ?? '');
        // A live region speaks whenever its text is touched.
        if (text.data !== next) text.data = next;
      }
    },
    remove: () => {
      empty();
      start.remove();
      end.remove();
    },
  };
}

/** Makes the elements of a template. */
function instantiate(strings: TemplateStringsArray): { content: DocumentFragment; updates: Update } {
  const { content, holes } = compile(strings);
  const copy = document.importNode(content, true);
  const nodes = nodesOf(copy);
  const updates = holes.map(({ node, name, pieces }): Update => {
    const target = nodes[node] as Element & ChildNode;
    if (name === '') {
      const place = createPlace(target);
      return (values) => place.render(values[Number(pieces[0])] as Child);
    }
    if (name.startsWith('@')) return eventUpdate(target, name.slice(1), Number(pieces[1]));
    return attributeUpdate(target, name, pieces);
  });
  return {
    content: copy,
    updates: (values) => {
      for (const update of updates) update(values);
    },
  };
}

function eventUpdate(target: Element, name: string, index: number): Update {
  let listener: ((event: Event) => void) | null = null;
  target.addEventListener(name, (event) => listener?.(event));
  return (values) => {
    listener = values[index] as typeof listener;
  };
}

function attributeUpdate(target: Element, name: string, pieces: readonly string[]): Update {
  const isSingle = pieces.length === 3 && pieces[0] === '' && pieces[2] === '';
  return (values) => {
    const single = values[Number(pieces[1])];
    if (name.startsWith('?')) target.toggleAttribute(name.slice(1), Boolean(single));
    else if (isSingle && (single === null || single === undefined)) target.removeAttribute(name);
    else {
      const text = pieces.map((piece, index) => (index % 2 === 0 ? piece : String(values[Number(piece)]))).join('');
      if (target.getAttribute(name) !== text) target.setAttribute(name, text);
    }
  };
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(markup: string): string }): { createHTML(markup: string): string };
}

let policy: ReturnType<TrustedTypes['createPolicy']> | undefined;

/** A page may take markup by a named policy alone. All markup here is the package's own. */
function trusted(markup: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy('savepoint', { createHTML: (own) => own });
  return policy?.createHTML(markup) ?? markup;
}
