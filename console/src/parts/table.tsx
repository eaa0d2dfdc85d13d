// biome-ignore-all lint/a11y/noRedundantRoles: the style makes cards of the rows, which takes their own roles away.
import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  head: string;
  cell(row: Row): ComponentChildren;
  isNumber?: boolean;
}

/** A table; on a narrow screen each row is a card of its own. */
export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string;
}) {
  const kindOf = ({ isNumber }: Column<Row>) => (isNumber === true ? 'number' : undefined);
  return (
    <div class="table-frame">
      <table role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.head} scope="col" role="columnheader" class={kindOf(column)}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map((column) => (
                <td key={column.head} role="cell" class={kindOf(column)} data-label={column.head}>
                  <div class="cell">{column.cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
