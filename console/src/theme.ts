import { keep, kept } from './kept.js';

export const themes = ['system', 'light', 'dark'] as const;

export type Theme = (typeof themes)[number];

export function chosenTheme(): Theme {
  const found = kept('theme');
  return themes.find((theme) => theme === found) ?? 'system';
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  dispatchEvent(new Event('themechange'));
}

export function chooseTheme(theme: Theme): void {
  keep('theme', theme);
  applyTheme(theme);
}
