import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The code blocks of a Markdown text that are marked as one language, each exactly as it stands. */
export function codeBlocks(text: string, language: string): string[] {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, marked]) => marked === language)
    .map(([, , code = '']) => code);
}

/** What these files below a folder link to, or show, that is not there: `README.md -> docs/none.md`. */
export function brokenLinks(folder: string, paths: readonly string[]): string[] {
  return paths.flatMap((path) =>
    linksOf(readFileSync(join(folder, path), 'utf8'))
      .filter((link) => !leadsSomewhere(folder, path, link))
      .map((link) => `${path} -> ${link}`),
  );
}

/** The links and pictures of a text that are no addresses of elsewhere. */
export function linksOf(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
  const forms = [
    /\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g,
    /^\s*\[[^\]]+\]:\s*<?([^\s>]+)/gm,
    /\b(?:href|src)="([^"]+)"/g,
  ];
  return forms
    .flatMap((form) => [...prose.matchAll(form)].map(([, link = '']) => link))
    .filter((link) => !/^([a-z][a-z\d+.-]*:|\/\/)/i.test(link));
}

function leadsSomewhere(folder: string, path: string, link: string): boolean {
  const [file = '', anchor] = decodeURI(link).split('#');
  const target = file === '' ? join(folder, path) : join(folder, dirname(path), file);
  const isOutside = relative(folder, target).startsWith('..');
  if (isOutside || !existsSync(target)) return false;
  return anchor === undefined || (statSync(target).isFile() && anchorsOf(readFileSync(target, 'utf8')).has(anchor));
}

/** The headings as the hosts of repositories name them, and the anchors that are written out. */
function anchorsOf(text: string): Set<string> {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '');
  const found = new Set([...prose.matchAll(/\b(?:id|name)="([^"]+)"/g)].map(([, name = '']) => name));
  for (const [, heading = ''] of prose.matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const slug = heading
      .replace(/<[^>]*>|\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let name = slug;
    for (let count = 1; found.has(name); count += 1) name = `${slug}-${count}`;
    found.add(name);
  }
  return found;
}
