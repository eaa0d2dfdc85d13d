/**
 * How numbers and times are written in a language. A browser takes about a millisecond to make each of these, and a table has
 * hundreds of cells: each is made once.
 */
const made = new Map<string, unknown>();

function remembered<Format>(key: string, make: () => Format): Format {
  if (!made.has(key)) made.set(key, make());
  return made.get(key) as Format;
}

export function numberFormat(language: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return remembered(`number ${language} ${JSON.stringify(options)}`, () => new Intl.NumberFormat(language, options));
}

export function timeFormat(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return remembered(`time ${language} ${JSON.stringify(options)}`, () => new Intl.DateTimeFormat(language, options));
}

export function relativeFormat(language: string): Intl.RelativeTimeFormat {
  return remembered(`relative ${language}`, () => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }));
}
