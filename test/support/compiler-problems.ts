import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What the compiler says about each of these texts, which it takes for files of this repository; a `tsx` is React's. */
export function compilerProblems(texts: readonly string[], extension: 'ts' | 'tsx' = 'ts'): string[] {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, root, {}, `${root}tsconfig.json`);
  options.jsxImportSource = 'react';
  const files = new Map(texts.map((text, index) => [`${root}block-${index + 1}.${extension}`, text]));
  const host = ts.createCompilerHost(options);
  const onDisk = { fileExists: host.fileExists, readFile: host.readFile };
  host.fileExists = (path) => files.has(path) || onDisk.fileExists(path);
  host.readFile = (path) => files.get(path) ?? onDisk.readFile(path);
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files.keys()].flatMap((path) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(path)).map(({ file, start = 0, messageText }) => {
      const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      return `${path.slice(root.length)}, line ${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    }),
  );
}
