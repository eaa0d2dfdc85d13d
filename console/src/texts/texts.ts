import { kept } from '../kept.js';
import type { en } from './en.js';

/** Every text of the page. A language is complete when it has this type. */
export type Texts = typeof en;

export const languages = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof languages;

export function preferredLanguage(): Language {
  const wished = [kept('language') ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2).toLowerCase());
  return wished.find((tag): tag is Language => Object.hasOwn(languages, tag)) ?? 'en';
}

/** The language as `Intl` takes it: with the reader's country, where the browser tells it. */
export function localeOf(language: Language): string {
  return navigator.languages.find((tag) => tag.toLowerCase().startsWith(`${language}-`)) ?? language;
}

export async function loadTexts(language: Language): Promise<Texts> {
  if (language === 'de') return (await import('./de.js')).de;
  return (await import('./en.js')).en;
}
