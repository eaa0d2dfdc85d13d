declare module '*.svelte' {
  const component: import('svelte').Component<Record<string, unknown>>;
  // biome-ignore lint/style/noDefaultExport: Svelte's compiler makes it one.
  export default component;
}

/** What Svelte's compiler writes into a component that can be reloaded. */
declare module 'svelte/internal/client' {
  export const HMR: unique symbol;
}
