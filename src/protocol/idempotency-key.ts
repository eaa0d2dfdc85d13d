/**
 * The name of one write of an entry, or of one snapshot, by which the service knows a repeat of it. It travels in the
 * header `Idempotency-Key` as `<device>:<write>`; each part has 1 to 64 characters of A-Z, a-z, 0-9, `_` and `-`.
 *
 * @see docs/interface.md#ours-profile-entries
 */
export interface WriteName {
  /**
   * Who writes: a name that is no secret, and that no other writer has. It never has two
   * unanswered writes of one entry.
   */
  device: string;
  /** The write, by a name that this device gives to no other. */
  write: string;
}

/** The form of each part. */
export const writerForm: RegExp = /^[A-Za-z0-9_-]{1,64}$/;

/** The form of the header. */
export const keyForm: RegExp = /^([A-Za-z0-9_-]{1,64}):([A-Za-z0-9_-]{1,64})$/;

/** The header's text. Each SDK names its writes itself, so the name has the form. */
export function formatKey({ device, write }: WriteName): string {
  return `${device}:${write}`;
}

/** Reads the header's text; null where it is malformed. */
export function parseKey(text: string): WriteName | null {
  const [, device, write] = keyForm.exec(text) ?? [];
  return device === undefined || write === undefined ? null : { device, write };
}
