import { all, below, type Node, namesIn, nodesIn, textIn } from './parsed.js';
import { isSpread, type Query, type Shards, shardColumns, shardsOf, unspread } from './shards.js';

/** What a database that spreads its tables over machines refuses, or does in another way, as its documentation says. */
export interface Rule {
  name: `${'citus' | 'cockroachdb' | 'yugabytedb'}/${string}`;
  /** What may not be in a statement. */
  forbids: string;
  /** The page that says so. */
  source: string;
  /** A statement that breaks it. */
  example: string;
  breaks(statement: Statement): boolean;
}

export interface Statement {
  node: Node;
  /** Null where it is none that reads or writes rows. */
  shards: Shards | null;
}

const citusSql = 'https://docs.citusdata.com/en/stable/develop/reference_workarounds.html';
const citusDdl = 'https://docs.citusdata.com/en/latest/develop/reference_ddl.html';
const citusDml = 'https://docs.citusdata.com/en/v6.0/dist_tables/dml.html';
const citusTriggers = 'https://docs.citusdata.com/en/stable/extra/triggers.html';
const cockroachCompatibility = 'https://www.cockroachlabs.com/docs/stable/postgresql-compatibility';
const cockroachLimits = 'https://www.cockroachlabs.com/docs/stable/known-limitations';
const yugabyteCompatibility =
  'https://docs.yugabyte.com/latest/explore/ysql-language-features/postgresql-compatibility/';
const yugabyteTransactions = 'https://docs.yugabyte.com/stable/explore/transactions';

const has = (node: Node, holds: (one: Node) => boolean): boolean => [...all(node)].some(holds);
const isA =
  (...kinds: string[]) =>
  ({ kind }: Node): boolean =>
    kinds.includes(kind);
const calls = (node: Node, name: RegExp): boolean =>
  has(node, ({ kind, fields }) => kind === 'FuncCall' && name.test(namesIn(fields, 'funcname').at(-1) ?? ''));
const crossesShards = ({ shards }: Statement): boolean => shards !== null && !shards.isInOneShard;
const someQuery = ({ shards }: Statement, holds: (query: Query) => boolean): boolean =>
  shards?.queries.some(holds) ?? false;
const tableOf = ({ fields }: Node): string =>
  nodesIn(fields, 'relation').map((one) => textIn(one.fields, 'relname'))[0] ?? '';
const shardColumnOf = (node: Node): string | undefined => shardColumns[tableOf(node)];
const isDdl = ({ kind }: Node): boolean => /^(Create(?!dbStmt)|Alter|Drop|Rename|Index|Truncate)/.test(kind);

/** The keys of a table or an index that must be unique, each as its columns. */
function uniqueKeys(node: Node): string[][] {
  if (node.kind === 'IndexStmt') {
    const columns = nodesIn(node.fields, 'indexParams').map((one) => textIn(one.fields, 'name'));
    return node.fields['unique'] === true ? [columns] : [];
  }
  return [...constraintsOf(node)].flatMap(({ constraint, column }) => {
    const isUnique = ['CONSTR_PRIMARY', 'CONSTR_UNIQUE'].includes(textIn(constraint.fields, 'contype'));
    const keys = namesIn(constraint.fields, 'keys');
    return isUnique ? [keys.length > 0 ? keys : [column]] : [];
  });
}

function* constraintsOf(node: Node, column = ''): Generator<{ constraint: Node; column: string }> {
  if (node.kind === 'Constraint') yield { constraint: node, column };
  const here = node.kind === 'ColumnDef' ? textIn(node.fields, 'colname') : column;
  for (const one of below(node)) yield* constraintsOf(one, here);
}

const hasConstraint = (node: Node, holds: (constraint: Node) => boolean): boolean =>
  [...constraintsOf(node)].some(({ constraint }) => holds(constraint));
const contype =
  (...types: string[]) =>
  ({ fields }: Node): boolean =>
    types.includes(textIn(fields, 'contype'));

const setColumns = (node: Node): string[] =>
  nodesIn(node.fields, 'targetList').map((one) => textIn(one.fields, 'name'));

/** The tables that a statement writes to, each as often as it does. */
const written = (node: Node): Node[] => [...all(node)].filter(isA('InsertStmt', 'UpdateStmt', 'DeleteStmt'));

const onCitus: readonly Rule[] = [
  {
    name: 'citus/spread-tables',
    forbids: 'a table that nothing here says by which column it is spread',
    source: citusDdl,
    example: 'CREATE TABLE scores (id text PRIMARY KEY)',
    breaks: ({ node }) =>
      node.kind === 'CreateStmt' && shardColumnOf(node) === undefined && !unspread.includes(tableOf(node)),
  },
  {
    name: 'citus/unique-keys',
    forbids: 'a primary key or a unique index without the distribution column',
    source: citusDdl,
    example: 'CREATE UNIQUE INDEX one_body ON entries (collection, key)',
    breaks: ({ node }) => {
      const column = shardColumnOf(node);
      return column !== undefined && uniqueKeys(node).some((key) => !key.includes(column));
    },
  },
  {
    name: 'citus/foreign-keys',
    forbids: 'a foreign key without the distribution column',
    source: citusDdl,
    example: 'ALTER TABLE links ADD FOREIGN KEY (account_id) REFERENCES accounts (account_id)',
    breaks: ({ node }) =>
      hasConstraint(node, (constraint) => {
        const column = shardColumnOf(node) ?? '';
        const keys = namesIn(constraint.fields, 'fk_attrs');
        return contype('CONSTR_FOREIGN')(constraint) && !keys.includes(column);
      }),
  },
  {
    name: 'citus/distribution-column-type',
    forbids: 'another type, or another name, for a distribution column',
    source: citusDdl,
    example: 'ALTER TABLE entries ALTER COLUMN account_id TYPE uuid USING account_id::uuid',
    breaks: ({ node }) =>
      node.kind === 'AlterTableStmt' &&
      nodesIn(node.fields, 'cmds').some(
        ({ fields }) =>
          ['AT_AlterColumnType', 'AT_DropColumn'].includes(textIn(fields, 'subtype')) &&
          textIn(fields, 'name') === shardColumnOf(node),
      ),
  },
  {
    name: 'citus/insert-without-shard',
    forbids: 'an INSERT that does not say where its row lies',
    source: citusDml,
    example: 'INSERT INTO nonces (game_id, expires_at) VALUES ($1, $2)',
    breaks: ({ node }) =>
      written(node).some((one) => {
        const column = shardColumnOf(one);
        const columns = nodesIn(one.fields, 'cols').map(({ fields }) => textIn(fields, 'name'));
        // One that names no columns gives them all.
        return one.kind === 'InsertStmt' && column !== undefined && columns.length > 0 && !columns.includes(column);
      }),
  },
  {
    name: 'citus/subquery-in-insert',
    forbids: 'a subquery among the values of an INSERT',
    source: citusSql,
    example: 'INSERT INTO links (link_hash, account_id) VALUES ($1, (SELECT max(account_id) FROM accounts))',
    breaks: ({ node }) =>
      written(node).some(
        (one) =>
          one.kind === 'InsertStmt' &&
          nodesIn(one.fields, 'selectStmt').some(({ fields }) =>
            ['targetList', 'valuesLists'].some((field) =>
              nodesIn(fields, field).some((value) => has(value, isA('SubLink'))),
            ),
          ),
      ),
  },
  {
    name: 'citus/on-conflict',
    forbids: 'ON CONFLICT over columns without the distribution column',
    source: citusDdl,
    example: 'INSERT INTO nonces (nonce, game_id) VALUES ($1, $2) ON CONFLICT (game_id) DO NOTHING',
    breaks: ({ node }) =>
      written(node).some((one) => {
        const column = shardColumnOf(one);
        const inferred = nodesIn(one.fields, 'onConflictClause').flatMap(({ fields }) => nodesIn(fields, 'infer'));
        const columns = inferred.flatMap(({ fields }) =>
          nodesIn(fields, 'indexElems').map((element) => textIn(element.fields, 'name')),
        );
        return column !== undefined && columns.length > 0 && !columns.includes(column);
      }),
  },
  {
    name: 'citus/moved-row',
    forbids: 'a new value for a distribution column, which would be another shard',
    source: citusDdl,
    example: 'UPDATE account_links SET account_id = $4 WHERE account_id = $1',
    breaks: ({ node }) =>
      written(node).some((one) => {
        const column = shardColumnOf(one) ?? '';
        const onConflict = nodesIn(one.fields, 'onConflictClause').flatMap(setColumns);
        return [...(one.kind === 'UpdateStmt' ? setColumns(one) : []), ...onConflict].includes(column);
      }),
  },
  {
    name: 'citus/locks',
    forbids: 'SELECT … FOR UPDATE (or another lock) over more than one shard',
    source: citusSql,
    example: 'SELECT ordinal FROM events WHERE game_id = $1 ORDER BY due_at LIMIT 5 FOR UPDATE SKIP LOCKED',
    breaks: (statement) =>
      crossesShards(statement) &&
      someQuery(statement, ({ node, sources }) => node.fields['lockingClause'] !== undefined && sources.some(isSpread)),
  },
  {
    name: 'citus/correlated-subquery',
    forbids:
      'a subquery that looks at the query around it, over more than one shard and not by the distribution column',
    source: citusSql,
    example: 'SELECT 1 FROM tickets t WHERE EXISTS (SELECT 1 FROM sessions s WHERE s.session_id = t.session_id)',
    breaks: (statement) => {
      const { shards } = statement;
      if (shards === null || shards.isInOneShard) return false;
      const around = (inner: Query): Query | undefined => shards.queries.find((one) => one.inner.includes(inner));
      return shards.queries.some((query) => {
        const others = around(query)?.sources.filter(isSpread) ?? [];
        const isApart = (source: Query['sources'][number]) => !others.some((one) => shards.areTogether(source, one));
        return query.isSublink && query.isCorrelated && query.sources.filter(isSpread).some(isApart);
      });
    },
  },
  {
    name: 'citus/outer-join',
    forbids: 'an outer join over more than one shard that is not by the distribution column',
    source: citusSql,
    example: 'SELECT 1 FROM tickets t LEFT JOIN accounts a ON a.account_id = t.local_id',
    breaks: (statement) => {
      const { shards } = statement;
      if (shards === null || shards.isInOneShard) return false;
      return shards.queries.some(({ outerJoins }) =>
        outerJoins.some(({ left, right }) =>
          left.filter(isSpread).some((one) => right.filter(isSpread).some((other) => !shards.areTogether(one, other))),
        ),
      );
    },
  },
  {
    name: 'citus/recursive',
    forbids: 'WITH RECURSIVE over more than one shard',
    source: citusSql,
    example: 'WITH RECURSIVE n (c) AS (SELECT min(collection) FROM entries UNION ALL SELECT c FROM n) SELECT c FROM n',
    breaks: (statement) =>
      crossesShards(statement) && has(statement.node, ({ fields }) => fields['recursive'] === true),
  },
  {
    name: 'citus/grouping-sets-and-samples',
    forbids: 'GROUPING SETS, ROLLUP, CUBE or TABLESAMPLE over more than one shard',
    source: citusSql,
    example: 'SELECT count(*) FROM entries GROUP BY ROLLUP (collection, key)',
    breaks: (statement) =>
      crossesShards(statement) && has(statement.node, isA('GroupingSet', 'GroupingFunc', 'RangeTableSample')),
  },
  {
    name: 'citus/volatile-functions',
    forbids: 'a volatile function in an UPDATE',
    source: citusSql,
    example: 'UPDATE sessions SET opened_at = random() WHERE account_id = $1',
    breaks: ({ node }) =>
      written(node).some(
        (one) =>
          one.kind === 'UpdateStmt' &&
          calls(one, /^(random|gen_random_uuid|uuid_generate_\w+|clock_timestamp|timeofday|nextval|setval|txid_\w+)$/),
      ),
  },
  {
    name: 'citus/rules-and-triggers',
    forbids: 'CREATE RULE, and CREATE TRIGGER on a table that is spread',
    source: citusTriggers,
    example: 'CREATE TRIGGER t BEFORE INSERT ON entries FOR EACH STATEMENT EXECUTE FUNCTION f()',
    breaks: ({ node }) => isA('RuleStmt', 'CreateTrigStmt')(node),
  },
];

const onYugabyte: readonly Rule[] = [
  {
    name: 'yugabytedb/table-locks',
    forbids: 'LOCK TABLE',
    source: yugabyteCompatibility,
    example: 'LOCK TABLE accounts IN EXCLUSIVE MODE',
    breaks: ({ node }) => isA('LockStmt')(node),
  },
  {
    name: 'yugabytedb/constraints',
    forbids: 'exclusion constraints and deferrable constraints',
    source: yugabyteCompatibility,
    example: 'CREATE TABLE attempts (key text PRIMARY KEY DEFERRABLE)',
    breaks: ({ node }) =>
      hasConstraint(node, contype('CONSTR_EXCLUSION', 'CONSTR_ATTR_DEFERRABLE', 'CONSTR_ATTR_DEFERRED')) ||
      hasConstraint(node, ({ fields }) => fields['deferrable'] === true),
  },
  {
    name: 'yugabytedb/index-methods',
    forbids: 'GiST indexes, and GIN indexes of several columns',
    source: yugabyteCompatibility,
    example: 'CREATE INDEX i ON entries USING gist (body)',
    breaks: ({ node: { kind, fields } }) =>
      kind === 'IndexStmt' &&
      (textIn(fields, 'accessMethod') === 'gist' ||
        (textIn(fields, 'accessMethod') === 'gin' && nodesIn(fields, 'indexParams').length > 1)),
  },
  {
    name: 'yugabytedb/inheritance-and-generated-columns',
    forbids: 'table inheritance, and columns GENERATED ALWAYS AS … STORED',
    source: yugabyteCompatibility,
    example: 'CREATE TABLE attempts (key text PRIMARY KEY, l int GENERATED ALWAYS AS (length(key)) STORED)',
    breaks: ({ node }) =>
      (node.kind === 'CreateStmt' && node.fields['inhRelations'] !== undefined) ||
      hasConstraint(node, contype('CONSTR_GENERATED')),
  },
  {
    name: 'yugabytedb/notifications',
    forbids: 'LISTEN and NOTIFY',
    source: yugabyteCompatibility,
    example: 'NOTIFY changes',
    breaks: ({ node }) => isA('ListenStmt', 'NotifyStmt', 'UnlistenStmt')(node) || calls(node, /^pg_notify$/),
  },
  {
    name: 'yugabytedb/two-phase-commit',
    forbids: 'PREPARE TRANSACTION',
    source: yugabyteCompatibility,
    example: "PREPARE TRANSACTION 'one'",
    breaks: ({ node }) => /PREPARE/.test(textIn(node.fields, 'kind')) && node.kind === 'TransactionStmt',
  },
  {
    name: 'yugabytedb/transaction-ids',
    forbids: "transaction ids, and what PostgreSQL's own storage alone has: xmin, xmax, ctid",
    source: yugabyteCompatibility,
    example: 'SELECT xmin FROM accounts',
    breaks: ({ node }) =>
      calls(node, /^(txid_\w+|pg_current_xact_id\w*|pg_snapshot_\w+)$/) ||
      has(node, ({ kind, fields }) => {
        const column = kind === 'ColumnRef' ? (namesIn(fields, 'fields').at(-1) ?? '') : '';
        return ['xmin', 'xmax', 'cmin', 'cmax', 'ctid'].includes(column);
      }),
  },
  {
    name: 'yugabytedb/types-and-xml',
    forbids: 'ALTER TYPE, CREATE CONVERSION, CREATE ACCESS METHOD, XML functions, and CREATE SCHEMA with elements',
    source: yugabyteCompatibility,
    example: 'CREATE SCHEMA s CREATE TABLE t (a int)',
    breaks: ({ node }) =>
      isA('AlterTypeStmt', 'AlterEnumStmt', 'CreateConversionStmt', 'CreateAmStmt')(node) ||
      (node.kind === 'CreateSchemaStmt' && node.fields['schemaElts'] !== undefined) ||
      has(node, isA('XmlExpr', 'XmlSerialize')) ||
      calls(node, /^xml/),
  },
  {
    name: 'yugabytedb/ddl-in-a-transaction',
    forbids: 'changes of the schema that are to be undone with their transaction: each commits by itself',
    source: yugabyteTransactions,
    example: 'ALTER TABLE entries ADD COLUMN seen bigint',
    breaks: ({ node }) => isDdl(node),
  },
];

const onCockroach: readonly Rule[] = [
  {
    name: 'cockroachdb/advisory-locks',
    forbids: 'advisory locks: some of their functions do nothing',
    source: cockroachCompatibility,
    example: 'SELECT pg_advisory_xact_lock(1)',
    breaks: ({ node }) => calls(node, /^pg_(try_)?advisory_/),
  },
  {
    name: 'cockroachdb/notifications',
    forbids: 'events: LISTEN and NOTIFY',
    source: cockroachCompatibility,
    example: 'LISTEN changes',
    breaks: ({ node }) => isA('ListenStmt', 'NotifyStmt', 'UnlistenStmt')(node) || calls(node, /^pg_notify$/),
  },
  {
    name: 'cockroachdb/inheritance-xml-two-phase-commit',
    forbids: 'table inheritance, XML functions, PREPARE TRANSACTION, COPY … TO a file',
    source: cockroachCompatibility,
    example: 'CREATE TABLE capitals (state text) INHERITS (cities)',
    breaks: ({ node }) =>
      (node.kind === 'CreateStmt' && node.fields['inhRelations'] !== undefined) ||
      has(node, isA('XmlExpr', 'XmlSerialize')) ||
      (node.kind === 'TransactionStmt' && /PREPARE/.test(textIn(node.fields, 'kind'))) ||
      (node.kind === 'CopyStmt' && node.fields['filename'] !== undefined),
  },
  {
    name: 'cockroachdb/integer-division',
    forbids: 'division: that of two integers is a decimal',
    source: cockroachCompatibility,
    example: 'SELECT count(*) / 2 FROM entries WHERE account_id = $1',
    breaks: ({ node }) => has(node, ({ kind, fields }) => kind === 'A_Expr' && namesIn(fields, 'name')[0] === '/'),
  },
  {
    name: 'cockroachdb/several-writes-to-a-table',
    forbids: 'a statement that writes to one table in several of its parts',
    source: cockroachLimits,
    example:
      'WITH gone AS (DELETE FROM snapshots WHERE account_id = $1) INSERT INTO snapshots (account_id) VALUES ($1)',
    breaks: ({ node }) => {
      const tables = written(node).map(tableOf);
      return new Set(tables).size < tables.length;
    },
  },
  {
    name: 'cockroachdb/collated-text',
    forbids: 'joining texts of a column that has a collation by ||',
    source: cockroachLimits,
    example: "SELECT account_id || 'x' FROM accounts WHERE account_id = $1",
    breaks: ({ node }) =>
      has(node, ({ kind, fields }) => {
        const isJoin = kind === 'A_Expr' && namesIn(fields, 'name')[0] === '||';
        return isJoin && ['lexpr', 'rexpr'].some((side) => nodesIn(fields, side).some(isCollated));
      }),
  },
  {
    name: 'cockroachdb/ddl-in-a-transaction',
    forbids: 'changes of the schema in a transaction with other statements, but for CREATE TABLE and CREATE INDEX',
    source: cockroachLimits,
    example: 'ALTER TABLE entries ADD COLUMN seen bigint',
    breaks: ({ node }) => isDdl(node) && !isA('CreateStmt', 'IndexStmt')(node),
  },
];

/** Columns with a collation, by their names: no column without one is called so. */
function isCollated({ kind, fields }: Node): boolean {
  const names = ['account_id', 'game_id', 'collection', 'key', 'subject', 'method', 'device', 'session_id'];
  return kind === 'ColumnRef' && names.includes(namesIn(fields, 'fields').at(-1) ?? '');
}

export const rules: readonly Rule[] = [...onCitus, ...onYugabyte, ...onCockroach];

/** A statement as the rules see it. */
export function statementOf(node: Node, columnsOf: ReadonlyMap<string, readonly string[]>): Statement {
  return { node, shards: shardsOf(node, columnsOf) };
}

/** The columns of each table that some statements make. */
export function columnsOfTables(nodes: readonly Node[]): Map<string, string[]> {
  const columns = new Map<string, string[]>();
  for (const node of nodes) {
    if (!isA('CreateStmt', 'AlterTableStmt')(node)) continue;
    const names = [...all(node)].filter(isA('ColumnDef')).map(({ fields }) => textIn(fields, 'colname'));
    columns.set(tableOf(node), [...(columns.get(tableOf(node)) ?? []), ...names]);
  }
  return columns;
}
