/** Prints what a proof has counted, as one line of its own. */
export function printFigures(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** 5000 as `5,000`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
