import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const entries = [
  'src/index.ts',
  'src/server/index.ts',
  'src/backend/index.ts',
  'src/backend/msw.ts',
  'src/backend/node.ts',
  'src/backend/sqlite.ts',
  'src/backend/postgres.ts',
  'src/backend/platforms/index.ts',
  'src/react/index.ts',
  'src/svelte/index.ts',
  'src/vue/index.ts',
  'src/elements/index.ts',
  'src/elements/texts/index.ts',
];

const madeUp = 'src/made-up.ts';
const madeUpText = `
  /** What a call takes. */
  export interface Options {
    /** A documented member. */
    documented: Nested;
    bare: string;
    /** @see docs/interface.md */
    onlyATag?: Date;
    /** @internal */
    hidden: Hidden;
  }
  interface Hidden { unseen: string }
  interface Nested {
    /** A documented method. */
    ask(parameter: Parameter): Promise<readonly Answer[]>;
  }
  interface Parameter { given: string }
  type Answer = { success: true } | Failed;
  interface Failed {
    /** Why it failed. */
    error: Map<string, { inMap: number }>;
  }

  /** A part of another type. */
  export type Part = Pick<Options, 'documented'> & { more: number };
  /** A type whose members have other names than where they are documented. */
  export type Renamed = { [Name in keyof Failed as Capitalize<Name>]: Failed[Name] };
  /** An object of the package. */
  export const object = {
    /** A documented member. */
    documented: 1,
    plain: 2,
  };
  /** A class of the package. */
  export class Shape {
    private secret = 1;
    side = this.secret;
    static of(options: { size: number }): Shape { return new Shape(options.size); }
    constructor(readonly size: number) {}
  }
  export function undocumented(): void {}
  /** Gives one of the package. */
  export const documented = <Kind extends { kind: string }>(kind: Kind): Kind => kind;
`;

/** All entries, with the made-up file beside them, in one program. */
function createProgram(): ts.Program {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile) as { config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...how) =>
    name === join(root, madeUp) ? ts.createSourceFile(name, madeUpText, how[0], true) : getSourceFile(name, ...how);
  return ts.createProgram(
    [...entries, madeUp].map((path) => join(root, path)),
    options,
    host,
  );
}

/** Lists what an entry exports, and every member that can be reached from there, where an editor shows no sentence. */
function findUndocumented(program: ts.Program, entry: string): string[] {
  const checker = program.getTypeChecker();
  const missing = new Set<string>();
  const seen = new Set<ts.Type>();
  const source = program.getSourceFile(join(root, entry));
  const module = source && checker.getSymbolAtLocation(source);
  if (source === undefined || module === undefined) throw new Error(`${entry} is no module`);
  const here: ts.SourceFile = source;

  for (const exported of checker.getExportsOfModule(module)) {
    const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
    const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
    if (!isOurs(symbol)) continue;
    checkSymbol(symbol, exported.name);
    if ((symbol.flags & ts.SymbolFlags.Type) !== 0) visit(checker.getDeclaredTypeOfSymbol(symbol), exported.name);
    if ((symbol.flags & ts.SymbolFlags.Value) !== 0) visit(checker.getTypeOfSymbol(symbol), exported.name);
  }
  return [...missing].sort();

  function visit(type: ts.Type, name: string): void {
    if (seen.has(type)) return;
    seen.add(type);
    if ((type.flags & ts.TypeFlags.Object) !== 0) visitObject(type as ts.ObjectType, name);
    else if (type.isUnionOrIntersection()) {
      for (const part of type.types) visit(part, name);
    } else {
      const constraint = checker.getBaseConstraintOfType(type);
      if (constraint !== undefined) visit(constraint, name);
    }
  }

  function visitObject(type: ts.ObjectType, name: string): void {
    if ((type.objectFlags & ts.ObjectFlags.Reference) !== 0) {
      const reference = type as ts.TypeReference;
      for (const argument of checker.getTypeArguments(reference)) visit(argument, name);
      if (reference.target !== type) {
        visit(reference.target, name);
        return;
      }
    }
    // Mapped types such as Pick are declared elsewhere, but show members of ours.
    const isMapped = (type.objectFlags & ts.ObjectFlags.Mapped) !== 0;
    if (!isMapped && !isOurs(type.symbol)) return;
    const owner =
      (type.symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface)) === 0 ? name : type.symbol.name;
    for (const member of checker.getPropertiesOfType(type)) visitMember(member, `${owner}.${member.name}`);
    for (const { type: indexed } of checker.getIndexInfosOfType(type)) visit(indexed, owner);
    for (const kind of [ts.SignatureKind.Call, ts.SignatureKind.Construct]) {
      for (const signature of checker.getSignaturesOfType(type, kind)) visitSignature(signature, owner);
    }
  }

  function visitSignature(signature: ts.Signature, name: string): void {
    visit(signature.getReturnType(), name);
    for (const parameter of signature.parameters) visit(checker.getTypeOfSymbolAtLocation(parameter, here), name);
  }

  function visitMember(member: ts.Symbol, name: string): void {
    const declarations = member.declarations ?? [];
    const isSynthetic = declarations.length === 0;
    const isPrivate = declarations.some(
      (one) => (ts.getCombinedModifierFlags(one) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) !== 0,
    );
    const isPrototype = (member.flags & ts.SymbolFlags.Prototype) !== 0;
    if (isPrivate || isPrototype || member.name.startsWith('__') || !(isSynthetic || isOurs(member))) return;
    if (checkSymbol(member, name)) visit(checker.getTypeOfSymbolAtLocation(member, here), name);
  }

  /** Notes a name without a sentence; false for what is tagged as internal, and so for nobody to see. */
  function checkSymbol(symbol: ts.Symbol, name: string): boolean {
    if (symbol.getJsDocTags(checker).some((tag) => tag.name === 'internal')) return false;
    const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
    if (!/\p{L}\S*\s+\S/u.test(text)) missing.add(`${placeOf(symbol)}: ${name}`);
    return true;
  }

  function placeOf(symbol: ts.Symbol): string {
    const declared = symbol.declarations?.[0]?.getSourceFile().fileName;
    return declared === undefined ? entry : relative(root, declared);
  }

  function isOurs(symbol: ts.Symbol | undefined): boolean {
    const ours = join(root, 'src/');
    return symbol?.declarations?.some((one) => one.getSourceFile().fileName.startsWith(ours)) ?? false;
  }
}

describe('an editor shows a sentence', () => {
  let program: ts.Program;

  beforeAll(() => {
    program = createProgram();
  }, 120_000);

  it.each(entries)('for every name of %s and its members', { timeout: 120_000 }, (entry) => {
    expect(findUndocumented(program, entry)).toEqual([]);
  });

  it('or the name is found', { timeout: 120_000 }, () => {
    expect(findUndocumented(program, madeUp).map((line) => line.replace(`${madeUp}: `, ''))).toEqual([
      'Failed.error.inMap',
      'Nested.ask.success',
      'Options.bare',
      'Options.onlyATag',
      'Parameter.given',
      'Part.more',
      'Renamed.Error',
      'Shape.of',
      'Shape.of.size',
      'Shape.side',
      'Shape.size',
      'documented.kind',
      'object.plain',
      'undocumented',
    ]);
  });
});
