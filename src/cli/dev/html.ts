/** Text that may stand in a page as it is. */
export class Html {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

type Part = string | number | Html | readonly Html[];

/** A piece of a page: whatever is put into it is escaped, unless it is a piece itself. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, string, index) => text + written(parts[index - 1] ?? '') + string));
}

function written(part: Part): string {
  if (part instanceof Html) return part.text;
  return typeof part === 'object' ? part.join('') : escaped(String(part));
}

const references: { readonly [sign: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => references[sign] ?? '');
}
