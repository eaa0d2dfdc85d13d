import { createTransport } from 'nodemailer';
import type { Delivery, LogRecord } from 'savepoint/backend';
import { SMTPServer } from 'smtp-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operations } from '../../src/protocol/operations.js';
import { createTestService, post, useName } from '../support/service.js';

const ada = { username: 'Ada', password: 'correct horse' };

let mails: string[];
let arrived: () => void;
let server: SMTPServer;
let port: number;

beforeEach(async () => {
  mails = [];
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      let text = '';
      stream.setEncoding('utf8');
      stream.on('data', (piece: string) => {
        text += piece;
      });
      stream.on('end', () => {
        mails.push(text);
        done();
        arrived();
      });
    },
  });
  const listener = server.listen(0, '127.0.0.1');
  await new Promise<void>((listening) => listener.once('listening', listening));
  port = (listener.address() as { port: number }).port;
});
afterEach(() => new Promise<void>((closed) => server.close(() => closed())));

/** As docs/accounts.md has it. */
async function mail({ name, code }: Delivery): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port, secure: false, ignoreTLS: true });
  await transport.sendMail({
    from: 'The Game <no-reply@game.example>',
    to: 'ada@mail.example',
    subject: `${code} is your code`,
    text: `Hello ${name}, ${code} sets a new password, for ten minutes. If you did not ask for it, do nothing.`,
  });
  transport.close();
}

describe('a mail with a code', () => {
  it('arrives, and its code sets the password', async () => {
    const log: LogRecord[] = [];
    const service = createTestService({ deliver: mail, log: (record) => log.push(record) });
    await useName(service, ada);
    const mailed = new Promise<void>((done) => {
      arrived = done;
    });
    expect((await post(service, operations.requestReset.path, { username: 'ada' })).status).toBe(204);
    await mailed;
    const [, code = ''] = /^Subject: (\d{6}) is your code/m.exec(mails[0] ?? '') ?? [];
    expect(mails[0]).toContain(`Hello Ada, ${code} sets a new password`);
    const set = { username: 'ada', code, new_password: 'battery staple' };
    expect((await post(service, operations.resetPassword.path, set)).status).toBe(204);
    await useName(service, { ...ada, password: 'battery staple' });
    expect(JSON.stringify(log)).not.toContain(code);
  });

  it('that cannot be sent is in the log by its name, and in no answer', async () => {
    const log: LogRecord[] = [];
    const service = createTestService({ deliver: mail, log: (record) => log.push(record) });
    await useName(service, ada);
    await new Promise<void>((closed) => server.close(() => closed()));
    expect((await post(service, operations.requestReset.path, { username: 'ada' })).status).toBe(204);
    while (service.backend.load().deliveries > 0) await new Promise((done) => setImmediate(done));
    expect(log.filter(({ kind }) => kind === 'error')).toMatchObject([{ message: 'A code could not be delivered.' }]);
  });
});
