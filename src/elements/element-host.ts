import type { Client } from '../client/create-client.js';
import type { Texts } from './texts/texts.js';

/** What is known of a gamepad: the part of the platform's `Gamepad` that is read. */
export interface GamepadState {
  /** Its buttons, in the order of the standard mapping: 0 is A, 1 is B, 12 to 15 are the D-pad. */
  readonly buttons: readonly {
    /** Whether the button is pressed. */
    readonly pressed: boolean;
  }[];
}

/** What a deed gives that has succeeded: calls that tell failures by their result give one with `success`. */
export type Success<T> = Exclude<T, { success: false }>;

/** What the parts of an element know of it. */
export interface ElementHost extends HTMLElement {
  /** What the element says. */
  readonly words: Texts;
  /** Whether a deed of the player's is under way. */
  readonly busy: boolean;
  /** What has failed last, and beside what that is told. */
  problem: { readonly at: string; readonly text: string } | null;
  /** What there is to be told of a deed that has succeeded. */
  readonly said: string;
  /** The deed that the player is asked about once more; empty for none. */
  asked: string;
  /** What had the focus when the player was asked. */
  askedBy: HTMLElement | null;
  readonly renderRoot: ShadowRoot;
  /** Settles when what has changed is shown. */
  readonly updateComplete: Promise<void>;
  getGamepads(): readonly (GamepadState | null)[];
  /** What has the focus in the element; null where nothing has. */
  focused(): HTMLElement | null;
  /** What B of a gamepad does. */
  goBack(): void;
  /**
   * Carries out what the player has asked for, unless something is under way; `at` is where a failure is told.
   * `done` takes what the deed gave, unless the element shows another client by then, and gives what there is to be
   * told of it. Never rejects.
   */
  attempt<T>(
    at: string,
    deed: (client: Client) => Promise<T>,
    done?: (result: Success<T>) => string | undefined,
  ): Promise<void>;
}
