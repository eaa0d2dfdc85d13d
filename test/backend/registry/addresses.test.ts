import { describe, expect, it } from 'vitest';
import { AddressNotAllowed, createGuardedFetch } from '../../../src/backend/registry/guarded-fetch.js';
import { addressProblem, isPublicIp } from '../../../src/backend/registry/public-addresses.js';

const strict = { allowPrivateAddresses: false };
const open = { allowPrivateAddresses: true };

const privateOnes = [
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://10.1.2.3/',
  'https://100.64.0.1/',
  'https://172.16.0.1/',
  'https://192.168.1.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://192.0.2.1/',
  'https://198.18.0.1/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'https://0.0.0.0/',
  'https://[::1]/',
  'https://[::]/',
  'https://[fe80::1]/',
  'https://[fd00::1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[64:ff9b::a00:1]/',
  'https://[2002:a00:1::]/',
  'https://[2001:db8::1]/',
  'https://[2001:2::1]/',
  'https://[2001:20::1]/',
  'https://[3fff::1]/',
  'https://168.63.129.16/',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://a.localhost/',
  'https://redis/',
  'https://metadata.google.internal/',
  'https://printer.local/',
];

describe('an address that an operator gives', () => {
  it.each([
    'https://wave.example.com/a?b=c',
    'https://8.8.8.8:8443/',
    'https://[2606:4700::1111]/',
    'https://[::ffff:8.8.8.8]/',
  ])('%s may be asked', (address) => {
    expect(addressProblem(address, strict)).toBeNull();
  });

  it.each(privateOnes)('%s may not be asked, for it is private, but where that is allowed', (address) => {
    expect(addressProblem(address, strict)).toBe('must not be an address of a private network');
    expect(addressProblem(address, open)).toBeNull();
  });

  it.each([
    'http://wave.example.com/',
    'ftp://wave.example.com/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'x',
    '',
  ])('%s is no https address, wherever it leads', (address) => {
    for (const rules of [strict, open]) expect(addressProblem(address, rules)).toBe('must be an https address');
  });

  it('may be http on this machine where private addresses are allowed, and on no other', () => {
    for (const host of ['127.0.0.1:8080', 'localhost:1', '[::1]']) {
      expect(addressProblem(`http://${host}/`, open)).toBeNull();
      expect(addressProblem(`http://${host}/`, strict)).toBe('must be an https address');
    }
    for (const host of ['10.0.0.1', '127.evil.example', 'localhost.evil.example']) {
      expect(addressProblem(`http://${host}/`, open)).toBe('must be an https address');
    }
  });

  it('has no name and password in it, which a log would show', () => {
    expect(addressProblem('https://ada:secret@wave.example.com/', strict)).toMatch(/name and password/);
  });

  it('that is no IP address at all is not public', () => {
    for (const text of ['', 'x', ':::', '1.2.3', 'fe80::1%eth0', '::ffff:192.168.0.1'])
      expect(isPublicIp(text)).toBe(false);
    expect(isPublicIp('1.1.1.1')).toBe(true);
  });
});

describe('what a platform asks for', () => {
  const answered = () => {
    const asked: Request[] = [];
    const fetch = async (request: Request) => {
      asked.push(request);
      return new Response('yes');
    };
    return { asked, fetch };
  };

  it('is sent to a public address, and follows no redirect', async () => {
    const { asked, fetch } = answered();
    const guarded = createGuardedFetch(strict, { fetch });
    expect(await (await guarded(new Request('https://wave.example.com/'))).text()).toBe('yes');
    expect(asked.map(({ redirect }) => redirect)).toEqual(['manual']);
  });

  it.each(privateOnes)('is not sent to %s, also where an answer has named it', async (address) => {
    const { asked, fetch } = answered();
    await expect(createGuardedFetch(strict, { fetch })(new Request(address))).rejects.toThrow(AddressNotAllowed);
    expect(asked).toEqual([]);
  });

  it('is not sent to a name that has a private address among its own', async () => {
    const { asked, fetch } = answered();
    const names: { [host: string]: string[] } = {
      'rebound.example.com': ['93.184.216.34', '10.0.0.1'],
      'six.example.com': ['fd00::1'],
      'fine.example.com': ['93.184.216.34', '2606:4700::1111'],
    };
    const guarded = createGuardedFetch(strict, { fetch, lookup: async (host) => names[host] ?? [] });
    for (const host of ['rebound.example.com', 'six.example.com']) {
      await expect(guarded(new Request(`https://${host}/`))).rejects.toThrow(AddressNotAllowed);
    }
    await guarded(new Request('https://fine.example.com/'));
    expect(asked.map(({ url }) => url)).toEqual(['https://fine.example.com/']);
  });
});
