import { fences } from '../support/markdown.js';

interface Example {
  readonly name: string;
  readonly text: string;
  readonly extension: 'ts' | 'tsx';
}

/** From where a reader of a file's docstrings imports what the file is about. */
const entries: readonly (readonly [folder: string, entry: string])[] = [
  ['src/react/', 'savepoint/react'],
  ['src/svelte/', 'savepoint/svelte'],
  ['src/vue/', 'savepoint/vue'],
  ['src/server/', 'savepoint/server'],
  ['src/elements/', 'savepoint/elements'],
  ['src/', 'savepoint'],
];

/** What an example of any of them may call; each is imported from the entry of its file, or the one that alone has it. */
const importable: { readonly [entry: string]: readonly string[] } = {
  'savepoint/react': ['useSave', 'useConflict', 'SavepointProvider'],
  'savepoint/svelte': ['useSave', 'setClient'],
  'savepoint/vue': ['useSave', 'savepoint'],
  'savepoint/server': ['createServerClient', 'createAdminClient', 'signRequest', 'verifyRequest', 'environments'],
  react: ['useSyncExternalStore'],
  'react-dom/client': ['createRoot'],
  vue: ['createApp'],
  zod: ['z'],
  savepoint: [
    ...['createClient', 'Main', 'Auth', 'Profile', 'Events', 'isFailure', 'isSdkError', 'highestProgress'],
    ...['longestPlaytime', 'type FieldMerge', 'type FieldRules'],
  ],
};

/** What is looked for after the entry of the file itself. */
const elsewhere = ['savepoint', 'react', 'react-dom/client', 'vue', 'zod'];

/** The fenced TypeScript in the docstrings of a file, as a reader takes it over: with the imports that it leaves out. */
export function examplesOf(path: string, source: string): Example[] {
  const docstrings = [...source.matchAll(/\/\*\*[\s\S]*?\*\//g)];
  return docstrings.flatMap(({ 0: docstring, index }) => {
    const first = source.slice(0, index).split('\n').length;
    return fences(docstring.replaceAll(/^ *\* ?/gm, ''))
      .filter(({ language }) => language === 'ts' || language === 'tsx')
      .map(({ code, language, line }) => ({
        name: `${path}:${first + line - 1}`,
        text: withImports(path, code),
        extension: language as 'ts' | 'tsx',
      }));
  });
}

/** Imports stand in the first line, so that a problem's line is that of the example; a \`return\` stands in a function. */
function withImports(path: string, code: string): string {
  const [, own = ''] = entries.find(([folder]) => path.startsWith(folder)) ?? [];
  const taken = new Set<string>();
  const imports = [own, ...elsewhere].flatMap((entry) => {
    const names = (importable[entry] ?? []).filter((name) => {
      const word = name.replace('type ', '');
      const isUsed =
        new RegExp(`(?<![.\\w'/])${word}\\b(?!['-])`).test(code) && !isDeclared(code, word) && !taken.has(word);
      if (isUsed) taken.add(word);
      return isUsed;
    });
    return names.length === 0 ? [] : [`import { ${names.join(', ')} } from '${entry}';`];
  });
  const body = /^ *(if .*)?return /m.test(code) ? `export async function example() { ${code} }` : `${code}\nexport {};`;
  return `${imports.join(' ')} ${body}`;
}

function isDeclared(code: string, name: string): boolean {
  return new RegExp(`(const|let|import \\{[^}]*)\\s*\\b${name}\\b`).test(code);
}

/** What the docstrings take for granted besides: a game's own save, its functions, and what its back end has at hand. */
export const docstringNames = `
  interface Save { coins: number }
  declare const gameId: string;
  declare const environment: 2;
  declare const baseUrl: string;
  declare const authUrl: string;
  declare const element: HTMLElement;
  declare const ip: string;
  declare const privateKey: string;
  declare const key: string;
  declare const error: unknown;
  declare const userId: string;
  declare const admin: import('savepoint/server').AdminClient;
  declare const server: import('savepoint/server').ServerClient;
  declare const nonces: { claim(nonce: string, until: number): Promise<boolean> };
  declare const request: Request & { body: { deviceId: string }; ip: string };
  declare const response: { json(answer: object): void };
  declare const session: { playerId: string };
  declare const order: { id: string; coins: number };
  declare const player: Awaited<ReturnType<import('savepoint/server').ServerClient['authenticate']>>;
  declare const props: { slot: string };
  declare function Game(): import('react').ReactElement;
  declare function askCode(): Promise<string>;
  declare function askPassword(): Promise<string>;
  declare function showBadge(status: string): void;
  declare function wait(ms: number): Promise<void>;
`;
