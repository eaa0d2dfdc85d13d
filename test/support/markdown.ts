/** A fenced block of a Markdown text. */
export interface Fence {
  /** The first word behind the fence, such as `ts`; '' where there is none. */
  readonly language: string;
  /** What stands in it, without the indentation of the fence. */
  readonly code: string;
  /** The line of the opening fence, counted from 1. */
  readonly line: number;
  /** Why this is not checked with the others: the comment `<!-- not checked: … -->` or `<!-- checked by: … -->` right above it, or null. */
  readonly excuse: string | null;
}

/** Every fenced block, also one inside a list. */
export function fences(text: string): Fence[] {
  const found: Fence[] = [];
  for (const match of text.matchAll(/^( *)(```+)([\w-]*)[^\n]*\n([\s\S]*?)^\1\2$/gm)) {
    const [, indentation = '', , language = '', body = ''] = match;
    const before = text.slice(0, match.index).trimEnd();
    found.push({
      language,
      code: body.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
      line: text.slice(0, match.index).split('\n').length,
      excuse: /<!-- (?:not checked|checked by): (\S[^>]*?) -->$/.exec(before)?.[1] ?? null,
    });
  }
  return found;
}

/** The code blocks of a Markdown text that are marked as one language, each exactly as it stands. */
export function codeBlocks(text: string, language: string): string[] {
  return fences(text)
    .filter((fence) => fence.language === language)
    .map(({ code }) => code);
}
