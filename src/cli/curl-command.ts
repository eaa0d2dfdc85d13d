import { quoted } from './quoted.js';

/** A POST as a command for any POSIX shell, with exactly this body. */
export function curlCommand(request: { url: string; headers: readonly [string, string][]; body: string }): string {
  const { url, headers, body } = request;
  const named = headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const curl = ['curl -sS -X POST', quoted(url), ...named].join(' ');
  return hasHiddenCharacters(body)
    ? // A terminal acts on a pasted tab or escape; printf writes them on the other side.
      `printf '%b' ${quoted(escaped(body))} | ${curl} --data-binary @-`
    : `${curl} --data-raw ${quoted(body)}`;
}

function hasHiddenCharacters(text: string): boolean {
  return /[^\P{Cc}\n]/u.test(text);
}

function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replace(/\p{Cc}/gu, (char) =>
      [...Buffer.from(char)].map((byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join(''),
    );
}
