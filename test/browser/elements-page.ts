import { type Client, type ClientConfig, createClient } from 'savepoint';
import { defineElements } from 'savepoint/elements';
import { expect } from 'vitest';
import { createTestService, type TestService } from '../support/service.js';

defineElements();

/** A page with elements on it: devices of a service that runs beside them, each with a storage of its own. */
export interface ElementsPage {
  readonly service: TestService;
  /** A client that has not been started. */
  create(options?: Partial<ClientConfig>): Client;
  /** A client that is signed in as a guest; another one each time, unless a storage is given. */
  start(options?: Partial<ClientConfig>): Promise<Client>;
  /** An element in the page that shows the client. */
  show<Name extends keyof Savepoint>(name: Name, client: Client, more?: Partial<Savepoint[Name]>): Savepoint[Name];
  /** A storage of a device that was never used. */
  storage(): ReturnType<typeof memoryStorage>;
  close(): void;
}

type Savepoint = Pick<
  HTMLElementTagNameMap,
  'savepoint-account' | 'savepoint-conflict' | 'savepoint-sync' | 'savepoint-history'
>;

export function openPage(options: Parameters<typeof createTestService>[0] = {}): ElementsPage {
  const service = createTestService({ clock: () => Date.now(), ...options });
  const clients: Client[] = [];
  const shown: HTMLElement[] = [];
  const create: ElementsPage['create'] = (more) => {
    const { gameId, baseUrl, fetch } = service;
    const client = createClient({ gameId, environment: 0, baseUrl, fetch, storage: memoryStorage(), ...more });
    clients.push(client);
    return client;
  };
  return {
    service,
    create,
    start: async (more) => {
      const client = create(more);
      expect((await client.init()).success).toBe(true);
      return client;
    },
    show: (name, client, more = {}) => {
      const element = document.createElement(name);
      Object.assign(element, { client }, more);
      document.body.append(element);
      shown.push(element);
      return element as never;
    },
    storage: memoryStorage,
    close: () => {
      for (const element of shown) element.remove();
      for (const client of clients) client.dispose();
    },
  };
}

function memoryStorage() {
  const items = new Map<string, string>();
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
}

/** What can be seen in an element. */
export function textOf(element: HTMLElement): string {
  const seen = [...(element.shadowRoot?.querySelectorAll('h2,h3,p,li,td,th,button,summary,code,span,strong') ?? [])];
  return seen.flatMap((each) => (each.checkVisibility() ? [each.textContent?.trim()] : [])).join('\n');
}

/** The first visible part of an element of this name; it is waited for. */
export async function part<Kind extends HTMLElement = HTMLElement>(element: HTMLElement, name: string): Promise<Kind> {
  return expect
    .poll(() => find<Kind>(element, name), { timeout: 5_000 })
    .not.toBeNull()
    .then(() => find<Kind>(element, name) as Kind);
}

export function find<Kind extends HTMLElement>(element: HTMLElement, name: string): Kind | null {
  const selector =
    name.startsWith('.') || name.startsWith('#')
      ? name
      : name
          .split(' ')
          .map((one) => `[part~="${one}"]`)
          .join(' ');
  return (
    [...(element.shadowRoot?.querySelectorAll<Kind>(selector) ?? [])].find((each) => each.checkVisibility()) ?? null
  );
}

/** What is pressed while a deed is under way counts for nothing. */
async function idle(element: HTMLElement): Promise<void> {
  const shown = () => element.shadowRoot?.querySelector('[part]:not([aria-busy])') ?? null;
  const isIdle = () => shown() !== null && element.shadowRoot?.querySelector('[aria-busy]') === null;
  await expect.poll(isIdle, { timeout: 5_000 }).toBe(true);
}

export async function press(element: HTMLElement, name: string): Promise<void> {
  await idle(element);
  (await part(element, name)).click();
}

/** Fills a form's fields by their names and sends it. */
export async function send(
  element: HTMLElement,
  form: string,
  fields: { readonly [name: string]: string },
): Promise<HTMLFormElement> {
  await idle(element);
  const target = await part<HTMLFormElement>(element, form);
  for (const [name, value] of Object.entries(fields)) {
    const input = target.elements.namedItem(name) as HTMLInputElement;
    input.value = value;
  }
  target.requestSubmit();
  return target;
}

export async function sees(element: HTMLElement, text: string | RegExp): Promise<void> {
  await expect.poll(() => textOf(element), { timeout: 5_000 }).toMatch(text);
}
