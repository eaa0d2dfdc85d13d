import { readFileSync } from 'node:fs';
import { platformPresets } from 'savepoint/backend/platforms';
import { describe, expect, it } from 'vitest';
import { readLimits } from '../../../console/src/pages/limits.js';
import { en } from '../../../console/src/texts/en.js';
import { german } from '../../../src/cli/console/words/german.js';
import { formOf, inWords } from '../../../src/cli/console/words/words.js';
import { faultsSaid } from '../../../src/cli/dev/banner.js';
import { failures } from '../../../src/protocol/failures.js';
import { timestampProblem } from '../../../src/protocol/signing.js';
import { createDoubles } from '../../backend/platforms/doubles.js';
import { testGameId, testStart } from '../../support/service.js';

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** The sentences of a source file: what stands in quotes behind one of these. */
function sentencesOf(path: string, behind: RegExp): string[] {
  const text = read(path);
  const quoted = new RegExp(`(?:${behind.source})\\s*(?:'((?:[^'\\\\\\n]|\\\\.)+)'|"([^"\\n]+)"|\`([^\`]+)\`)`, 'g');
  return [...text.matchAll(quoted)].map(([, single, double, template]) => {
    const sentence = single?.replaceAll("\\'", "'") ?? double ?? template ?? '';
    return formOf(sentence.replaceAll(/"\$\{[^}]*\}"/g, '"x"').replaceAll(/\$\{[^}]*\}/g, '1'));
  });
}

const has = (sentence: string): boolean => Object.hasOwn(german.sentences, sentence);

describe('the German of what the service says', () => {
  it('has every preset, each of its fields, and no other', () => {
    const asked = platformPresets.map(({ name, fields }) => [name, fields.map((field) => field.name)]);
    expect(Object.entries(german.presets).map(([name, { fields }]) => [name, Object.keys(fields)])).toEqual(asked);
    const texts = Object.values(german.presets).flatMap(({ help, fields }) => [help, ...Object.values(fields).flat()]);
    expect(texts.every((text) => text.length > 3)).toBe(true);
  });

  it('names the same codes in a help as the English does', () => {
    const codesOf = (text: string): string[] => [...new Set(text.match(/`[^`]+`/g) ?? [])].sort();
    for (const { name, help, fields } of platformPresets) {
      const own = german.presets[name];
      expect([name, codesOf(own?.help ?? '')]).toEqual([name, codesOf(help)]);
      for (const { name: field, help: ofField } of fields) {
        expect([name, field, codesOf(own?.fields[field]?.[1] ?? '')]).toEqual([name, field, codesOf(ofField)]);
      }
    }
  });

  it('has every limit of the document that settings change, with the same codes, and none that is not there', () => {
    const all = readLimits(read('docs/limits.md'));
    const limits = all.filter(({ change }) => change !== 'fixed');
    const known = Object.entries(german.limits).flatMap(([of, names]) =>
      Object.keys(names).map((name) => `${of} ${name}`),
    );
    const keyOf = ({ of, name }: (typeof all)[number]): string => `${of} ${name}`;
    expect(limits.map(keyOf).filter((key) => !known.includes(key))).toEqual([]);
    expect(known.filter((key) => !all.map(keyOf).includes(key))).toEqual([]);
    const codesOf = (text: string): string[] => (text.match(/`[^`]+`/g) ?? []).sort();
    for (const { of, name, bounds } of limits) {
      expect([name, codesOf(german.limits[of]?.[name] ?? '')]).toEqual([name, codesOf(bounds)]);
    }
    expect([...new Set(limits.map(({ of }) => of))].filter((of) => !has(of))).toEqual([]);
    // What is a number, a span of time or a code is the same in both.
    const isSame = (text: string): boolean => /^\{\}( \(\{\} (s|min|h|KiB|MiB)\)|\/\{\})?$/.test(formOf(text));
    const others = limits.flatMap(({ usual, change }) => [usual, change]).filter((text) => !isSame(text));
    expect([...new Set(others.map(formOf))].filter((form) => !has(form))).toEqual([]);
  });

  it('has every code of a refusal', () => {
    for (const code of Object.keys(failures)) expect(german.failures[code]).toMatch(/\.$/);
  });

  it('has every step of a check', async () => {
    const doubles = await createDoubles();
    for (const preset of platformPresets) {
      const { settings } = doubles[preset.name] ?? { settings: {} };
      const fetch = async () => new Response(null, { status: 500 });
      const at = { gameId: testGameId, environment: 0 as const, now: testStart };
      const { steps } = await preset.create(settings, { fetch }).explain('x', at);
      expect(steps.map(({ step }) => formOf(step)).filter((step) => !has(step))).toEqual([]);
    }
    const sources = ['discord', 'token-check', 'signed-token'].map((name) => `src/backend/platforms/${name}.ts`);
    const steps = sources.flatMap((path) => sentencesOf(path, /\b(?:form|exchange|claims|issuer|audience):/));
    expect(steps.length).toBeGreaterThan(5);
    expect(steps.filter((step) => !has(step) && step.startsWith('It '))).toEqual([]);
  });

  it('has every reason for which a check fails', () => {
    const files = [
      ...['ask', 'age', 'check', 'discord', 'steam', 'crazy-games', 'telegram', 'facebook-instant', 'network'].map(
        (name) => `platforms/${name}`,
      ),
      ...['signed-token', 'signed-token-verifier', 'identity-tokens'].map((name) => `providers/${name}`),
    ];
    const behind =
      /(?:DoesNotHold|UnknownAnswer)\(|knownErrors\[number\] \?\?|\b10[12]:|banned',|WrongToken\('\w+',|return/;
    const found = files
      .flatMap((file) => sentencesOf(`src/backend/${file}.ts`, behind))
      .filter((one) => /^[A-Z].*\.$/.test(one));
    const answers = ['src/http/request-json.ts', 'src/backend/providers/provider-keys.ts'].flatMap((path) =>
      sentencesOf(path, /UnusableAnswer\(\w+,|leadsElsewhere \?|:/).filter((what) => /^(is|leads) /.test(what)),
    );
    const all = [...found, ...answers.map((what) => `The answer ({}) ${what}.`)];
    expect(new Set(all).size).toBeGreaterThan(50);
    expect([...new Set(all)].filter((sentence) => !has(sentence))).toEqual([]);
  });

  it('has what a trial says besides', () => {
    const said = sentencesOf('src/backend/admin/try-platform.ts', /failed\(|step =|[?:]|',/).filter((one) =>
      /^[A-Z]\w+ \w/.test(one),
    );
    expect(said.filter((one) => one !== 'It cannot: {}.' && one !== 'There is no such platform.' && !has(one))).toEqual(
      [],
    );
    expect(said).toContain('It took too long.');
    for (const problem of Object.keys(en.platforms.problems)) expect(has(`It cannot: ${problem}.`)).toBe(true);
  });

  it('has every reason why a signature is wrong', () => {
    const path = 'src/cli/console/explain-signature.ts';
    const given = { names: ['Service-Timestamp', 'Service-Nonce', 'Service-Signature'], sides: ['behind', 'ahead of'] };
    const found = sentencesOf(path, /why(?::| =)|\?\?/).filter((one) => /^[A-Z{].{9,}\.$/.test(one));
    expect(found.length).toBeGreaterThan(10);
    for (const timestamp of ['', '1234567890'])
      expect(inWords(german, `${timestampProblem(timestamp)}.`)).not.toBeNull();
    const ways = sentencesOf(path, /(?:changed|joined)\([^,]+,|changed\(JSON[^']+,/);
    expect(ways.length).toBeGreaterThan(8);
    const spelled = (sentence: string): string[] => {
      if (sentence.startsWith('The body was signed')) return ways.slice(0, 4).map((way) => sentence.replace('{}', way));
      if (sentence.startsWith('The signed text')) return ways.slice(4).map((way) => sentence.replace('{}', way));
      if (sentence.includes("s {} the service's clock")) {
        return given.sides.map((side) =>
          sentence.replace('{} is', 'Service-Timestamp is').replace('s {} the', `s ${side} the`),
        );
      }
      if (/^(The header )?\{\} (is|must)/.test(sentence))
        return given.names.map((name) => sentence.replace('{}', name));
      return [sentence];
    };
    for (const sentence of found) expect([sentence, spelled(sentence).some(has)]).toEqual([sentence, true]);
    for (const way of ways)
      expect([way, Object.keys(german.sentences).some((one) => one.includes(` ${way}:`))]).toEqual([way, true]);
  });

  it('has what was planned to go wrong, with its numbers', () => {
    const said = faultsSaid({ slow: 0.2, 503: 0.05, lost: 0.01, offline: 0.5 }).split(', ');
    expect(said.map((one) => inWords(german, one))).toEqual([
      '20 % nach 2 s beantwortet',
      '5 % mit 503 abgelehnt',
      '1 % ausgeführt, aber ohne Antwort',
      '50 % verloren',
    ]);
  });

  it('leaves what it does not know as it is', () => {
    expect(inWords(german, 'A sentence that nobody has translated.')).toBeNull();
    expect(inWords(german, 'constructor')).toBeNull();
    expect(inWords(null, 'fixed')).toBeNull();
  });
});
