import type * as z from 'zod/mini';
import type { AnswerCheck } from './answer-checks.js';

/** Checks an answer by its schema. Not for pages, whose checks do without one. */
export function checkedBy<Answer>(schema: z.ZodMiniType<Answer>): AnswerCheck<Answer> {
  return (value) => {
    const parsed = schema.safeParse(value);
    return parsed.success ? null : String(parsed.error.issues[0]?.path[0] ?? '');
  };
}
