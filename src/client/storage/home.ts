/** Where a client keeps what must outlast it: texts by key. A text is never empty. */
export interface Home {
  /** Reads every text whose key begins with the prefix. */
  readAll(prefix: string): Promise<Map<string, string>>;
  /**
   * Changes one text in one step: nobody else writes between the reading and the writing. `change` gets the stored
   * text or null, and gives the new one, null to remove it, or the same one to leave it. It may be called again, and
   * must be idempotent. Settles when it is durable; with `strict` when it is on the disk. Gives what is stored now.
   */
  update(key: string, change: Change, options?: UpdateOptions): Promise<string | null>;
}

/** Makes the text to store from the stored one; null stands for none. */
export type Change = (text: string | null) => string | null;

export interface UpdateOptions {
  /** Whether the promise waits until the text is on the disk, where the platform can tell. Default: false. */
  strict?: boolean;
}

/** A home that fails where its storage does: its promises reject, and nothing is tried again. */
export interface RawHome extends Home {
  /** Ends connections, after what is under way. Another use opens them again. */
  close?(): void;
}
