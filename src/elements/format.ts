/** How much of a text that comes from elsewhere is shown, in characters. */
const mostCharacters = 256;

/** Marks that turn round what follows them, too. */
const directions = /[\u202a-\u202e\u2066-\u2069]/g;

const steps: readonly [number, Intl.RelativeTimeFormatUnit][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
];

/** The language as the platform has it, where a system has written it, as `de_DE`. */
function localeOf(language: string): string {
  return language.replaceAll('_', '-');
}

/** "now", "3 minutes ago". */
export function agoText(language: string, then: number, now: number): string {
  const passed = Math.max(0, now - then);
  const [size, unit] = steps.find(([least]) => passed >= least) ?? [passed + 1, 'second' as const];
  return new Intl.RelativeTimeFormat(localeOf(language), { numeric: 'auto' }).format(-Math.floor(passed / size), unit);
}

/** A day, as the language writes it. */
export function dateText(language: string, at: number): string {
  return new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long' }).format(at);
}

/** A size, in bytes or kilobytes. */
export function sizeText(language: string, bytes: number): string {
  const isSmall = bytes < 1_000;
  return new Intl.NumberFormat(localeOf(language), {
    style: 'unit',
    unit: isSmall ? 'byte' : 'kilobyte',
    // The short form of a byte knows no plural.
    unitDisplay: isSmall ? 'long' : 'short',
    maximumFractionDigits: 0,
  }).format(isSmall ? bytes : bytes / 1_000);
}

/** A value that a game or a player has made. */
export function valueText(language: string, value: unknown): string {
  if (typeof value === 'number') return new Intl.NumberFormat(localeOf(language)).format(value);
  return ownText(value ?? '–');
}

/** What somebody has written, as a text that has an end and turns round no words but its own. */
export function ownText(value: unknown): string {
  const text = String(value ?? '').replace(directions, '');
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
}

/** The text for a code or a kind, where there is one: a newer service may have others. */
export function textFor(texts: object, name: string): string | undefined {
  const text: unknown = texts[name as keyof typeof texts];
  return typeof text === 'string' ? text : undefined;
}
