import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Refusal } from '../../backend/refusal.js';

/** The page, as the package holds it. */
export interface StaticFiles {
  /** The file at a path below `/console/`, to be sent. Refuses with `not_found`. */
  answer(path: string, acceptEncoding: string | null): Promise<Response>;
}

interface HeldFile {
  bytes: Uint8Array<ArrayBuffer>;
  headers: { [name: string]: string };
  /** Whether it is worth compressing. */
  isText: boolean;
  /** Compressed, once somebody has asked for it. */
  br?: Promise<Uint8Array>;
  gzip?: Promise<Uint8Array>;
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

/**
 * A file whose name tells its content, as bundlers write them: `index-B2x9_kQ1.js`. It never changes under that name.
 */
const hashedName = /-[\w-]{8,}\.\w+$/;

/**
 * Serves the files of a folder, which are all read when the first is asked for. A path is looked up among their names,
 * so that none leads out of the folder.
 */
export function createStaticFiles(folder: string): StaticFiles {
  let reading: Promise<Map<string, HeldFile>> | undefined;

  return {
    async answer(path, acceptEncoding) {
      reading ??= readAll(folder);
      const file = (await reading).get(path === '' ? 'index.html' : path);
      if (file === undefined && path === '') {
        throw new Refusal('not_found', { detail: 'This package was built without the page of the console.' });
      }
      if (file === undefined) throw new Refusal('not_found');
      const encoding = file.isText ? encodingOf(acceptEncoding) : null;
      if (encoding === null) return new Response(file.bytes, { headers: file.headers });
      file[encoding] ??= encoders[encoding](file.bytes);
      const headers = { ...file.headers, 'Content-Encoding': encoding };
      return new Response((await file[encoding]) as Uint8Array<ArrayBuffer>, { headers });
    },
  };
}

/** What is smaller gains nothing. */
const smallest = 1_024;

const brotli = promisify(brotliCompress);
const encoders = {
  br: (bytes: Uint8Array): Promise<Uint8Array> => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: promisify(gzip) as (bytes: Uint8Array) => Promise<Uint8Array>,
};

/** The best of ours that a browser takes (RFC 9110, 12.5.3); null where it takes none. */
function encodingOf(accepted: string | null): keyof typeof encoders | null {
  const taken = (accepted ?? '')
    .toLowerCase()
    .split(',')
    .filter((one) => !/;\s*q=0(\.0*)?\s*$/.test(one))
    .map((one) => one.split(';')[0]?.trim());
  return (['br', 'gzip'] as const).find((known) => taken.includes(known)) ?? null;
}

async function readAll(folder: string): Promise<Map<string, HeldFile>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      files.map(async (file): Promise<[string, HeldFile]> => {
        const path = relative(folder, file).split(sep).join('/');
        const bytes = new Uint8Array(await readFile(file));
        const headers = headersOf(path);
        const isText =
          bytes.length >= smallest &&
          /^(text|image.svg|application.(json|manifest))/.test(headers['Content-Type'] ?? '');
        return [path, { bytes, headers: isText ? { ...headers, Vary: 'Accept-Encoding' } : headers, isText }];
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
