import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { verifyRequest } from 'savepoint/server';
import { expect, it } from 'vitest';
import { failures } from '../../src/protocol/failures.js';

const page = readFileSync(new URL('../../docs/interface.md', import.meta.url), 'utf8');

/** The part of the page from a heading to the next one. */
function sectionOf(heading: string): string {
  const [, rest = ''] = page.split(`\n${heading}\n`);
  return rest.split(/^#{1,3} /m)[0] ?? '';
}

function signedExample() {
  const section = sectionOf('## Signed requests');
  const [, body = ''] = /```json\n(.*)\n```/.exec(section) ?? [];
  const [, lines = ''] = /```http\n([\s\S]*?)\n```/.exec(section) ?? [];
  const headers = Object.fromEntries(lines.split('\n').map((line) => line.split(': ')));
  const [, privateKey = ''] = /The private key is `([^`]+)`/.exec(section.replaceAll('\n', ' ')) ?? [];
  return { body, headers: headers as Record<string, string>, privateKey, section };
}

it('the signed example of the interface page has the signature that its key makes', () => {
  const { body, headers, privateKey } = signedExample();
  const text = `${headers['Service-Timestamp']}\n${headers['Service-Nonce']}\n${body}\n`;
  expect(headers['Service-Signature']).toBe(createHmac('sha256', privateKey).update(text).digest('hex'));
});

it('the signed example is one that this package verifies, and no other body is', async () => {
  const { body, headers, privateKey } = signedExample();
  const now = Number(headers['Service-Timestamp']);
  const request = { privateKeys: [privateKey], headers, now };
  expect(await verifyRequest({ ...request, body })).toMatchObject({ ok: true, timestamp: now });
  expect(await verifyRequest({ ...request, body: `${body}\n` })).toMatchObject({
    ok: false,
    code: 'invalid_signature',
  });
});

it('the command beside the example names its timestamp, nonce and key', () => {
  const { headers, privateKey, section } = signedExample();
  const [, command = ''] = /```sh\n([\s\S]*?)\n```/.exec(section) ?? [];
  for (const part of [headers['Service-Timestamp'], headers['Service-Nonce'], privateKey]) {
    expect(command).toContain(` ${part}`);
  }
});

it('the interface page lists every code that the service can answer, with its status', () => {
  const rows = sectionOf('### Codes of the service').matchAll(/^\| `(\w+)` \| (\d{3}) \|/gm);
  const listed = [...rows].map(([, code, status]) => [code, Number(status)]);
  expect(Object.fromEntries(listed)).toEqual(
    Object.fromEntries(Object.entries(failures).map(([code, { status }]) => [code, status])),
  );
});

it('the anchors of the interface page are those that docstrings link to', () => {
  const anchors = [...page.matchAll(/^<a id="([\w-]+)"><\/a>$/gm)].map(([, anchor]) => anchor);
  expect(anchors).toEqual([
    'what-the-service-does',
    'profile-entry',
    'entry-update-request',
    'entry-update-response',
    'server-authentication-request',
    'server-authentication-response',
    'authentication-result',
    'states-and-transitions',
    'endpoints',
    'read-a-collection',
    'update-an-entry',
    'server-to-server-authentication',
    'client-operations',
    'private-profile-api',
    'signed-requests',
    'client-authentication',
    'events',
    'errors',
    'limits',
    'versioning',
    'ours-signing',
    'ours-tokens',
    'ours-errors-and-limits',
    'ours-profile-entries',
    'ours-links-conflicts-sessions',
    'ours-player-endpoints',
    'ours-limits-of-saves',
  ]);
});
