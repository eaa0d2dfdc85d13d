/**
 * No response came. What fetch threw stays behind: where a game brings its own, it can carry the Authorization header.
 */
export class Unreachable extends Error {
  /** Whether no connection was made, so that the request surely was not carried out. */
  readonly wasRefused: boolean;

  constructor(wasRefused: boolean) {
    super('no response');
    this.wasRefused = wasRefused;
  }
}
