import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const planted = join(root, 'src', 'planted.ts');

/** A file that throws codes in each of the forms in which a code can be thrown. */
const plantedText = `
  import { SdkError, StateError } from './errors.js';
  import { Refusal } from './backend/refusal.js';
  class OwnError extends StateError {
    constructor(isLate: boolean) { super(isLate ? 'planted_late' : 'planted_early', ''); }
  }
  const constant = 'planted_constant';
  function forward(message: string, code: string) { return new SdkError(code, message); }
  const forwardAgain = (code: string) => forward('', code);
  declare const word: string;
  throw new SdkError('planted_literal' as never, '');
  throw new Refusal(word ?? 'planted_default');
  throw new StateError(constant, '');
  throw forward('no_code', 'planted_forwarded');
  throw forwardAgain('planted_forwarded_twice');
`;

const program = srcProgram();
const checker = program.getTypeChecker();
const files = program.getSourceFiles().filter(({ fileName }) => fileName !== planted && !isOfPackage(fileName));

function isOfPackage(fileName: string): boolean {
  return fileName.includes('/node_modules/');
}

/** All of src with the planted file, without the packages: no code comes from them. */
function srcProgram(): ts.Program {
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    { ...ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config, include: ['src'] },
    ts.sys,
    root,
  );
  const withoutPackages: ts.CompilerOptions = { ...options, lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'], types: [] };
  const host = ts.createCompilerHost(withoutPackages);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === planted || (!isOfPackage(name) && fileExists(name));
  host.getSourceFile = (name, ...how) =>
    name === planted ? ts.createSourceFile(name, plantedText, how[0], true) : getSourceFile(name, ...how);
  return ts.createProgram([...fileNames, planted], withoutPackages, host);
}

/** The members of the union `ErrorCode` that an entry exports. */
function unionOf(entry: string): string[] {
  const module = checker.getSymbolAtLocation(program.getSourceFile(join(root, entry)) as ts.SourceFile) as ts.Symbol;
  const exported = checker.getExportsOfModule(module).find(({ name }) => name === 'ErrorCode') as ts.Symbol;
  return literalsOf(checker.getDeclaredTypeOfSymbol(checker.getAliasedSymbol(exported))) ?? [];
}

/** The texts that a type consists of; null where it holds more than literal texts. */
function literalsOf(type: ts.Type): string[] | null {
  const parts = type.isUnion() ? type.types : [type];
  return parts.every((part) => part.isStringLiteral()) ? parts.map(({ value }) => String(value)).sort() : null;
}

interface Found {
  /** Every code that is thrown, once. */
  readonly codes: readonly string[];
  /** Expressions that stand for a code and cannot be followed to texts, nor are bound to the union by their type. */
  readonly unknown: readonly string[];
}

/** Finds the codes that are given to the errors of the package, and to functions that hand them on. */
function thrownIn(sources: readonly ts.SourceFile[]): Found {
  const codes = new Set<string>();
  const unknown = new Set<string>();
  const errorClasses = classesOfErrors(sources);
  const forwarders = new Map<ts.Symbol, number>();
  const calls: { callee: ts.Symbol; given: readonly ts.Expression[] }[] = [];

  for (const source of sources) visit(source);
  // Each forwarder may be called by another one, which is added to the map meanwhile.
  for (const [forwarder, position] of forwarders) {
    for (const { callee, given } of calls) {
      const code = given[position];
      if (callee === forwarder && code !== undefined) follow(code);
    }
  }
  return { codes: [...codes].sort(), unknown: [...unknown].sort() };

  function visit(node: ts.Node): void {
    if (ts.isNewExpression(node) && errorClasses.has(node.expression.getText())) {
      if (node.arguments?.[0] !== undefined) follow(node.arguments[0]);
    } else if (ts.isCallExpression(node)) {
      const [first] = node.arguments;
      if (node.expression.kind !== ts.SyntaxKind.SuperKeyword) {
        const callee = symbolOf(node.expression);
        if (callee !== undefined) calls.push({ callee, given: node.arguments });
      } else if (first !== undefined && errorClasses.has(parentOfClassAround(node))) follow(first);
    }
    ts.forEachChild(node, visit);
  }

  function follow(code: ts.Expression): void {
    if (ts.isStringLiteralLike(code)) codes.add(code.text);
    // What the service says is bound to the union by an assertion: it may be a newer service's word.
    else if (ts.isAsExpression(code) && ts.isPropertyAccessExpression(code.expression)) followType(code);
    else if (ts.isParenthesizedExpression(code) || ts.isAsExpression(code) || ts.isSatisfiesExpression(code)) {
      follow(code.expression);
    } else if (ts.isConditionalExpression(code)) {
      follow(code.whenTrue);
      follow(code.whenFalse);
    } else if (ts.isBinaryExpression(code)) {
      follow(code.left);
      follow(code.right);
    } else if (ts.isObjectLiteralExpression(code)) {
      for (const member of code.properties) {
        if (ts.isPropertyAssignment(member) && member.name.getText() === 'code') follow(member.initializer);
      }
    } else if (ts.isIdentifier(code)) followName(code);
    else followType(code);
  }

  function followName(code: ts.Identifier): void {
    const declaration = symbolOf(code)?.valueDeclaration;
    if (declaration !== undefined && ts.isVariableDeclaration(declaration) && declaration.initializer !== undefined) {
      follow(declaration.initializer);
    } else if (declaration !== undefined && ts.isParameter(declaration) && ts.isIdentifier(declaration.name)) {
      const owner = declaration.parent;
      // What a constructor is given is found where the class is made.
      if (ts.isConstructorDeclaration(owner)) return;
      const name = ts.isArrowFunction(owner) && ts.isVariableDeclaration(owner.parent) ? owner.parent.name : owner.name;
      const forwarder = name && checker.getSymbolAtLocation(name);
      if (forwarder === undefined) followType(code);
      else forwarders.set(forwarder, owner.parameters.indexOf(declaration));
    } else followType(code);
  }

  /** Whatever is bound to the table of failures by its type is refused somewhere by its name too. */
  function followType(code: ts.Expression): void {
    const type = checker.getNonNullableType(checker.getTypeAtLocation(code));
    const isNumber = (type.flags & ts.TypeFlags.NumberLike) !== 0;
    if (!isNumber && literalsOf(type) === null) unknown.add(code.getText());
  }
}

/** The names of the classes that carry a code: the two bases, and whatever extends them. */
function classesOfErrors(sources: readonly ts.SourceFile[]): Set<string> {
  const names = new Set(['BaseError', 'SdkError', 'Refusal']);
  const parents = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    if (ts.isClassDeclaration(node) && node.name !== undefined) {
      const parent = parentOf(node);
      if (parent !== undefined) parents.set(node.name.text, parent);
    }
    ts.forEachChild(node, visit);
  };
  for (const source of sources) visit(source);
  const extendsOne = (name: string | undefined): boolean =>
    name !== undefined && (names.has(name) || extendsOne(parents.get(name)));
  return new Set([...names, ...[...parents.keys()].filter(extendsOne)]);
}

/** The name of the class that the class around a node extends; empty where there is none. */
function parentOfClassAround(node: ts.Node): string {
  const around = ts.findAncestor(node, ts.isClassDeclaration);
  return around === undefined ? '' : (parentOf(around) ?? '');
}

function parentOf({ heritageClauses }: ts.ClassDeclaration): string | undefined {
  const clause = heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword);
  return clause?.types[0]?.expression.getText();
}

function symbolOf(node: ts.Node): ts.Symbol | undefined {
  const symbol = checker.getSymbolAtLocation(node);
  return symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0
    ? checker.getAliasedSymbol(symbol)
    : symbol;
}

describe('the union of error codes', () => {
  it('holds every code that is thrown in src, and no other', () => {
    expect(thrownIn(files).codes).toEqual(unionOf('src/index.ts'));
  });

  it('is the same for a page and for a back end', () => {
    expect(unionOf('src/server/index.ts')).toEqual(unionOf('src/index.ts'));
  });

  it('is what docs/interface.md lists', () => {
    const page = readFileSync(join(root, 'docs/interface.md'), 'utf8');
    const section = page.slice(page.indexOf('### Codes of the service'), page.indexOf('## Limits'));
    const listed = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);
    expect([...new Set(listed)].sort()).toEqual(unionOf('src/index.ts'));
  });

  it('binds every code that is not written where it is thrown', () => {
    expect(thrownIn(files).unknown).toEqual([]);
  });
});

describe('a planted code is found', () => {
  const found = thrownIn([...files, program.getSourceFile(planted) as ts.SourceFile]);
  const union = unionOf('src/index.ts');

  it.each([
    'planted_constant',
    'planted_default',
    'planted_early',
    'planted_forwarded',
    'planted_forwarded_twice',
    'planted_late',
    'planted_literal',
  ])('%s', (code) => {
    expect(found.codes).toContain(code);
    expect(union).not.toContain(code);
  });

  it('and nothing that is no code', () => {
    expect(found.codes.filter((code) => !union.includes(code) && !code.startsWith('planted_'))).toEqual([]);
  });

  it('where nothing binds it', () => {
    expect(found.unknown).toEqual(['word']);
  });
});
