import { en } from './en.js';
import type { Texts } from './texts.js';

export const de: Texts = en;
