import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { Refusal } from '../../backend/refusal.js';

/** The page, as the package holds it. */
export interface StaticFiles {
  /** The file at a path below `/console/`, to be sent. Refuses with `not_found`. */
  answer(path: string): Promise<Response>;
}

interface HeldFile {
  bytes: Uint8Array<ArrayBuffer>;
  headers: { [name: string]: string };
}

const types: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};

/** A file whose name tells its content, as bundlers write them: `index-B2x9_kQ1.js`. It never changes under that name. */
const hashedName = /-[\w-]{8,}\.\w+$/;

/**
 * Serves the files of a folder, which are all read when the first is asked for. A path is looked up among their names, so
 * that none leads out of the folder.
 */
export function createStaticFiles(folder: string): StaticFiles {
  let reading: Promise<Map<string, HeldFile>> | undefined;

  return {
    async answer(path) {
      reading ??= readAll(folder);
      const file = (await reading).get(path === '' ? 'index.html' : path);
      if (file === undefined && path === '') {
        throw new Refusal('not_found', { detail: 'This package was built without the page of the console.' });
      }
      if (file === undefined) throw new Refusal('not_found');
      return new Response(file.bytes, { headers: file.headers });
    },
  };
}

async function readAll(folder: string): Promise<Map<string, HeldFile>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      files.map(async (file): Promise<[string, HeldFile]> => {
        const path = relative(folder, file).split(sep).join('/');
        return [path, { bytes: new Uint8Array(await readFile(file)), headers: headersOf(path) }];
      }),
    ),
  );
}

function headersOf(path: string): HeldFile['headers'] {
  return {
    'Content-Type': types[extname(path)] ?? 'application/octet-stream',
    'Cache-Control':
      path.startsWith('assets/') && hashedName.test(path) ? 'public, max-age=31536000, immutable' : 'no-store',
  };
}
