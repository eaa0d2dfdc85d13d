import { inWords } from '../../../src/cli/console/words/words.js';
import { useConsole } from '../context.js';
import { visible } from './visible.js';

/** A sentence of the service's: in the reader's language, or as it is in English, where that has no words for it. */
export function Said({ text }: { text: string }) {
  const { words, language } = useConsole();
  const said = inWords(words, text);
  return <bdi lang={languageOf(language, said)}>{visible(said ?? text)}</bdi>;
}

/** What a screen reader is told of words of the service: that they are English, where the page is not. */
export function languageOf(language: string, said: string | null | undefined): 'en' | undefined {
  return said == null && !language.startsWith('en') ? 'en' : undefined;
}
