/**
 * 0 as asked, 1 for what should not happen, 2 for what the caller can set right, 130 and 143 for Ctrl-C
 * and SIGTERM before the end.
 */
export type ExitCode = 0 | 1 | 2 | 130 | 143;

/** What a command may touch. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** How many characters a line of the terminal has that `out` goes to; absent where it goes to none. */
  width?: number | undefined;
  /** All of stdin; null where nobody pipes anything in. */
  input(): Promise<Uint8Array | null>;
  env: { readonly [name: string]: string | undefined };
  /** Settles after so many ms, or when the program is asked to end. */
  wait(ms: number): Promise<void>;
  /** Aborts when the program is asked to end; the reason is the signal's name. */
  stop: AbortSignal;
  /** Calls back whenever the program is asked to read its configuration again (SIGHUP). */
  onHangUp(listener: () => void): void;
  version: string;
  /** The folder of the files that the console's page is made of. */
  consoleFolder: string;
  /** The folder of the templates of `savepoint init`. */
  templatesFolder: string;
  /**
   * Asks whoever sits at the terminal, and gives the line that they write. Rejects with UsageError where the program is
   * asked to end meanwhile. Absent where nobody sits there.
   */
  ask?(question: string): Promise<string>;
  /** Told of a secret that a file holds, where a command asks for that. */
  foundIn?(file: string, secret: string): void;
}
