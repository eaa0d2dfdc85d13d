/**
 * The environments of a game: users, links and entries are apart for each.
 *
 * @see Spec 2.4
 */
export const environments = { Development: 0, Stage: 1, Production: 2 } as const;

/** 0 = Development, 1 = Stage, 2 = Production. */
export type Environment = (typeof environments)[keyof typeof environments];

export function isEnvironment(value: unknown): value is Environment {
  return value === 0 || value === 1 || value === 2;
}
