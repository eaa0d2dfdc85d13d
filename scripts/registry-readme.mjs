// The page of a package registry has no files beside it: what README.md links to and shows gets its address at a package CDN, of the
// version that is packed. npm runs this before it packs, and `--restore` after it.
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);
const readme = new URL('README.md', root);
const kept = new URL('.cache/README.md', root);

/**
 * README.md with absolute links and pictures. What stands in code stays as it is.
 *
 * @param {string} text
 * @param {string} version
 */
export function forRegistry(text, version) {
  const files = `https://unpkg.com/savepoint@${version}/`;
  return text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(/(\]\()(?![a-z][a-z\d+.-]*:|#)([^)\s]+)/g, (_, open, path) => open + files + addressOf(path)),
    )
    .join('');
}

/** Of a folder, the CDN lists what is in it where its address ends as a folder's. */
function addressOf(path) {
  const isFolder = statSync(new URL(path, root), { throwIfNoEntry: false })?.isDirectory();
  return isFolder && !path.endsWith('/') ? `${path}/` : path;
}

function replace() {
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  // A run that was cut off has left the original there.
  if (!existsSync(kept)) {
    mkdirSync(new URL('.', kept), { recursive: true });
    writeFileSync(kept, readFileSync(readme));
  }
  writeFileSync(readme, forRegistry(readFileSync(kept, 'utf8'), version));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!process.argv.includes('--restore')) replace();
  else if (existsSync(kept)) renameSync(kept, readme);
}
