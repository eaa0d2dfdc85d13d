import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';

/**
 * Answers requests for the files of a folder; anything else is 404.
 *
 * @param {string} folder
 * @returns {(request: Request) => Response | Promise<Response>}
 */
export function serveFiles(folder) {
  const app = new Hono();
  app.get('/*', serveStatic({ root: folder }));
  return (request) => app.fetch(request);
}
