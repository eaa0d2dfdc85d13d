import type { Client } from '../client/create-client.js';
import { adoptStyles } from './adopt-styles.js';
import { getDefaults, watchDefaults } from './defaults.js';
import type { ElementHost, GamepadState, Success } from './element-host.js';
import { errorText } from './error-text.js';
import { focusableIn, followGamepads } from './gamepad-focus.js';
import { ask } from './parts.js';
import { createRoot, type View } from './render.js';
import { styles } from './styles.js';
import type { Texts } from './texts/texts.js';

/** What every element has. */
export interface ElementProperties {
  /**
   * The client whose player is shown. Default: the one of `defineElements`, or that of `Main`, as soon as there is one.
   * Null stands for the default.
   */
  client: Client | null;
  /** What the element says. Default: the texts of `defineElements`, or English. Null stands for the default. */
  texts: Texts | null;
  /** Gives the gamepads; read only while the focus is in the element. Default: the browser's. */
  getGamepads: () => readonly (GamepadState | null)[];
}

/** The platform's elements; on a server, where there are none, something to be derived from all the same. */
const PlatformElement = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/**
 * What the elements have in common: whose player they show, what they say, and how a deed of the player's is carried
 * out: one at a time, with its failure told beside it.
 */
export abstract class SavepointElement extends PlatformElement implements ElementProperties, ElementHost {
  /** What the element looks like. */
  static readonly styles: string = styles;
  /** The properties that the element is rendered by, with what they are at first. */
  static readonly reactive: Readonly<Record<string, unknown>> = {
    client: null,
    texts: null,
    getGamepads: readGamepads,
    busy: false,
    problem: null,
    said: '',
    asked: '',
  };

  declare client: Client | null;
  declare texts: Texts | null;
  declare getGamepads: ElementProperties['getGamepads'];
  /** Whether a deed of the player's is under way. */
  declare busy: boolean;
  /** What has failed last, and beside what that is told. */
  declare problem: { readonly at: string; readonly text: string } | null;
  /** What there is to be told of a deed that has succeeded. */
  declare said: string;
  /** The deed that the player is asked about once more. */
  declare asked: string;
  askedBy: HTMLElement | null = null;
  readonly renderRoot: ShadowRoot;
  /** Settles when what has changed is shown. */
  updateComplete: Promise<void> = Promise.resolve();
  /** The client that is followed; null while the element is in no page. */
  protected player: Client | null = null;
  readonly #show: (view: View) => void;
  #isUpdatePlanned = false;
  #stops: (() => void)[] = [];
  #stopFollowing: (() => void)[] = [];

  constructor() {
    super();
    this.renderRoot = this.attachShadow({ mode: 'open' });
    adoptStyles(this.renderRoot, this.#kind.styles);
    this.#show = createRoot(this.renderRoot);
  }

  get #kind(): typeof SavepointElement {
    return this.constructor as typeof SavepointElement;
  }

  /** What the element says. */
  get words(): Texts {
    return this.texts ?? getDefaults().texts;
  }

  /** Lets a game's menu take a player here who has nothing but a gamepad. */
  override focus(options?: FocusOptions): void {
    focusableIn(this)[0]?.focus(options);
  }

  connectedCallback(): void {
    for (const name of Object.keys(this.#kind.reactive) as (keyof this)[]) {
      if (!Object.hasOwn(this, name)) continue;
      // A page has set it before it knew the element.
      const early = this[name];
      delete (this as Partial<this>)[name];
      this[name] = early;
    }
    this.#stops = [watchDefaults(() => this.requestUpdate()), followGamepads(this)];
    this.#follow();
    this.requestUpdate();
  }

  disconnectedCallback(): void {
    for (const stop of this.#stops.splice(0)) stop();
    this.#follow();
  }

  /** Shows what has changed, soon, and all of it at once. */
  requestUpdate(): void {
    if (this.#isUpdatePlanned) return;
    this.#isUpdatePlanned = true;
    this.updateComplete = Promise.resolve().then(() => {
      this.#isUpdatePlanned = false;
      this.#follow();
      try {
        this.#show(this.render());
        this.updated();
      } catch (error) {
        reportError(error);
        this.failed();
      }
    });
  }

  goBack(): void {
    if (this.asked !== '') ask(this, '');
  }

  focused(): HTMLElement | null {
    return this.renderRoot.activeElement as HTMLElement | null;
  }

  /** Subscribes to what the element shows of a client; gives what ends that. */
  protected abstract subscribe(client: Client): (() => void)[];

  protected abstract render(): View;

  /** The element shows what `render` gave. */
  protected updated(): void {}

  /** The element could not be shown. */
  protected failed(): void {}

  /** Forgets what was shown of another client. */
  protected reset(): void {
    this.busy = false;
    this.problem = null;
    this.said = '';
    this.asked = '';
  }

  async attempt<T>(
    at: string,
    deed: (client: Client) => Promise<T>,
    done: (result: Success<T>) => string | undefined = () => undefined,
  ): Promise<void> {
    const { player } = this;
    if (player === null || this.busy) return;
    const from = this.focused();
    this.busy = true;
    this.problem = null;
    this.said = '';
    this.asked = '';
    try {
      const result = successOf(await deed(player));
      if (player === this.player) this.said = done(result) ?? '';
    } catch (error) {
      if (player === this.player) this.problem = { at, text: this.failureText(error, at) };
    } finally {
      if (player === this.player) this.busy = false;
      if (from !== null) setTimeout(() => this.#keepFocus(from));
    }
  }

  /** What a failure means to the player; empty where there is nothing to be told. */
  protected failureText(error: unknown, _at = ''): string {
    return errorText(this.words, error);
  }

  /** Lets the player go on from what was told. */
  protected focusSaid(): void {
    this.renderRoot.querySelector<HTMLElement>('[part="said"]')?.focus();
  }

  /** Tells the page of something. */
  protected tell(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  /** A deed may take away the button that it was asked for with: then the focus goes to what is told of it. */
  #keepFocus(from: HTMLElement): void {
    if (from.isConnected || !this.isConnected || this.focused() !== null) return;
    this.focusSaid();
  }

  #follow(): void {
    const next = this.isConnected ? (this.client ?? getDefaults().client) : null;
    if (next === this.player) return;
    for (const stop of this.#stopFollowing.splice(0)) stop();
    this.player = next;
    this.reset();
    if (next !== null) this.#stopFollowing = this.subscribe(next);
    this.requestUpdate();
  }
}

/** Lets elements of a kind be rendered whenever one of their properties is set to something else. */
export function makeReactive({ prototype, reactive }: Pick<typeof SavepointElement, 'prototype' | 'reactive'>): void {
  for (const [name, first] of Object.entries(reactive)) {
    const values = new WeakMap<object, unknown>();
    Object.defineProperty(prototype, name, {
      get() {
        return values.has(this) ? values.get(this) : first;
      },
      set(this: SavepointElement, value: unknown) {
        if (this[name as 'said'] === value) return;
        values.set(this, value);
        this.requestUpdate();
      },
    });
  }
}

/** Gives what a call gave; throws the failure of one that tells it by its result. */
export function successOf<T>(result: T): Success<T> {
  const { success, error } = (result ?? {}) as { success?: boolean; error?: unknown };
  if (success === false) throw error;
  return result as Success<T>;
}

function readGamepads(): readonly (Gamepad | null)[] {
  try {
    return navigator.getGamepads?.() ?? [];
  } catch {
    // A frame that may not read gamepads.
    return [];
  }
}
