import type { Collection, ImportReport, Profile } from './collection.js';

/** Makes entries of a former storage's texts, where there are none. Throws TypeError for a wrong argument. */
export function importFrom(
  open: (collection: string) => Collection,
  ...[storage, map]: Parameters<Profile['importFrom']>
): Promise<ImportReport> {
  if (typeof storage?.getItem !== 'function' || typeof storage.key !== 'function') {
    throw new TypeError('storage must be a Storage, such as localStorage');
  }
  if (typeof map !== 'function') throw new TypeError('map must be a function');
  return takeOver(open, storage, map);
}

async function takeOver(
  open: (collection: string) => Collection,
  ...[storage, map]: Parameters<Profile['importFrom']>
): Promise<ImportReport> {
  const taken: string[] = [];
  const skipped: string[] = [];
  const refused: { from: string; error: unknown }[] = [];
  // Whether there is an entry is for the service to say; it is asked once for each collection.
  const loads = new Map<string, Promise<unknown>>();
  // A copy of the keys: this client may keep things there, too.
  for (const from of Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')) {
    try {
      const place = map(from);
      if (!place) continue;
      const collection = open(place.collection);
      const load = loads.get(place.collection) ?? collection.load();
      loads.set(place.collection, load);
      await load;
      if (collection.get(place.key) !== undefined) skipped.push(from);
      else {
        const read = (place.read ?? JSON.parse)(storage.getItem(from) ?? '');
        // Another tab may be taking it over at the same time, too.
        await collection.update(place.key, (kept) => kept ?? read);
        taken.push(from);
      }
    } catch (error) {
      refused.push({ from, error });
    }
  }
  return { taken, skipped, refused };
}
