/** What the tests use of what Vite and others reload components of React with. */
declare module 'react-refresh/runtime' {
  export function injectIntoGlobalHook(page: object): void;
  export function register(component: unknown, id: string): void;
  export function createSignatureFunctionForTransform(): (component: unknown, key?: string) => void;
  export function performReactRefresh(): void;
}
