/** What a command may touch. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Aborts when the program is asked to end. */
  stop: AbortSignal;
  version: string;
}
