import type { Store } from './store.js';

/** A store some of whose operations are done in another way. It may be of a class: what it has is called on itself. */
export function storeWith(store: Store, own: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name: keyof Store) {
      const found = own[name] ?? target[name];
      return own[name] === undefined && typeof found === 'function' ? found.bind(target as never) : found;
    },
  });
}
