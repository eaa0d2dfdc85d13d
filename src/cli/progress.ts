import type { Io } from './io.js';

const width = 20;

/** Says each tenth once: a bar, how many are done, how many in a second, and what that leaves. */
export function createProgress(
  { err }: Pick<Io, 'err'>,
  { what, unit, total, now = Date.now }: { what: string; unit: string; total: number; now?: () => number },
): (more: number) => void {
  const began = now();
  let [done, said] = [0, 0];
  return (more) => {
    done += more;
    const tenth = total === 0 ? 10 : Math.min(10, Math.floor((done / total) * 10));
    if (tenth <= said) return;
    said = tenth;
    const perSecond = done / Math.max(0.001, (now() - began) / 1000);
    const bar = '#'.repeat((tenth * width) / 10).padEnd(width, '.');
    const left = Math.ceil(Math.max(0, total - done) / perSecond);
    err(
      `${what} [${bar}] ${String(tenth * 10).padStart(3)} %, ${count(done)} of ${count(total)} ${unit}, ` +
        `${count(Math.round(perSecond))} a second, ${left} s left\n`,
    );
  };
}

export function count(number: number): string {
  return number.toLocaleString('en-US');
}
