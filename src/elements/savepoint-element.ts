import { type CSSResultGroup, LitElement, type PropertyDeclarations, type PropertyValues } from 'lit';
import type { Client } from '../client/create-client.js';
import { getDefaults, watchDefaults } from './defaults.js';
import type { ElementHost, GamepadState } from './element-host.js';
import { errorText, type Shown } from './error-text.js';
import { GamepadFocus } from './gamepad-focus.js';
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

/**
 * What the elements have in common: whose player they show, what they say, and how a deed of the player's is carried out:
 * one at a time, with its failure told beside it.
 */
export abstract class SavepointElement extends LitElement implements ElementProperties, ElementHost {
  static override styles: CSSResultGroup = styles;
  static override properties: PropertyDeclarations = {
    client: { attribute: false },
    texts: { attribute: false },
    busy: { state: true },
    problem: { state: true },
    said: { state: true },
    asked: { state: true },
  };

  declare client: Client | null;
  declare texts: Texts | null;
  getGamepads: ElementProperties['getGamepads'] = readGamepads;
  /** Whether a deed of the player's is under way. */
  declare busy: boolean;
  /** What has failed last, and beside what that is told. */
  declare problem: { readonly at: string; readonly text: string } | null;
  /** What there is to be told of a deed that has succeeded. */
  declare said: string;
  /** The deed that the player is asked about once more. */
  declare asked: string;
  /** What had the focus when the player was asked. */
  askedBy: HTMLElement | null = null;
  /** The client that is followed; null while the element is in no page. */
  protected player: Client | null = null;
  private stopFollowing: (() => void)[] = [];
  private stopDefaults = (): void => {};

  constructor() {
    super();
    this.client = null;
    this.texts = null;
    this.reset();
    new GamepadFocus(this);
  }

  /** What the element says. */
  get words(): Texts {
    return this.texts ?? getDefaults().texts;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.stopDefaults = watchDefaults(() => {
      this.follow();
      this.requestUpdate();
    });
    this.follow();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.stopDefaults();
    this.follow();
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('client')) this.follow();
  }

  /** What B of a gamepad does; nothing, unless an element has something to go back from. */
  goBack(): void {
    if (this.asked !== '') ask(this, '');
  }

  /** Subscribes to what the element shows of a client; gives what ends that. */
  protected abstract subscribe(client: Client): (() => void)[];

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
      if (from !== null) void this.updateComplete.then(() => this.keepFocus(from));
    }
  }

  /** What has the focus in the element; null where nothing has. */
  focused(): HTMLElement | null {
    return (this.shadowRoot?.activeElement ?? null) as HTMLElement | null;
  }

  /** A deed may take away the button that it was asked for with: then the focus goes to what is told of it. */
  private keepFocus(from: HTMLElement): void {
    if (!from.isConnected && this.isConnected && this.focused() === null) {
      this.renderRoot.querySelector<HTMLElement>('.said')?.focus();
    }
  }

  protected errorText(error: unknown, shown?: Shown): string {
    return errorText(this.words, error, shown);
  }

  /** Tells the page of something. */
  protected tell(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  private follow(): void {
    const next = this.isConnected ? (this.client ?? getDefaults().client) : null;
    if (next === this.player) return;
    for (const stop of this.stopFollowing) stop();
    this.player = next;
    this.reset();
    this.stopFollowing = next === null ? [] : this.subscribe(next);
    this.requestUpdate();
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
