// Writes docs/errors.md: every code with its status, its cause and the way out, as the code has them. `--write` writes the page;
// a test compares both.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = new URL('../', import.meta.url);
const page = new URL('docs/errors.md', root);

/** The page's text. */
export async function errorsPage() {
  const { errorGuide, failures } = await tables();
  const codes = Object.keys(errorGuide).sort();
  const sections = codes.map((code) => sectionOf(code, errorGuide[code], failures[code]));
  return `${head}\n${codes.map((code) => `[\`${code}\`](#${code})`).join(' · ')}\n\n${sections.join('\n')}`;
}

const head = `# Error codes

<!-- Made of the code by \`node scripts/errors-page.mjs --write\`: change it in src/error-guide.ts. -->

Every code that an error of this package can have: what has happened, and what to do. Decide by \`error.code\`;
\`error.help\` is the address of the section below. \`switch (error.code)\` narrows the error to the fields that belong to the code.
A status is that of the service's answer; where there is none, the SDK found out by itself.

A newer service may answer a code that is not here. It is in \`error.code\` as it came, so give a \`switch\` a \`default\`.
\`error.retryable\` says whether the same call may succeed later.
`;

function sectionOf(code, { cause, wayOut }, failure) {
  const status = failure === undefined ? '' : `Status ${failure.status}. `;
  return `## \`${code}\`\n\n${status}${cause}\n\n**Way out.** ${wayOut}\n`;
}

/** The two tables of the source: neither is in what is published. */
async function tables() {
  const contents = "export * from './src/error-guide.ts'; export * from './src/protocol/failures.ts';";
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(root), loader: 'ts' },
    bundle: true,
    format: 'esm',
    write: false,
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

if (process.argv.includes('--write')) writeFileSync(page, await errorsPage());
