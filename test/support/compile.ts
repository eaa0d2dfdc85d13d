import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A text that the compiler takes for a file of this repository. */
export interface Written {
  /** How a problem names it, such as `README.md line 12`. */
  readonly name: string;
  readonly text: string;
  /** `ts` by default; a `tsx` is React's. */
  readonly extension?: 'ts' | 'tsx';
}

/** What the compiler says about these texts, each a module of its own, all in one program; `globals` are names that all of them know. */
export function problemsOf(
  texts: readonly Written[],
  { globals = '', options = {} as ts.CompilerOptions } = {},
): string[] {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const own = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, root, {}, `${root}tsconfig.json`);
  const files = new Map(
    texts.map(({ name, text, extension = 'ts' }, index) => [`${root}block-${index + 1}.${extension}`, { name, text }]),
  );
  files.set(`${root}globals.d.ts`, { name: 'globals', text: globals });
  const all: ts.CompilerOptions = {
    ...own.options,
    moduleDetection: ts.ModuleDetectionKind.Force,
    jsxImportSource: 'react',
    ...options,
  };
  const host = ts.createCompilerHost(all);
  const onDisk = { fileExists: host.fileExists, readFile: host.readFile };
  host.fileExists = (path) => files.has(path) || onDisk.fileExists(path);
  host.readFile = (path) => files.get(path)?.text ?? onDisk.readFile(path);
  const program = ts.createProgram([...files.keys()], all, host);
  return [...files].flatMap(([path, { name }]) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(path)).map(({ file, start = 0, messageText }) => {
      const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      return `${name}, line ${line} of the block: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    }),
  );
}
