import { compile } from 'svelte/compiler';
import type { Plugin } from 'vite';

/** Compiles a component as a page has it, or as a server does. */
export function compileComponent(text: string, filename: string, generate: 'client' | 'server'): string {
  const { js } = compile(text, { filename, generate, dev: true, hmr: generate === 'client' });
  return js.code;
}

/** Lets pages import Svelte components. */
export function svelteComponents(): Plugin {
  return {
    name: 'svelte-components',
    transform: (text, id) => (id.endsWith('.svelte') ? compileComponent(text, id, 'client') : undefined),
  };
}
