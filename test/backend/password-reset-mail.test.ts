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
async function mail({ kind, name, code, ...delivery }: Delivery): Promise<void> {
  const text = {
    reset: `Hello ${name}, ${code} sets a new password, for ten minutes. If you did not ask for it, do nothing.`,
    verify: `Hello ${name}, ${code} shows that this address is yours. If you did not ask for it, do nothing.`,
    address_changed: `Hello ${name}, codes for your account go to this address no longer.`,
  }[kind];
  const transport = createTransport({ host: '127.0.0.1', port, secure: false, ignoreTLS: true });
  await transport.sendMail({
    from: 'The Game <no-reply@game.example>',
    to: delivery.address ?? 'ada@mail.example',
    subject: code === undefined ? 'Your address' : `${code} is your code`,
    text,
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

  it('verifies an e-mail address, where the next one arrives', async () => {
    const service = createTestService({ deliver: mail });
    const { accessToken: token } = await useName(service, ada);
    const mailed = async (asked: Promise<{ status: number }>): Promise<string> => {
      const came = new Promise<void>((done) => {
        arrived = done;
      });
      expect((await asked).status).toBe(204);
      await came;
      return mails.at(-1) ?? '';
    };
    const address = 'ada+game@other.example';
    const first = await mailed(post(service, operations.setAddress.path, { address }, { token }));
    const [, code] = /^Subject: (\d{6}) is your code/m.exec(first) ?? [];
    expect((await post(service, operations.verifyAddress.path, { code }, { token })).status).toBe(204);
    const second = await mailed(post(service, operations.requestReset.path, { username: 'ada' }));
    for (const one of [first, second]) expect(one).toContain(`To: ${address}`);
    expect(second).toContain('sets a new password');
    const third = await mailed(post(service, operations.setAddress.path, { address: null }, { token }));
    expect(third).toContain(`To: ${address}`);
    expect(third).toContain('go to this address no longer');
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
