import { createHash } from 'node:crypto';
import { operations } from '../../protocol/operations.js';
import { demoGame } from '../demo.js';
import { faultsSaid, type Ready } from './banner.js';
import { clientCode, guestCommand, readCommand } from './first-steps.js';
import { Html, html } from './html.js';
import { script, style } from './start-page-assets.js';

/** Whether a browser asks for the page: a GET or HEAD of `/` whose Accept header names HTML. */
export function asksForStartPage({ method, url, headers }: Request): boolean {
  if (!['GET', 'HEAD'].includes(method) || new URL(url).pathname !== '/') return false;
  const ranges = (headers.get('Accept') ?? '').toLowerCase().split(',');
  return ranges.some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim());
    return type === 'text/html' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

const sources = [`style-src '${hashOf(style)}'`, `script-src '${hashOf(script)}'`, 'img-src data:'].join('; ');
const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; ${sources}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  Vary: 'Accept',
};

export function startPage({ method }: Pick<Request, 'method'>, ready: Ready): Response {
  return new Response(method === 'HEAD' ? null : startPageText(ready), { headers });
}

/** All of the page. A private key that somebody gave is not in it. */
export function startPageText(ready: Ready): string {
  const { url, gameId, privateKey, seeded } = ready;
  const demoKey = privateKey === demoGame.privateKey ? privateKey : null;
  const icon =
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><path d='M1 1h6v6H1z'/></svg>";
  return `<!doctype html>
${html`<html lang="en" data-address="${url}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>savepoint dev: the service is running</title>
<link rel="icon" href="${icon}">
<style>${new Html(style)}</style>
</head>
<body>
<main>
<h1>savepoint is running</h1>
<p>Player accounts and cloud saves for web games: the whole service, for development, on a port of this machine.</p>
${facts(ready, demoKey)}
${seeded.length === 0 ? '' : players(seeded)}
<h2>First steps</h2>
${paste('In your game', clientCode({ url, gameId }), html`<p>After <code>npm install savepoint</code>:</p>`)}
${paste('In a terminal: sign a guest in', guestCommand({ url, gameId }))}
${paste(
  'What your back end sees of that player',
  readCommand({ url, gameId }, demoKey ?? '<private key>'),
  html`<p>With the <code>userId</code> of the answer above:</p>`,
)}
${whereToGoOn}
<p role="status" class="soft"></p>
</main>
<script>${new Html(script)}</script>
</body>
</html>`}
`;
}

function facts({ url, gameId, store, faults }: Ready, demoKey: string | null): Html {
  const { readApiDocument, readPublicKeys } = operations;
  return html`<dl>
<dt>Address</dt><dd><code data-addressed>${url}</code></dd>
<dt>Game id</dt><dd><code>${gameId}</code></dd>
<dt>Private key</dt><dd>${
    demoKey === null
      ? 'the one that you gave; it is not shown here'
      : html`<code>${demoKey}</code> <span class="soft">a demo key: everybody knows it</span>`
  }</dd>
<dt>Environments</dt><dd><code>0</code> Development, <code>1</code> Stage, <code>2</code> Production</dd>
<dt>Store</dt><dd>${store === 'memory' ? 'memory: when the service stops, all of it is gone' : 'everything is kept, also when the service stops'}</dd>
${faults === null ? '' : html`<dt>Faults</dt><dd>of the requests ${faultsSaid(faults)}</dd>`}
<dt>All requests</dt><dd><a href="${readApiDocument.path}">${readApiDocument.path}</a> <span class="soft">OpenAPI 3.1</span></dd>
<dt>Public keys</dt><dd><a href="${readPublicKeys.path}">${readPublicKeys.path}</a> <span class="soft">to check tokens with</span></dd>
</dl>`;
}

function players(seeded: Ready['seeded']): Html {
  const rows = seeded.map(
    ({ username, password }) => html`<tr><td><code>${username}</code></td><td><code>${password}</code></td></tr>`,
  );
  return html`<h2>Players</h2>
<p>Each has a save in the collection <code>progress</code>.</p>
<table><thead><tr><th scope="col">Name</th><th scope="col">Password</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function paste(title: string, code: string, note: Html | '' = ''): Html {
  return html`<div class="paste"><div class="bar"><h3>${title}</h3><button type="button" hidden aria-label="Copy: ${title}">Copy</button></div>
${note}
<pre><code data-addressed>${code}</code></pre></div>`;
}

const whereToGoOn = html`<h2>Where to go on</h2>
<ul>
<li><code>node_modules/savepoint/README.md</code>: everything that there is, with the profile conflict and the saves</li>
<li><code>node_modules/savepoint/docs/interface.md</code>: the interface, request by request</li>
<li><code>npx savepoint dev --help</code>: a store in a file, players with saves, requests that go wrong</li>
<li><code>npx savepoint check</code>: asks a deployment everything that the contract says</li>
</ul>`;

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
