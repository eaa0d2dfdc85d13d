import { isPlainObject } from '../protocol/value-text.js';
import type { RuleName } from './rules.js';

const ruleNames: Readonly<Record<RuleName, true>> = {
  max: true,
  min: true,
  sum: true,
  union: true,
  latest: true,
  keepLocal: true,
  keepCloud: true,
};

/**
 * Throws TypeError, with the place of the rule first, for what is no rule. A misspelt rule would count as none, and the
 * player would lose what it was to merge.
 */
export function checkMergeRules(rules: unknown, place = 'merge'): void {
  if (typeof rules === 'function') return;
  if (!isPlainObject(rules)) throw new TypeError(`${place} must be a function or an object of rules`);
  for (const [field, rule] of Object.entries(rules)) {
    // A rule that is undefined is none, as everywhere in JavaScript.
    if (rule === undefined || (typeof rule === 'string' && Object.hasOwn(ruleNames, rule))) continue;
    if (typeof rule === 'string') {
      throw new TypeError(`${place}.${field} must be one of the rules ${Object.keys(ruleNames).join(', ')}`);
    }
    checkMergeRules(rule, `${place}.${field}`);
  }
}
