import { Agent, request } from 'node:http';

export interface KeptConnections {
  send(
    url: string,
    sent: { method: string; headers: Record<string, string>; text: string },
  ): Promise<{ status: number; body: AnyBody }>;
  close(): void;
}

// biome-ignore lint/suspicious/noExplicitAny: a test asserts what is in it.
type AnyBody = any;

/** HTTP without what a `fetch` costs, for tests that send requests by the ten thousand. */
export function keepConnections(): KeptConnections {
  const agent = new Agent({ keepAlive: true });
  return {
    send: (url, { method, headers, text }) =>
      new Promise((resolve, reject) => {
        const length = String(Buffer.byteLength(text));
        const sending = request(url, { method, agent, headers: { ...headers, 'content-length': length } }, (answer) => {
          let said = '';
          answer.setEncoding('utf8');
          answer.on('data', (part: string) => {
            said += part;
          });
          answer.once('error', reject);
          answer.once('end', () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(said) }));
        });
        sending.once('error', reject);
        sending.end(text);
      }),
    close: () => agent.destroy(),
  };
}
