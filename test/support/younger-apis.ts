/**
 * What at least one of the oldest browsers has not: its name, the pattern of its use, a use, and how it is taken out of a
 * younger browser.
 */
export const youngerApis = [
  ['AbortSignal.any', /\bAbortSignal\??\.any\b/, 'AbortSignal.any([one, two])', 'AbortSignal.any'],
  ['AbortSignal.timeout', /\bAbortSignal\??\.timeout\b/, 'AbortSignal.timeout(1)', 'AbortSignal.timeout'],
  [
    'AbortSignal.prototype.throwIfAborted',
    /\.throwIfAborted\b/,
    'signal.throwIfAborted()',
    'AbortSignal.prototype.throwIfAborted',
  ],
  ['the reason of an AbortSignal', /[sS]ignal\??\.reason\b/, 'signal?.reason', 'AbortSignal.prototype.reason'],
  ['Promise.withResolvers', /\bPromise\.withResolvers\b/, 'Promise.withResolvers()', 'Promise.withResolvers'],
  ['Promise.try', /\bPromise\.try\b/, 'Promise.try(work)', 'Promise.try'],
  ['Array.fromAsync', /\bArray\.fromAsync\b/, 'Array.fromAsync(list)', 'Array.fromAsync'],
  ['Object.groupBy and Map.groupBy', /\b(Object|Map)\.groupBy\b/, 'Map.groupBy(list, by)', 'Object.groupBy'],
  [
    'arrays that are changed as a copy',
    /\.to(Sorted|Reversed|Spliced)\(/,
    'list.toSorted()',
    'Array.prototype.toSorted',
  ],
  ['Array.prototype.findLast', /\.findLast(Index)?\(/, 'list.findLastIndex(is)', 'Array.prototype.findLast'],
  ['String.prototype.isWellFormed', /\.(is|to)WellFormed\(/, 'text.isWellFormed()', 'String.prototype.isWellFormed'],
  [
    'sets that are compared',
    /\.(symmetricDifference|is(Subset|Superset)Of|isDisjointFrom)\(/,
    'one.isSubsetOf(two)',
    'Set.prototype.isSubsetOf',
  ],
  ['URL.canParse and URL.parse', /\bURL\.(canParse|parse)\b/, 'URL.canParse(text)', 'URL.canParse'],
  ['Response.json', /\bResponse\.json\b/, 'Response.json({})', 'Response.json'],
  ['crypto.randomUUID', /\.randomUUID\b/, 'crypto.randomUUID()', 'Crypto.prototype.randomUUID'],
  ['RegExp.escape', /\bRegExp\.escape\b/, 'RegExp.escape(text)', 'RegExp.escape'],
  ['patterns with the flag v', /\/[dgimsuy]*v[dgimsuy]*[;,.)\s]/, '/[a--b]/v.test(text)', null],
  ['patterns that look behind', /\(\?<[=!]/, '/(?<=a)b/', null],
  ['requestIdleCallback', /\brequestIdleCallback\b/, 'requestIdleCallback(work)', null],
  // Firefox has it from 96 on.
  ['Web Locks', null, null, 'Navigator.prototype.locks'],
] as const;
