/** How an engine's SELECT locks what it finds until the transaction ends; nothing where transactions run one by one. */
export interface RowLocks {
  /** As an UPDATE does: nobody else locks or changes the row. */
  exclusive: string;
  /** Nobody removes the row; others may change it. */
  present: string;
  /** As `exclusive`, and what somebody else has locked is left out. */
  claimed: string;
}

export const postgresLocks: RowLocks = {
  exclusive: 'FOR NO KEY UPDATE',
  present: 'FOR KEY SHARE',
  claimed: 'FOR UPDATE SKIP LOCKED',
};
export const noLocks: RowLocks = { exclusive: '', present: '', claimed: '' };
