import { conjuncts, type Fields, type Node, namesIn, nodesIn, textIn } from './parsed.js';

/**
 * By which column each table is spread over machines: as docs/scaling.md says it. Tables of one column lie together if they are
 * spread by `account_id`, or both by `link_hash`; no others do.
 */
export const shardColumns: { readonly [table: string]: string } = {
  accounts: 'account_id',
  account_links: 'account_id',
  sessions: 'account_id',
  entries: 'account_id',
  snapshots: 'account_id',
  choices: 'account_id',
  events: 'account_id',
  links: 'link_hash',
  codes: 'link_hash',
  tickets: 'ticket',
  nonces: 'nonce',
  attempts: 'key',
  audit: 'audit_id',
  counts: 'slot',
};

/** Small, and not spread at all. */
export const unspread = ['schema_versions', 'operator_keys', 'platforms'];

/** A table in a FROM, or that is written to; of a subquery or a WITH, `table` is null. */
export interface Source {
  name: string;
  table: string | null;
  /** Stands for this source in equations. */
  id: string;
}

/** A SELECT, INSERT, UPDATE or DELETE, and those in it. */
export interface Query {
  node: Node;
  sources: Source[];
  inner: Query[];
  /** Whether a condition or an expression holds it, so that it may look at the query around it. */
  isSublink: boolean;
  /** Whether it names a column of a query around it. */
  isCorrelated: boolean;
  /** The joins that may leave one side empty. */
  outerJoins: { left: Source[]; right: Source[] }[];
}

/** A statement, and which columns it says are equal. */
export interface Shards {
  root: Query;
  queries: Query[];
  /** Whether all that it reads and writes of spread tables is in one shard, which a parameter names. */
  isInOneShard: boolean;
  /** Whether two sources are joined by their tables' shard columns. */
  areTogether(one: Source, other: Source): boolean;
}

const queryKinds = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt'];

export function shardsOf(statement: Node, columnsOf: ReadonlyMap<string, readonly string[]>): Shards | null {
  if (!queryKinds.includes(statement.kind)) return null;
  const reading = new Reading(columnsOf);
  const root = reading.query(statement, { outer: [], withNames: [], isSublink: false });
  const { queries, equal } = reading;
  const spread = queries.flatMap(({ sources }) => sources).filter(isSpread);
  const shards = new Set(spread.map((source) => equal.root(columnOf(source))));
  const groups = new Set(spread.map(({ table }) => groupOf(table)));
  const [shard = ''] = shards;
  return {
    root,
    queries,
    isInOneShard: spread.length === 0 || (shards.size === 1 && groups.size === 1 && equal.isGiven(shard)),
    areTogether: (one, other) =>
      groupOf(one.table) === groupOf(other.table) && equal.root(columnOf(one)) === equal.root(columnOf(other)),
  };
}

export function isSpread({ table }: Source): boolean {
  return table !== null && Object.hasOwn(shardColumns, table);
}

function groupOf(table: string | null): string {
  const column = shardColumns[table ?? ''] ?? '';
  return column === 'account_id' || column === 'link_hash' ? column : (table ?? '');
}

function columnOf({ id, table }: Source): string {
  return `${id}.${shardColumns[table ?? ''] ?? ''}`;
}

/** Which names stand for the same value, by the conditions of a statement. */
class Equations {
  readonly #next = new Map<string, string>();

  root(name: string): string {
    const next = this.#next.get(name);
    return next === undefined ? name : this.root(next);
  }

  add(one: string, other: string): void {
    // A parameter stands for all that is equal to it.
    const [left, right] = [this.root(one), this.root(other)];
    if (left === right) return;
    if (left.startsWith('$')) this.#next.set(right, left);
    else this.#next.set(left, right);
  }

  isGiven(name: string): boolean {
    return this.root(name).startsWith('$');
  }
}

interface Around {
  /** The sources of the queries around, the nearest first. */
  outer: readonly (readonly Source[])[];
  withNames: readonly string[];
  isSublink: boolean;
}

class Reading {
  readonly queries: Query[] = [];
  readonly equal = new Equations();
  readonly #columnsOf: ReadonlyMap<string, readonly string[]>;
  #added = 0;

  constructor(columnsOf: ReadonlyMap<string, readonly string[]>) {
    this.#columnsOf = columnsOf;
  }

  query(node: Node, around: Around): Query {
    const { fields } = node;
    const query: Query = {
      node,
      sources: [],
      inner: [],
      isSublink: around.isSublink,
      isCorrelated: false,
      outerJoins: [],
    };
    this.queries.push(query);
    const withNames = [...around.withNames];
    for (const clause of nodesIn(fields, 'withClause')) {
      const expressions = nodesIn(clause.fields, 'ctes');
      withNames.push(...expressions.map((one) => textIn(one.fields, 'ctename')));
      for (const one of expressions) this.#addInner(query, one, 'ctequery', { outer: [], withNames, isSublink: false });
    }
    const conditions: Node[] = [];
    const from = { query, conditions, withNames };
    for (const field of ['relation', 'fromClause', 'usingClause']) {
      for (const source of nodesIn(fields, field)) this.#addSource(source, from);
    }
    const within = { outer: [query.sources, ...around.outer], withNames, isSublink: true };
    for (const field of ['larg', 'rarg']) this.#addInner(query, node, field, { ...around, withNames });
    conditions.push(...nodesIn(fields, 'whereClause'));
    for (const one of conditions.flatMap(conjuncts)) this.#addEquation(one, within);
    const expressions = [
      'targetList',
      'whereClause',
      'havingClause',
      'valuesLists',
      'returningClause',
      'sortClause',
      'onConflictClause',
    ];
    for (const one of [...conditions, ...expressions.flatMap((field) => nodesIn(fields, field))]) {
      this.#lookThrough(one, query, within);
    }
    if (node.kind === 'InsertStmt') this.#insert(node, query, { ...around, withNames });
    return query;
  }

  #addInner(query: Query, { fields }: Node, field: string, around: Around): void {
    for (const one of nodesIn(fields, field)) query.inner.push(this.query(one, around));
  }

  #addSource(node: Node, from: { query: Query; conditions: Node[]; withNames: readonly string[] }): Source[] {
    const { query, conditions, withNames } = from;
    const { fields } = node;
    const add = (name: string, table: string | null): Source[] => {
      this.#added += 1;
      const source = { name, table, id: String(this.#added) };
      query.sources.push(source);
      return [source];
    };
    const alias = textIn((fields['alias'] ?? {}) as Fields, 'aliasname');
    if (node.kind === 'RangeVar') {
      const table = textIn(fields, 'relname');
      const isOfWith = withNames.includes(table) && textIn(fields, 'schemaname') === '';
      return add(alias === '' ? table : alias, isOfWith ? null : table);
    }
    if (node.kind === 'RangeSubselect') {
      this.#addInner(query, node, 'subquery', { outer: [], withNames, isSublink: false });
      return add(alias, null);
    }
    if (node.kind !== 'JoinExpr') return [];
    const left = nodesIn(fields, 'larg').flatMap((side) => this.#addSource(side, from));
    const right = nodesIn(fields, 'rarg').flatMap((side) => this.#addSource(side, from));
    if (fields['jointype'] !== 'JOIN_INNER') query.outerJoins.push({ left, right });
    for (const column of namesIn(fields, 'usingClause')) {
      const [one, other] = [left[0], right[0]];
      if (one !== undefined && other !== undefined) this.equal.add(`${one.id}.${column}`, `${other.id}.${column}`);
    }
    conditions.push(...nodesIn(fields, 'quals'));
    return [...left, ...right];
  }

  #addEquation({ kind, fields }: Node, { outer }: Around): void {
    if (kind !== 'A_Expr' || fields['kind'] !== 'AEXPR_OP' || namesIn(fields, 'name')[0] !== '=') return;
    const sides = ['lexpr', 'rexpr'].map((side) => nodesIn(fields, side)[0]);
    const [left, right] = sides.map((side) => (side === undefined ? null : this.#named(side, outer)));
    if (left != null && right != null) this.equal.add(left, right);
  }

  /** What stands for a parameter, or a column; null for anything else. */
  #named(node: Node, scopes: Around['outer']): string | null {
    const { kind, fields } = node;
    if (kind === 'TypeCast') return nodesIn(fields, 'arg').map((one) => this.#named(one, scopes))[0] ?? null;
    if (kind === 'ParamRef') return `$${String(fields['number'])}`;
    if (kind !== 'ColumnRef') return null;
    const found = this.#find(namesIn(fields, 'fields'), scopes);
    return found === null ? null : `${found.source.id}.${found.column}`;
  }

  #find(names: string[], scopes: Around['outer']): { source: Source; column: string; depth: number } | null {
    const column = names.at(-1) ?? '';
    const of = names.at(-2);
    for (const [depth, sources] of scopes.entries()) {
      const source = sources.find(({ name, table }) =>
        of === undefined ? (this.#columnsOf.get(table ?? '')?.includes(column) ?? false) : name === of,
      );
      if (source !== undefined) return { source, column, depth };
    }
    return null;
  }

  /** Finds the queries in an expression, and whether it names what is of a query around its own. */
  #lookThrough(node: Node, query: Query, within: Around): void {
    if (queryKinds.includes(node.kind)) {
      query.inner.push(this.query(node, within));
      return;
    }
    if (node.kind === 'ColumnRef') {
      const found = this.#find(namesIn(node.fields, 'fields'), within.outer);
      if (found !== null && found.depth > 0) query.isCorrelated = true;
    }
    for (const field of Object.keys(node.fields)) {
      for (const one of nodesIn(node.fields, field)) this.#lookThrough(one, query, within);
    }
  }

  /** The row that is added lies where the value for its shard column says. */
  #insert({ fields }: Node, query: Query, around: Around): void {
    const [target] = query.sources;
    const place = nodesIn(fields, 'cols').findIndex(
      (one) => textIn(one.fields, 'name') === shardColumns[target?.table ?? ''],
    );
    for (const select of nodesIn(fields, 'selectStmt')) {
      const inner = this.query(select, { ...around, outer: [], isSublink: false });
      query.inner.push(inner);
      const lists = nodesIn(select.fields, 'valuesLists').map((one) => nodesIn(one.fields, 'items'));
      const targets = nodesIn(select.fields, 'targetList').flatMap((one) => nodesIn(one.fields, 'val'));
      const value = (lists[0] ?? targets)[place];
      const named = value === undefined ? null : this.#named(value, [inner.sources]);
      if (target !== undefined && named !== null) this.equal.add(columnOf(target), named);
    }
  }
}
