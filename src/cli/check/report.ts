import type { Remains, Row } from './run-contract.js';

/** The table, area by area; a row that differs says so in front, and one that was not asked. */
export function createReport(areas: readonly { checks: readonly { what: string }[] }[]) {
  const width = Math.max(...areas.flatMap(({ checks }) => checks.map(({ what }) => what.length)));
  let area = '';

  return {
    row(row: Row): string {
      const { what, spec, note } = row;
      const heading = row.area === area ? '' : `\n${row.area}\n`;
      area = row.area;
      const source = (spec === 'gap' ? 'gap' : `§${spec}`).padEnd(5);
      const found = foundIn(row);
      const noted = note === undefined ? '' : ` (${note})`;
      return `${heading}  ${markOf(row)}  ${source} ${what.padEnd(width)}  ${found}${noted}\n`;
    },

    /** What came of it all, and what is left behind. */
    end({ rows, remains, wasStopped, isQuick }: Outcome): string {
      const differ = rows.filter(({ holds }) => !holds);
      const asked = rows.filter(isAsked);
      const lines = [
        differ.length === 0
          ? `All ${asked.length} checks are as the contract says.`
          : `${differ.length} of ${asked.length} checks differ:`,
        ...differ.map(({ area, what, expected, got }) => `  ${area}: ${what}: expected ${expected}; got ${got}`),
        ...hints(rows),
        ...rows.filter((row) => !isAsked(row)).map(({ area, what, note }) => `Not asked: ${area}: ${what}: ${note}`),
        ...(wasStopped ? ['Stopped before the end: the other checks were not made.'] : []),
        ...(isQuick
          ? [
              'Left out by --quick: an old refresh token, which takes half a minute, recent authentication, and a session, a ' +
                'device and bytes of snapshots too many.',
            ]
          : []),
        ...remains.map(leftOver),
      ];
      return `\n${lines.join('\n')}\n`;
    },
  };
}

function isAsked({ wasAsked }: Row): boolean {
  return wasAsked !== false;
}

function markOf(row: Row): string {
  if (!row.holds) return 'DIFF';
  return isAsked(row) ? 'ok  ' : '--  ';
}

function foundIn(row: Row): string {
  const { expected, got, holds } = row;
  if (!holds) return `expected: ${expected} | got: ${got}`;
  return isAsked(row) ? expected : got;
}

export interface Outcome {
  rows: readonly Row[];
  remains: readonly Remains[];
  wasStopped: boolean;
  isQuick: boolean;
}

/** Where many rows differ for one reason. */
function hints(rows: readonly Row[]): string[] {
  const of = (name: string): readonly Row[] => rows.filter(({ area }) => area === name);
  const isRefused = (name: string, code: string): boolean => {
    const found = of(name).filter(({ expected }) => expected.startsWith('200'));
    return found.length > 0 && found.every(({ got }) => got.includes(code));
  };
  const limited = rows.some(({ holds, got }) => !holds && got.startsWith('429'));
  const [madeCode] = of('A password reset').filter(({ what }) => what.startsWith('an operator makes'));
  return [
    ...(of('Players')[0]?.got.startsWith('404')
      ? ['Is the game id the one of this deployment, and the address the right one?']
      : []),
    ...(isRefused('Private profile API', 'unauthorized')
      ? ["The private key is not accepted: is it this deployment's?"]
      : []),
    ...(madeCode?.got.includes('unauthorized') ? ["The operator's key is not accepted: is it this deployment's?"] : []),
    ...(madeCode?.got.includes('insufficient_scope') ? ["The operator's key needs the scope support."] : []),
    ...(limited
      ? ['The service limits how often this address may try: wait for as long as it says, then check again.']
      : []),
  ];
}

function leftOver({ userId, removedAt }: Remains): string {
  return removedAt === null
    ? `Left behind: the account ${userId}, which could not be deleted.`
    : `Deleted again: the account ${userId}, which goes for good on ${new Date(removedAt).toISOString().slice(0, 10)}.`;
}
