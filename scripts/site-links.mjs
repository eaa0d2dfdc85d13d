// Looks at the links of a built site: VitePress fails at a page that is not there, and does not look for the place in it.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/**
 * Links to places that no page has, each as `page: link`.
 *
 * @param {string} folder
 */
export function brokenPlaces(folder) {
  const pages = new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => path.endsWith('.html'))
      .map((path) => [`/${path}`, readFileSync(join(folder, path), 'utf8')]),
  );
  const places = new Map([...pages].map(([path, html]) => [path, placesOf(html)]));
  return [...pages].flatMap(([path, html]) =>
    linksOf(html)
      .filter((link) => !leads(path, link, places))
      .map((link) => `${path}: ${link}`),
  );
}

function leads(from, link, places) {
  const [path = '', place = ''] = link.split('#');
  const target =
    path === ''
      ? from
      : posix.join(posix.dirname(from), path.startsWith('/') ? posix.relative(posix.dirname(from), path) : path);
  const page = [target, `${target}.html`, posix.join(target, 'index.html')].find((name) => places.has(name));
  if (page === undefined) return /\.(?!html)\w+$/.test(target);
  return place === '' || places.get(page)?.has(decodeURIComponent(place));
}

function placesOf(html) {
  return new Set([...html.matchAll(/\s(?:id|name)="([^"]+)"/g)].map(([, id = '']) => id));
}

function linksOf(html) {
  const found = [...html.matchAll(/<a\s[^>]*?href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
  return found.filter((href) => !/^([a-z][a-z\d+.-]*:|\/\/)/i.test(href));
}
