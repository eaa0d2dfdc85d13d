import { type Exception, exceptions } from './exceptions.js';
import { parsed, readyToParse } from './parsed.js';
import { columnsOfTables, rules, statementOf } from './rules.js';

interface Broken {
  rule: string;
  text: string;
}

/** Which rules some statements break that no exception is for, and the exceptions that none of them needs. An `@` is a schema. */
export async function brokenRules(texts: readonly string[]): Promise<{ unexcused: Broken[]; unused: Exception[] }> {
  await readyToParse();
  const statements = texts.map((text) => ({ text: text.trim(), nodes: parsed(text.replaceAll('@', 's.')) }));
  const columns = columnsOfTables(statements.flatMap(({ nodes }) => nodes));
  const broken = statements.flatMap(({ text, nodes }) => {
    const seen = nodes.map((node) => statementOf(node, columns));
    return rules.filter((rule) => seen.some(rule.breaks)).map(({ name }): Broken => ({ rule: name, text }));
  });
  const excuses = ({ rule, statements: such }: Exception, one: Broken) => rule === one.rule && such.test(one.text);
  return {
    unexcused: broken.filter((one) => !exceptions.some((exception) => excuses(exception, one))),
    unused: exceptions.filter((exception) => !broken.some((one) => excuses(exception, one))),
  };
}
