import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** The numbers that a file of the source has as constants of its own, and those of their members. */
export function numbersOf(file) {
  const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  return namedNumbers(source).flatMap(({ name, value }) => {
    if (typeof value === 'number' || value.tries !== undefined || value.isOfText) return [{ name, value }];
    return Object.keys(value).map((member) => ({ name: `${name}.${member}`, value: value[member] }));
  });
}

/** The constants at the top of a source that are numbers, or objects of them, and what they are made of. */
export function namedNumbers(source) {
  const known = { ...units };
  const found = [];
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement) || !(statement.declarationList.flags & ts.NodeFlags.Const)) continue;
    for (const { name, initializer } of statement.declarationList.declarations.flatMap(singly)) {
      const value = initializer === undefined ? undefined : evaluated(initializer, known);
      if (value === undefined) continue;
      known[name] = value;
      found.push({ name, value, initializer });
    }
  }
  return found;
}

const units = {
  seconds: (n) => n * 1_000,
  minutes: (n) => n * 60_000,
  hours: (n) => n * 3_600_000,
  days: (n) => n * 86_400_000,
  kibibytes: (n) => n * 1_024,
  mebibytes: (n) => n * 1_048_576,
};

/** `const [a, b] = [1, 2]` declares two. */
function singly({ name, initializer }) {
  if (ts.isIdentifier(name)) return [{ name: name.text, initializer }];
  if (!ts.isArrayBindingPattern(name) || !ts.isArrayLiteralExpression(initializer)) return [];
  return name.elements.map((element, at) => ({ name: element.name.getText(), initializer: initializer.elements[at] }));
}

/** The length that a pattern has a text have; undefined where it has none, or several, or is that of a number. */
function lengthIn(pattern) {
  const found = [...pattern.matchAll(/(?<!\\d)\{(\d+),(\d{2,})\}/g)];
  return found.length === 1 ? { min: Number(found[0][1]), max: Number(found[0][2]), isOfText: true } : undefined;
}

/** What an expression of numbers comes to, or an object of them, or a pattern; undefined for any other. */
export function evaluated(node, known) {
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isRegularExpressionLiteral(node)) return lengthIn(node.text);
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken) {
    const value = evaluated(node.operand, known);
    return typeof value === 'number' ? -value : undefined;
  }
  if (ts.isIdentifier(node)) return typeof known[node.text] === 'number' ? known[node.text] : undefined;
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return evaluated(node.expression, known);
  if (ts.isCallExpression(node)) {
    const of = node.arguments.length === 1 ? evaluated(node.arguments[0], known) : undefined;
    const unit = known[node.expression.getText()];
    return typeof unit === 'function' && of !== undefined ? unit(of) : undefined;
  }
  if (ts.isBinaryExpression(node)) {
    const [left, right] = [evaluated(node.left, known), evaluated(node.right, known)];
    if (typeof left !== 'number' || typeof right !== 'number') return undefined;
    const how = { '*': left * right, '/': left / right, '+': left + right, '-': left - right, '**': left ** right };
    return how[node.operatorToken.getText()];
  }
  if (!ts.isObjectLiteralExpression(node) || node.properties.length === 0) return undefined;
  const members = node.properties.map((one) => [
    one.name?.getText(),
    ts.isPropertyAssignment(one) ? evaluated(one.initializer, known) : undefined,
  ]);
  return members.every(([, value]) => typeof value === 'number') ? Object.fromEntries(members) : undefined;
}
