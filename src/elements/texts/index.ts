export { german } from './de.js';
export { english } from './en.js';
export { spanish } from './es.js';
export { french } from './fr.js';
export { japanese } from './ja.js';
export type { Texts } from './texts.js';
