/** What the caller can set right: one line, and exit code 2. */
export class UsageError extends Error {}
