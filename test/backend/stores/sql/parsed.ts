import { loadModule, parseSync } from 'libpg-query';

/** A node of a parsed statement. What is in it depends on its kind, as PostgreSQL's own parser says. */
export type Fields = { readonly [field: string]: unknown };
export interface Node {
  kind: string;
  fields: Fields;
}

/** PostgreSQL's own parser, as WebAssembly. */
export const readyToParse: () => Promise<void> = loadModule;

/** The statements of a text, without the name of a schema before a table. */
export function parsed(text: string): Node[] {
  return (parseSync(text).stmts ?? []).map(({ stmt }) => nodeOf(stmt) ?? { kind: 'Empty', fields: {} });
}

/** These stand in their fields without their kind around them. */
const bareKinds: { readonly [field: string]: string } = {
  relation: 'RangeVar',
  withClause: 'WithClause',
  onConflictClause: 'OnConflictClause',
  infer: 'InferClause',
  typeName: 'TypeName',
  larg: 'SelectStmt',
  rarg: 'SelectStmt',
};

function nodeOf(value: unknown, field = ''): Node | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const [[kind, fields] = [], ...more] = Object.entries(value);
  if (kind !== undefined && more.length === 0 && /^[A-Z]/.test(kind)) return { kind, fields: fields as Fields };
  const bare = bareKinds[field];
  return bare === undefined ? null : { kind: bare, fields: value as Fields };
}

/** The nodes that a field holds: one, or a list. */
export function nodesIn(fields: Fields, field: string): Node[] {
  const value = fields[field];
  return (Array.isArray(value) ? value : [value]).flatMap((one) => nodeOf(one, field) ?? []);
}

/** The nodes right below a node, whatever field they are in. */
export function below(node: Node): Node[] {
  return Object.keys(node.fields).flatMap((field) => nodesIn(node.fields, field));
}

/** A node and all below it. */
export function* all(node: Node): Generator<Node> {
  yield node;
  for (const one of below(node)) yield* all(one);
}

export function textIn(fields: Fields, field: string): string {
  const value = fields[field];
  return typeof value === 'string' ? value : '';
}

/** A list of names, such as a column's with its table's before it, or a function's with its schema's. */
export function namesIn(fields: Fields, field: string): string[] {
  return nodesIn(fields, field).map((one) => (one.kind === 'String' ? textIn(one.fields, 'sval') : '*'));
}

/** The conditions that all must hold. */
export function conjuncts(condition: Node): Node[] {
  const isAnd = condition.kind === 'BoolExpr' && condition.fields['boolop'] === 'AND_EXPR';
  return isAnd ? nodesIn(condition.fields, 'args').flatMap(conjuncts) : [condition];
}
