import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** The numbers that a file of the source has as constants of its own, and those of their members. */
export function numbersOf(file) {
  const found = [];
  const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  const known = { minutes: (n) => n * 60_000, seconds: (n) => n * 1_000, kibibytes: (n) => n * 1_024 };
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement) || !(statement.declarationList.flags & ts.NodeFlags.Const)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      const value = initializer === undefined ? undefined : evaluated(initializer, known);
      if (value === undefined) continue;
      known[name.text] = value;
      const isRate = typeof value === 'object' && value.tries !== undefined;
      if (typeof value === 'number' || isRate) found.push({ name: name.text, value });
      else
        for (const member of Object.keys(value)) found.push({ name: `${name.text}.${member}`, value: value[member] });
    }
  }
  return found;
}

/** What an expression of numbers comes to, or an object of them; undefined for any other. */
function evaluated(node, known) {
  if (ts.isNumericLiteral(node)) return Number(node.text);
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
