// Writes docs/limits.md of the code: each default of src/protocol/gaps with its comment, or with the docstring of the option
// that changes it, and what limits-elsewhere.mjs names of other files. `--write` writes the page; a test compares both.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript';
import { elsewhere } from './limits-elsewhere.mjs';
import { numbersOf } from './numbers-of.mjs';

const root = new URL('../', import.meta.url);
const page = new URL('docs/limits.md', root);
const gaps = new URL('src/protocol/gaps/', root);

/** The options, the interfaces that describe them, and how an operator changes one. */
const kinds = [
  {
    title: 'service',
    interfaces: { 'src/backend/service.ts': 'Sizes', 'src/backend/options.ts': 'BackendLimits' },
    change: (name) => `\`--limit ${name}\``,
  },
  {
    title: 'account',
    interfaces: { 'src/backend/quotas.ts': 'QuotaOptions' },
    change: (name) => `\`limits.quotas.${name}\` of the file`,
  },
  {
    title: 'port',
    interfaces: { 'src/backend/port-limits.ts': 'PortLimits' },
    change: (name) => (name === 'closeMs' ? '`limits.closeMs` of `serve()`' : `\`--limit ${name}\``),
  },
  {
    title: 'PostgreSQL',
    interfaces: { 'src/backend/stores/postgres/limits.ts': 'PostgresLimits' },
    change: (name) => `\`--limit ${name}\``,
  },
  {
    title: 'rate',
    interfaces: { 'src/backend/rates.ts': 'RateLimits' },
    change: (name) =>
      name === 'newGuestsPerAddressPerHour' ? '`--new-guests-per-address-per-hour`' : `\`--rate ${name}\``,
  },
];

/** The options whose defaults have another name, or stand among others. All others are found by their own name. */
const optionOf = {
  'sizes.valueBytes': 'valueBytes',
  'serviceSizes.requestBytes': 'requestBytes',
  'serviceSizes.mergeRequestBytes': 'mergeRequestBytes',
  'serviceSizes.headerBytes': 'headerBytes',
  'serviceSizes.unreadBytes': 'unreadBytes',
  'serviceSizes.arrivingBytes': 'arrivingBytes',
  'serviceSizes.pipelinedRequests': 'pipelined',
  'signingDefaults.maxNoncesPerGame': 'noncesPerGame',
  'webhookDefaults.eventsPerGame': 'webhookEventsPerGame',
  'providerDefaults.verifierMs': 'verifierMs',
  'providerDefaults.countryMs': 'countryMs',
  'providerDefaults.checksAtOnce': 'tokenChecksAtOnce',
  'providerDefaults.checksAtOncePerAddress': 'tokenChecksAtOncePerAddress',
  'accountDefaults.recentAuthenticationMs': 'recentAuthenticationMs',
  postgresConnections: 'maxConnections',
  'postgresTimeouts.connectMs': 'connectTimeoutMs',
  'postgresTimeouts.statementMs': 'statementTimeoutMs',
};
/** The one place that counts in the store, for all processes together; every other rate is in the memory of each. */
const countsInStore = readFileSync(new URL('src/backend/accounts/rate-limits.ts', root), 'utf8');

const byOwnName = /^(portTimeouts|portRoom|rateDefaults|quotaDefaults)\.(\w+)$/;

/** Options of `savepoint serve` that are no members of `limits`. */
const otherOptions = {
  'drainDefaults.noticeMs': { name: 'drain.noticeMs', change: '`--drain-notice`, in seconds' },
  'drainDefaults.maxMs': { name: 'drain.maxMs', change: '`--drain-limit`, in seconds' },
};

/** What is no limit of an option: `quotas` and `rates` hold theirs. */
const notAnOption = new Set(['quotas', 'rates']);

/** What bounds nothing: forms and algorithms, and the second name of a limit. */
const notALimit =
  /^(wire|versions\.|tokenDefaults\.status|passwordDefaults\.(scrypt|pbkdf2|saltBytes|hashBytes)|accountDefaults\.recoveryCodeBytes|codeDefaults\.supportCodeBytes|saveLimits\.|serviceSizes\.entriesPerCollection)/;

/** The page's text. Throws where a limit has no words, or an option no default. */
export async function limitsPage() {
  const options = optionsOfCode();
  const rows = (await limitsOfCode()).map((limit) => rowOf(limit, options));
  rows.push(...limitsElsewhere());
  const missing = [...options.keys()].filter((name) => !rows.some(({ option }) => option === name));
  if (missing.length > 0) throw new Error(`no default in src/protocol/gaps is that of ${missing.join(', ')}`);
  const silent = rows.filter(({ text }) => text === '').map(({ name }) => name);
  if (silent.length > 0) throw new Error(`no comment says what these bound: ${silent.join(', ')}`);
  rows.sort((one, other) => one.order - other.order);
  const lines = rows.map(
    ({ name, of, text, value, change }) =>
      `| \`${name}\` | ${of} | ${text.replaceAll('|', '\\|')} | ${value} | ${change} |`,
  );
  return `${head}\n${lines.join('\n')}\n`;
}

const head = `# Limits

<!-- Made of the code by \`node scripts/limits-page.mjs --write\`: change it there. -->

Every limit, its default, and how an operator changes it. A limit that is reached is answered with a code of its own, which
[the interface page](interface.md#codes-of-the-service) explains; where that is \`rate_limited\` or \`unavailable\`, its \`limitName\`
says which limit it was, in the body and in the log, by the name below. Times end in \`Ms\` and are in milliseconds, sizes end in
\`Bytes\`.

- \`--limit writeMs=20000\` of \`savepoint serve\`, as often as needed. In the environment it is
  \`SAVEPOINT_LIMITS=writeMs=20000,pipelined=16\`, in the file \`limits: { writeMs: 20_000 }\`.
- \`--rate readsPerAccount=3000/60\`: so many in so many seconds. In the environment it is \`SAVEPOINT_RATES\`, in the file
  \`limits: { rates: { readsPerAccount: { tries: 3_000, windowMs: 60_000 } } }\`. Rates are on in \`savepoint serve\`, and off
  in \`savepoint dev\` and \`createBackend\` unless asked for.
- \`--new-guests-per-address-per-hour\` is \`SAVEPOINT_NEW_GUESTS_PER_ADDRESS_PER_HOUR\`, \`--drain-notice\` is \`drain.noticeMs\`
  of the file, \`--drain-limit\` is \`drain.maxMs\`.

The command line goes before the environment, and that before the file. In a program of your own the first ones are
\`limits\` of \`createBackend\`, those of the port are \`limits\` of \`serve\`, and those of PostgreSQL are options of
\`createPostgresStore\`.

| limit | of | what it bounds | default | to change it |
|---|---|---|---|---|`;

/** Every number in the folder of defaults, with its comment. */
async function limitsOfCode() {
  const files = readdirSync(gaps).filter((file) => file !== 'units.ts');
  const contents = files.map((file) => `export * from './${file}';`).join('\n');
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(gaps), loader: 'ts' },
    bundle: true,
    format: 'esm',
    write: false,
  });
  const values = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  return files
    .flatMap((file) => commentsOf(new URL(file, gaps)))
    .map(({ path, comment }) => ({
      path,
      comment,
      value: path.split('.').reduce((value, name) => value[name], values),
    }))
    .filter(({ path, value }) => typeof value !== 'string' && !notALimit.test(path));
}

function commentsOf(file) {
  const found = [];
  for (const statement of sourceOf(file).statements) {
    if (!ts.isVariableStatement(statement)) continue;
    const [{ name, initializer }] = statement.declarationList.declarations;
    const object = ts.isAsExpression(initializer) ? initializer.expression : initializer;
    if (!ts.isObjectLiteralExpression(object) || isSpan(object)) {
      found.push({ path: name.text, comment: commentOf(statement) });
    } else {
      for (const property of object.properties) {
        found.push({ path: `${name.text}.${property.name.text}`, comment: commentOf(property) });
      }
    }
  }
  return found;
}

function isSpan({ properties }) {
  return properties.map(({ name }) => name.text).join() === 'min,max';
}

/** The rows of what stands beside its one use. */
function limitsElsewhere() {
  return elsewhere.flatMap(({ file, ...limits }) => {
    const numbers = new Map(numbersOf(file).map(({ name, value }) => [name, value]));
    return Object.entries(limits).map(([constant, [name, of, text]]) => {
      if (!numbers.has(constant)) throw new Error(`${file} has no number ${constant}`);
      const order = kinds.length + 1 + owners.indexOf(of);
      return { name, of, text, order, value: shown(numbers.get(constant), name), change: 'fixed' };
    });
  });
}

/** The options by their names: the kind of each, and what its docstring says. */
function optionsOfCode() {
  const found = new Map();
  kinds.forEach((kind, order) => {
    for (const [file, name] of Object.entries(kind.interfaces)) {
      const declared = sourceOf(new URL(file, root)).statements.find(
        (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === name,
      );
      for (const member of declared.members) {
        if (notAnOption.has(member.name.text)) continue;
        found.set(member.name.text, { kind, order, comment: commentOf(member) });
      }
    }
  });
  return found;
}

function rowOf({ path, comment, value }, options) {
  const name = path.split('.').at(-1);
  const option = optionOf[path] ?? byOwnName.exec(path)?.[2];
  const found = options.get(option);
  if (found !== undefined) {
    const { kind, order } = found;
    const [claim, claimed = ''] = /; ([^;.]*?) by default\b/.exec(found.comment) ?? [];
    if (!waysToSay(value).includes(claimed)) {
      throw new Error(`the docstring of ${option} says "${claimed}", and its default is ${JSON.stringify(value)}`);
    }
    const text = found.comment.replace(claim, '') + (kind.title === 'rate' ? sharing(option) : '');
    return {
      name: option,
      option,
      text,
      order,
      of: kind.title,
      value: shown(value, option),
      change: kind.change(option),
    };
  }
  const other = otherOptions[path];
  const order = kinds.length + (other === undefined ? 1 + owners.indexOf(ownerOf(path)) : 0);
  const row = { text: comment, order, of: ownerOf(path), value: shown(value, name) };
  return other === undefined ? { name, ...row, change: 'fixed' } : { ...row, ...other };
}

function sharing(rate) {
  if (rate === 'lockMaxMs') return '';
  return countsInStore.includes(rate) ? ' All processes count together.' : ' Each process counts by itself.';
}

const owners = ['service', 'port', 'PostgreSQL', 'SQLite', 'the SDKs'];

/** Whose limit it is that no option changes. */
function ownerOf(path) {
  if (/^postgres/.test(path)) return 'PostgreSQL';
  if (/^portTimeouts/.test(path)) return 'port';
  return /^(timeouts\.|refresh\w+$|tryMs|tries|callMs|retry\w+$)/.test(path) ? 'the SDKs' : 'service';
}

/** How a docstring may say a default. */
function waysToSay(value) {
  if (typeof value === 'number') {
    return [value.toLocaleString('en-US'), inWords(value, byteUnits), `${value / 60_000} minutes`];
  }
  const window = { 60000: 'a minute', 600000: 'ten minutes', 3600000: 'an hour', 86400000: 'a day' }[value.windowMs];
  return [`${value.tries.toLocaleString('en-US')} in ${window}`];
}

function shown(value, name) {
  if (typeof value === 'object') {
    return value.tries === undefined ? `${value.min} to ${value.max}` : `${value.tries}/${value.windowMs / 1000}`;
  }
  const said = /ms$/i.test(name) ? inWords(value, times) : /Bytes$/.test(name) ? inWords(value, byteUnits) : null;
  return said === null ? String(value) : `${value} (${said})`;
}

const times = [
  ['days', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];
const byteUnits = [
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
];

function inWords(value, units) {
  const fitting = units.find(([, size]) => value >= size && value % size === 0);
  return fitting === undefined ? null : `${value / fitting[1]} ${fitting[0]}`;
}

function sourceOf(file) {
  return ts.createSourceFile(fileURLToPath(file), readFileSync(file, 'utf8'), ts.ScriptTarget.ESNext, true);
}

/** In one line, without the tags behind it. */
function commentOf(node) {
  const comment = ts.getTextOfJSDocComment(node.jsDoc?.at(-1)?.comment) ?? '';
  return comment.replace(/\s+/g, ' ').trim();
}

if (process.argv.includes('--write')) writeFileSync(page, await limitsPage());
