/**
 * The environments of a game, by name. Users, links and entries of one are never seen in another.
 *
 * @see docs/interface.md#server-authentication-request
 */
export const environments = {
  /** For the game's makers, while they write it. */
  Development: 0,
  /** For tests before a release. */
  Stage: 1,
  /** For the game's players. */
  Production: 2,
} as const;

/**
 * An environment of a game, by its number: 0 is Development, 1 is Stage, 2 is Production.
 *
 * @see docs/interface.md#server-authentication-request
 */
export type Environment = (typeof environments)[keyof typeof environments];

export function isEnvironment(value: unknown): value is Environment {
  return value === 0 || value === 1 || value === 2;
}
