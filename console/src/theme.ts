import { keep, kept } from './kept.js';

export const themes = ['system', 'light', 'dark'] as const;

export type Theme = (typeof themes)[number];

let chosen: Theme = themes.find((theme) => theme === kept('theme')) ?? 'system';

export function chosenTheme(): Theme {
  return chosen;
}

const dark = matchMedia('(prefers-color-scheme: dark)');

/** Shows the chosen theme from now on, and the system's as that changes. Charts hear of it by the event `themechange`. */
export function startTheme(): void {
  applyTheme();
  dark.addEventListener('change', applyTheme);
}

function applyTheme(): void {
  const isDark = chosen === 'system' ? dark.matches : chosen === 'dark';
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
  dispatchEvent(new Event('themechange'));
}

export function chooseTheme(theme: Theme): void {
  chosen = theme;
  keep('theme', theme);
  applyTheme();
}
