import { type EntryRecord, offerTo } from './entry-record.js';

/**
 * Whose the writes are that were set before an account: noted as one comes, for it may be gone, and another there,
 * before the device's home has that they are its own.
 */
export interface Heirs {
  /** These writes are the account's that has come, unless another one came before. */
  inherit(userId: string, writes: readonly string[]): void;
  /** The record with what has an heir as an offer to that one. */
  owned<Found extends EntryRecord | undefined>(record: Found): Found | EntryRecord;
}

export function createHeirs(): Heirs {
  const heirs = new Map<string, string>();

  return {
    inherit: (userId, writes) => {
      for (const write of writes) if (!heirs.has(write)) heirs.set(write, userId);
    },
    owned: (record) => {
      const last = record?.local ?? record?.sent;
      const heir = last && heirs.get(last.id);
      return record === undefined || heir === undefined ? record : offerTo(heir, record);
    },
  };
}
