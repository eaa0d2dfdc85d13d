/** The browsers that the tests run in. */
export type BrowserName = 'chromium' | 'firefox' | 'webkit';

/** A browser that a test steers, whatever make it is. */
export interface DrivenBrowser {
  /** Opens a page, and settles when it has loaded. */
  open(url: string): Promise<DrivenPage>;
  close(): Promise<void>;
  /** Ends the browser's processes from one moment to the next, as a player does who has enough of it. */
  kill(): Promise<void>;
}

export interface DrivenPage {
  /**
   * Runs a function in the page, and gives what it returns, or what its promise settles with. The function knows what is
   * in the page and its arguments, and nothing of the test around it.
   */
  run<Args extends unknown[], T>(code: (...args: Args) => T, ...args: Args): Promise<Awaited<T>>;
  /** Loads an address in the place of the page, and settles when that has loaded. */
  goTo(url: string): Promise<void>;
  close(): Promise<void>;
  /** Gives the page so much room, in CSS pixels. */
  resize(width: number, height: number): Promise<void>;
  /** The texts of what the page's frames show. Undefined where the browser does not tell of frames of other sites. */
  frames?(): Promise<string[]>;
  /** The cookies that the page's address is sent, as the header has them. Undefined where the browser does not tell of all. */
  cookies?(): Promise<string>;
  /** Ends the process that draws the page, which is told nothing. Undefined where the browser cannot be made to. */
  crash?(): Promise<void>;
  /** Deletes all that the page's origin has stored, as the browser's tools do. Undefined where the browser cannot be made to. */
  clearStorage?(): Promise<void>;
  /** Sets how much the page's origin may store, in bytes. Undefined where the browser cannot be made to. */
  limitStorage?(bytes: number | null): Promise<void>;
}

export interface LaunchOptions {
  /** A folder for what the browser stores, so that it outlives the browser; a new one is made, and removed, if left out. */
  profile?: string;
  /** Whether the player denies all sites their data. */
  deniesSiteData?: boolean;
  /** Whether pages of one site get no data of theirs in a frame on a page of another, as far as the browser has a setting for it. */
  blocksThirdParties?: boolean;
  /** Whether its windows are private: what they store ends with the browser. */
  isPrivate?: boolean;
  /** Whether each page is in a window of its own, which is shown. In WebKit a tab beside others is hidden, and its frames wait. */
  isShown?: boolean;
  /** How much all sites may store together, in KiB, or -1 for the usual; only Firefox can be told so when it starts. */
  storageLimit?: number;
}

/** The expression that runs a function in a page. What it gives is JSON, so that it is the same in every browser. */
export function callExpression(code: (...args: never[]) => unknown, args: readonly unknown[]): string {
  return `Promise.resolve((${code})(...${JSON.stringify(args)})).then((value) => JSON.stringify(value) ?? 'null')`;
}
