import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { evaluated, namedNumbers } from './numbers-of.mjs';

/**
 * The numbers of a source file that bound a time, a size or a count, and have no name: each as the code that holds it. What
 * has a name of its own at the top of its file is not among them: `numbersOf` has that.
 */
export function inlineBoundsOf(file) {
  return boundsIn(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));
}

/** The same of a text. */
export function boundsIn(text) {
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.ESNext, true);
  const named = new Set(namedNumbers(source).map(({ initializer }) => initializer));
  const found = [];
  const visit = (node) => {
    if (named.has(node) || named.has(node.initializer) || ts.isTypeNode(node)) return;
    if (isBound(node)) found.push(node.getText().replace(/\s+/g, ' '));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** What is called with a bound: a form of zod's, and what waits. */
const bounding =
  /^(maxLength|minLength|maximum|minimum|length|lt|lte|startTimer|withinTime|wait|timeout|setTimeout|setInterval)$/;

/** How that is named which a number bounds. `length` alone is mostly how many items are to be made. */
const measure =
  /(ms|millis|bytes|seconds|\wlength|\.length|size|mark|items|times|tries|attempts?|timeout|interval|delay|limit|atonce|waiting|listeners|events|depth|age)$|^(max|most|longest|largest|min|least|shortest|smallest)/i;

/** How a text of SQL has a bound. */
const inSql = /\b(?:LIMIT|PRAGMA \w+ =|\w*timeout =) -?\d{2,}|= '\d+[kMG]B'/;

function isBound(node) {
  if (ts.isCallExpression(node)) return bounding.test(nameOfCalled(node)) && node.arguments.some(isNumber);
  if (ts.isBinaryExpression(node)) return isComparison(node);
  if (ts.isRegularExpressionLiteral(node)) return evaluated(node, {}) !== undefined;
  if (ts.isTemplateExpression(node)) return inSql.test(textOf(node));
  if (ts.isStringLiteralLike(node)) return inSql.test(node.text);
  const isNamed =
    ts.isPropertyAssignment(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node);
  return isNamed && node.initializer !== undefined && isNumber(node.initializer) && measure.test(node.name.getText());
}

function nameOfCalled({ expression }) {
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText();
}

function isComparison({ left, operatorToken, right }) {
  const sides = [left, right];
  const isCompared = /^[<>]=?$/.test(operatorToken.getText());
  return isCompared && sides.some(isNumber) && sides.some((side) => measure.test(side.getText()));
}

/** A template's text, with the numbers that stand in it. */
function textOf({ head, templateSpans }) {
  const spans = templateSpans.map(({ expression, literal }) => `${evaluated(expression, {}) ?? ''}${literal.text}`);
  return head.text + spans.join('');
}

/** 0, 1 and 2 are an end, a single one and a half. */
function isNumber(node) {
  const value = evaluated(node, {});
  return typeof value === 'number' && Math.abs(value) > 2;
}
