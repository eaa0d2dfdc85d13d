// Makes the documentation site in site/dist: the reference from the docstrings, then the pages, then a look at every link in them.
// `--serve` shows it afterwards, `--dev` shows the pages while they are written.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application, LogLevel } from 'typedoc';
import { load as writeMarkdown } from 'typedoc-plugin-markdown';
import { build, createServer, serve } from 'vitepress';
import { brokenPlaces } from './site-links.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const site = join(root, 'site');
const reference = join(site, 'reference');

await writeReference();
if (process.argv.includes('--dev')) {
  const server = await createServer(site);
  await server.listen();
  server.printUrls();
} else {
  // A link to a page that is not there fails here.
  await build(site);
  const broken = brokenPlaces(join(site, 'dist'));
  for (const line of broken) console.error(line);
  if (broken.length > 0) process.exit(1);
  if (process.argv.includes('--serve')) await serve({ root: site });
}

/** A page for every name that package.json exports, in Markdown beside the others. */
async function writeReference() {
  rmSync(reference, { recursive: true, force: true });
  const app = await Application.bootstrapWithPlugins({
    name: 'Every public name',
    // The plugin's own folder, and TypeDoc's: by default that is docs/, which it would empty.
    outputs: [{ name: 'markdown', path: reference }],
    out: reference,
    cleanOutputDir: false,
    entryPoints: sourcesOfExports(),
    tsconfig: join(root, 'tsconfig.json'),
    plugin: [writeMarkdown],
    readme: 'none',
    disableSources: true,
    excludeInternal: true,
    excludePrivate: true,
    logLevel: LogLevel.Error,
    skipErrorChecking: true, // `npm run typecheck` has looked
    router: 'module',
    entryFileName: 'index',
    hideBreadcrumbs: true,
    hidePageHeader: true,
    sanitizeComments: true,
    groupOrder: ['Variables', 'Functions', 'Classes', '*'],
    useHTMLEncodedBrackets: true,
    parametersFormat: 'table',
    propertiesFormat: 'table',
    interfacePropertiesFormat: 'table',
    typeAliasPropertiesFormat: 'table',
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('the reference could not be made');
  for (const module of project.children ?? []) module.name = importedAs(module.name);
  await app.generateOutputs(project);
  for (const name of readdirSync(reference, { recursive: true }).filter((path) => path.endsWith('.md'))) {
    const file = join(reference, name);
    writeFileSync(file, withLinks(readFileSync(file, 'utf8')));
  }
}

/** Docstrings name pages of docs/ by their path, which is a link here. */
function withLinks(text) {
  return text.replace(
    /(?<![\w/(`])docs\/([\w/-]+\.md)(#[\w-]+)?/g,
    (path, page, place = '') => `[${path}](/${page}${place})`,
  );
}

/** What a module is imported by: TypeDoc names it by its file. */
function importedAs(name) {
  return name === 'index' ? 'savepoint' : `savepoint/${name}`;
}

/** The source of each entry of package.json that has types. */
function sourcesOfExports() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.values(exports)
    .flatMap(({ types }) => (types === undefined ? [] : [types.replace('./dist/', 'src/').replace(/\.d\.ts$/, '')]))
    .map((path) => ['.ts', '.tsx'].map((ending) => join(root, path + ending)).find((file) => existsSync(file)))
    .filter((file) => file !== undefined);
}
