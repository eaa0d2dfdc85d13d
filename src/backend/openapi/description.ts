import type { FailureCode } from '../../protocol/failures.js';
import type { AnswerName, SchemaName } from './schemas.js';

/**
 * What a request must carry: nothing, the game's private key, a signature, a player's access token, or one if it
 * likes, or an operator's key.
 */
export type Authorization = 'none' | 'key' | 'signature' | 'player' | 'maybe-player' | 'operator';

export interface OperationDescription {
  /** In a few words, for a list. */
  summary: string;
  /** What it does, and what else has to be known to use it. */
  description: string;
  authorization: Authorization;
  /** The schemas of the request's body, which fits one of them; no body if left out. */
  takes?: readonly SchemaName[];
  /** The schema of the answer's body, with status 200; the answer is 204 if left out. */
  gives?: AnswerName;
  /** The codes that it can refuse with, besides `internal`, `unavailable`, and `invalid_key` for what is in its path. */
  refuses: readonly FailureCode[];
}
