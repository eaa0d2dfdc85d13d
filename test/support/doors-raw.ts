import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection to a port, byte by byte. */
export interface RawConnection {
  socket: Socket;
  send(text: string | Uint8Array): void;
  /** What has come back so far. */
  received(): string;
  /** Settles with all of it when the other side has closed. */
  closed: Promise<string>;
}

export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  // A reset is one way of closing.
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  await once(socket, 'connect');
  return { socket, send: (more) => void socket.write(more), received: () => text, closed };
}

/** Sends bytes on a connection of their own and gives back the answers' status codes once it is closed. */
export async function statusesOf(port: number, ...parts: (string | Uint8Array)[]): Promise<number[]> {
  const connection = await openRaw(port);
  for (const part of parts) connection.send(part);
  return statusesIn(await connection.closed);
}

export function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}
