// Requests over bare sockets, one after the other on each: a client that costs little beside what it measures.
import { connect } from 'node:net';

export const gameId = '00000000-0000-4000-8000-000000000000';

/** Reads answers with a Content-Length; `onAnswer` gets the status and the body of each. */
function openConnection(port, onAnswer) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let pending = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const end = pending.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = pending.toString('latin1', 0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    const isChunked = Number.isNaN(length);
    const total = isChunked ? pending.indexOf('0\r\n\r\n', end) + 5 : end + 4 + length;
    if ((isChunked && total === 4) || pending.length < total) return;
    const body = pending.toString('utf8', end + 4, total);
    pending = pending.subarray(total);
    onAnswer(Number(head.slice(9, 12)), body);
  });
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
  });
}

export function requestText(method, path, { token, headers = {}, body } = {}) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (token !== undefined) lines.push(`Authorization: Bearer ${token}`);
  if (body !== undefined) lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`);
  return `${lines.join('\r\n')}\r\n\r\n${text}`;
}

/**
 * Sends what `next` gives on so many connections, for that long or until it gives null; `onAnswer` gets each body. Tells
 * how many were answered in a second, and throws where one was refused.
 */
export async function load(port, next, { connections = 32, ms = 1_000, onAnswer = () => {}, isAwake = true } = {}) {
  let answered = 0;
  let failed = null;
  const start = performance.now();
  // Never asleep: to wake the other process would be paid by the service, and most by the one that answers last.
  let isLoading = isAwake;
  const stayAwake = () => {
    if (isLoading) setImmediate(stayAwake);
  };
  stayAwake();
  const nextOf = (index) => (failed !== null || performance.now() - start >= ms ? null : next(index));

  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      let done;
      const finished = new Promise((resolve) => {
        done = resolve;
      });
      const socket = await openConnection(port, (status, body) => {
        answered += 1;
        if (status < 200 || status > 299) failed = `${status} ${body}`;
        else onAnswer(body, index);
        send();
      });
      socket.on('error', () => {});
      let isOver = false;
      socket.on('close', () => {
        if (!isOver) failed ??= 'nothing: it closed the connection';
        done();
      });
      function send() {
        const text = nextOf(index);
        if (text === null) {
          isOver = true;
          socket.destroy();
          return;
        }
        socket.write(text);
      }
      send();
      await finished;
    }),
  );
  isLoading = false;
  if (failed !== null) throw new Error(`The service answered ${failed.slice(0, 300)}`);
  return { perSecond: (answered * 1_000) / (performance.now() - start), answered };
}

/** Sends these one after the other; the bodies of the answers. */
export async function sendAll(port, texts) {
  const bodies = [];
  let sent = 0;
  const next = () => {
    sent += 1;
    return texts[sent - 1] ?? null;
  };
  await load(port, next, { connections: 1, ms: Number.POSITIVE_INFINITY, onAnswer: (body) => bodies.push(body) });
  return bodies;
}
