import type { FailureCode } from '../../../protocol/failures.js';

/** What the service says in English, in the language of a reader of the console. */
export interface ServiceWords {
  /** What each code of a refusal means. */
  readonly failures: { readonly [code: string]: string };
  /** Whole sentences and names by their English ones; each number, and what is quoted, is written as `{}`. */
  readonly sentences: { readonly [english: string]: string };
  /** The presets of platforms by their names. */
  readonly presets: { readonly [preset: string]: PresetWords };
  /** What each limit bounds: by of what it is, and its name. */
  readonly limits: { readonly [of: string]: { readonly [name: string]: string } };
}

/** The codes that have to be there; the SDK has some of its own besides. */
export type FailureWords = { readonly [code in FailureCode]: string } & { readonly [code: string]: string };

/** What a preset asks for. */
export interface PresetWords {
  /** Left out where it is a proper name. */
  readonly title?: string | undefined;
  readonly help: string;
  /** Of each field its label, and its help. */
  readonly fields: { readonly [field: string]: readonly string[] };
}

/** What differs between two sentences of one form. */
const parts = /"[^"]*"|`[^`]*`|\d+/g;

/** The form of a sentence, by which `sentences` has it. */
export const formOf = (text: string): string => text.replace(parts, '{}');

/** A sentence of the service's in the reader's language; null where that has none for it. */
export function inWords(words: ServiceWords | null, text: string): string | null {
  const form = formOf(text);
  if (words === null || !Object.hasOwn(words.sentences, form)) return null;
  const given = text.match(parts) ?? [];
  return (words.sentences[form] ?? form).replaceAll('{}', () => given.shift() ?? '');
}
