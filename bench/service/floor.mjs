// The least that a service of this kind can do: hono, a Map, and two tokens signed by hand. It checks nothing but the token.
import { createHmac, randomUUID } from 'node:crypto';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { report } from './reporting.mjs';

const secret = 'a secret of nobody';
const accounts = new Map();
const entries = new Map();

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const head = encode({ alg: 'HS256', typ: 'JWT' });
const mac = (text) => createHmac('sha256', secret).update(text).digest('base64url');

function sign(claims) {
  const text = `${head}.${encode(claims)}`;
  return `${text}.${mac(text)}`;
}

function playerOf(context) {
  const token = (context.req.header('authorization') ?? '').slice(7);
  const end = token.lastIndexOf('.');
  if (mac(token.slice(0, end)) !== token.slice(end + 1)) return null;
  return JSON.parse(Buffer.from(token.slice(head.length + 1, end), 'base64url').toString()).sub;
}

const app = new Hono();

app.post('/v2/auth/guest', async (context) => {
  const { device_id: device, game_id: game, env } = await context.req.json();
  const userId = accounts.get(device) ?? randomUUID();
  accounts.set(device, userId);
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss: 'floor', aud: game, env, sub: userId, sid: randomUUID(), jti: randomUUID(), iat };
  const accessToken = sign({ ...claims, exp: iat + 3_600 });
  const refreshToken = sign({ ...claims, exp: iat + 2_592_000 });
  return context.json({ userId, accessToken, refreshToken, status: 0, country: 'ZZ', time: Date.now() });
});

app.get('/v2/cl/games/:game/collections/:collection', (context) => {
  const player = playerOf(context);
  if (player === null) return context.json({ code: 'unauthorized' }, 401);
  return context.json([...(entries.get(`${player}/${context.req.param('collection')}`)?.values() ?? [])]);
});

app.patch('/v2/cl/games/:game/collections/:collection/:key', async (context) => {
  const player = playerOf(context);
  if (player === null) return context.json({ code: 'unauthorized' }, 401);
  const { value } = await context.req.json();
  const { collection, key } = context.req.param();
  const name = `${player}/${collection}`;
  const held = entries.get(name) ?? new Map();
  const version = (held.get(key)?.version ?? -1) + 1;
  entries.set(name, held.set(key, { key, value, version }));
  return context.json({ version });
});

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => report(port));
