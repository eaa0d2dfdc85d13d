// What both converters need: a file's lines or JSON, and where in a path a player's saves are.
import { readFileSync } from 'node:fs';

/** The values of a file: of its lines, of its list, or of the list under `member`. */
export function readRecords(file, member) {
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  try {
    const whole = JSON.parse(text);
    if (Array.isArray(whole)) return whole;
    return Array.isArray(whole[member]) ? whole[member] : [whole];
  } catch {
    return lines.map((line) => JSON.parse(line));
  }
}

/** The rows of a CSV: a cell in quotes may hold commas, line ends, and quotes written twice. */
export function readCsv(file) {
  const rows = [[]];
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== ',') rows.push([]);
  }
  return rows.filter((row) => row.some((cell) => cell !== ''));
}

/** What `{uid}` and `{key}` are in a path such as `users/7/saves/main`, by a template such as `users/{uid}/saves/{key}`; null elsewhere. */
export function placeIn(template, path) {
  const wanted = template.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const place = { uid: null, key: 'main' };
  for (const [index, segment] of wanted.entries()) {
    if (segment === '{uid}') place.uid = given[index];
    else if (segment === '{key}') place.key = given[index];
    else if (segment !== given[index]) return null;
  }
  return place.uid === null ? null : place;
}

/** A value has to be an object: anything else is put into one. */
export function asValue(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { value };
}
