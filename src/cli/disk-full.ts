const codes = ['ENOSPC', 'EDQUOT', '53100'];

/** Whether something could not be written because no room is left: as the system says it, SQLite, or PostgreSQL. */
function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return codes.includes((error as NodeJS.ErrnoException).code ?? '') || error.message.includes('disk is full');
}

/** Waits for work; where the disk is full, it rejects with the words for that. */
export function orDiskFull<Result>(work: Promise<Result>, words: string): Promise<Result> {
  return work.catch((error: unknown) => {
    throw isDiskFull(error) ? new Error(words) : error;
  });
}
