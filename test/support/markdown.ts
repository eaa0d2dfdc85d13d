/** The code blocks of a Markdown text that are marked as one language, each exactly as it stands. */
export function codeBlocks(text: string, language: string): string[] {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, marked]) => marked === language)
    .map(([, , code = '']) => code);
}
