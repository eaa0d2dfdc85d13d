import type { ConsoleRoute } from '../options.js';
import { german } from './german.js';

/**
 * What the service says, in another language than English. It is no part of the page: only whoever reads that language
 * loads it.
 */
export const wordsRoutes: { readonly [path: string]: ConsoleRoute } = {
  'words/de': { GET: () => Response.json(german) },
};
