import type { Store } from '../../src/backend/stores/store.js';

let choose: () => { store?: Store } = () => ({});

/** Makes every test service of this file stand on a store of another kind. */
export function chooseStore(newStore: () => Store): void {
  choose = () => ({ store: newStore() });
}

/** The store of a new test service; none means memory. */
export const chosenStore = (): { store?: Store } => choose();
