import type { Client } from '../client/create-client.js';
import { adoptStyles } from './adopt-styles.js';
import { getDefaults, watchDefaults } from './defaults.js';
import type { ElementHost, GamepadState } from './element-host.js';
import { errorText, type Shown } from './error-text.js';
import { followGamepads } from './gamepad-focus.js';
import { createPlaceIn, type Template } from './html.js';
import { ask } from './parts.js';
import { styles } from './styles.js';
import type { Texts } from './texts/texts.js';

/** What every element has. */
export interface ElementProperties {
  /**
   * The client whose player is shown. Default: the one of `defineElements`, or that of `Main`, as soon as there is one. Null
   * stands for the default.
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
 * What the elements have in common: whose player they show, what they say, and how a deed of the player's is carried out:
 * one at a time, with its failure told beside it.
 */
export abstract class SavepointElement extends PlatformElement implements ElementProperties, ElementHost {
  /** What the element looks like. */
  static readonly styles: string = styles;
  /** The properties that the element is rendered by. */
  static readonly reactive: readonly string[] = ['client', 'texts', 'busy', 'problem', 'said', 'asked'];

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
  private readonly show: (child: Template) => void;
  /** What a page has set before it knew the element. */
  private early: Partial<this> | null;
  private isUpdatePlanned = false;
  private stops: (() => void)[] = [];
  private stopFollowing: (() => void)[] = [];

  constructor() {
    super();
    const { styles: own, reactive } = new.target as unknown as typeof SavepointElement;
    this.early = {};
    for (const name of [...reactive, 'getGamepads'] as (keyof this)[]) {
      if (!Object.hasOwn(this, name)) continue;
      this.early[name] = this[name];
      delete (this as Partial<this>)[name];
    }
    this.renderRoot = this.attachShadow({ mode: 'open' });
    adoptStyles(this.renderRoot, own);
    this.show = createPlaceIn(this.renderRoot);
    this.client = null;
    this.texts = null;
    this.getGamepads = readGamepads;
    this.reset();
  }

  /** What the element says. */
  get words(): Texts {
    return this.texts ?? getDefaults().texts;
  }

  connectedCallback(): void {
    Object.assign(this, this.early);
    this.early = null;
    this.stops = [watchDefaults(() => this.requestUpdate()), followGamepads(this)];
    this.follow();
    this.requestUpdate();
  }

  disconnectedCallback(): void {
    for (const stop of this.stops.splice(0)) stop();
    this.follow();
  }

  /** Shows what has changed, soon, and all of it at once. */
  requestUpdate(): void {
    if (this.isUpdatePlanned) return;
    this.isUpdatePlanned = true;
    this.updateComplete = Promise.resolve().then(() => {
      this.isUpdatePlanned = false;
      this.follow();
      this.show(this.render());
      this.updated();
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

  protected abstract render(): Template;

  /** The element shows what `render` gave. */
  protected updated(): void {}

  /** Forgets what was shown of another client. */
  protected reset(): void {
    this.busy = false;
    this.problem = null;
    this.said = '';
    this.asked = '';
  }

  /**
   * Carries out what the player has asked for; `at` is where a failure is told. Gives what the deed gives, and undefined where
   * it failed or where the element shows another client by now.
   */
  protected async attempt<T>(
    at: string,
    deed: (client: Client) => Promise<T>,
    told: (error: unknown) => string = (error) => this.errorText(error),
  ): Promise<T | undefined> {
    const { player } = this;
    if (player === null || this.busy) return undefined;
    const from = this.focused();
    this.busy = true;
    this.problem = null;
    this.said = '';
    try {
      const result = await deed(player);
      return player === this.player ? result : undefined;
    } catch (error) {
      if (player === this.player) this.problem = { at, text: told(error) };
      return undefined;
    } finally {
      if (player === this.player) this.busy = false;
      if (from !== null) setTimeout(() => this.keepFocus(from));
    }
  }

  protected errorText(error: unknown, shown?: Shown): string {
    return errorText(this.words, error, shown);
  }

  /** Tells the page of something. */
  protected tell(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  /** A deed may take away the button that it was asked for with: then the focus goes to what is told of it. */
  private keepFocus(from: HTMLElement): void {
    if (from.isConnected || !this.isConnected || this.focused() !== null) return;
    this.renderRoot.querySelector<HTMLElement>('.said')?.focus();
  }

  private follow(): void {
    const next = this.isConnected ? (this.client ?? getDefaults().client) : null;
    if (next === this.player) return;
    for (const stop of this.stopFollowing.splice(0)) stop();
    this.player = next;
    this.reset();
    if (next !== null) this.stopFollowing = this.subscribe(next);
    this.requestUpdate();
  }
}

/** Lets elements of a kind be rendered whenever one of their properties is set to something else. */
export function makeReactive({
  prototype,
  reactive,
}: {
  prototype: SavepointElement;
  reactive: readonly string[];
}): void {
  for (const name of reactive) {
    const values = new WeakMap<object, unknown>();
    Object.defineProperty(prototype, name, {
      get() {
        return values.get(this);
      },
      set(this: SavepointElement, value: unknown) {
        if (values.get(this) === value) return;
        values.set(this, value);
        this.requestUpdate();
      },
    });
  }
}

/** Gives what a call gave that tells failures by its result; throws the failure. */
export function successOf<Result extends { success: boolean }>(result: Result): Extract<Result, { success: true }> {
  if (!result.success) throw (result as unknown as { error: unknown }).error;
  return result as Extract<Result, { success: true }>;
}

function readGamepads(): readonly (Gamepad | null)[] {
  try {
    return navigator.getGamepads?.() ?? [];
  } catch {
    // A frame that may not read gamepads.
    return [];
  }
}
