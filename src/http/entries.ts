import { NoAnswerError } from '../errors.js';
import { collectionShape, updateShape } from '../protocol/answer-shapes.js';
import type { Environment } from '../protocol/environments.js';
import { versions } from '../protocol/gaps.js';
import { headers } from '../protocol/headers.js';
import type { ProfileEntry } from '../protocol/messages.js';
import { envParameter } from '../protocol/routes.js';
import { sameJson } from '../protocol/value-text.js';
import type { Sender } from './sender.js';

export interface EntryCall {
  /** The address of the collection or the entry, without its query. */
  url: string;
  environment: Environment;
  /** The game's private key, or the player's access token. */
  bearer: string;
  signal?: AbortSignal | undefined;
  keepalive?: boolean | undefined;
}

/**
 * Reads a collection, on either wire.
 *
 * @see Spec 4.1
 */
export function readEntries(send: Sender, call: EntryCall): Promise<ProfileEntry[]> {
  return send({ ...common(call), method: 'GET', answer: collectionShape, repeat: 'always' });
}

/**
 * Writes an entry, on either wire. Spec gap: a conditional write may be repeated, and a mismatch after an answer that never
 * came counts as success where the stored entry is what this write would have made; a forced one (-1) is repeated
 * only where it surely was not carried out, so that no write is doubled. Where the entry has moved on further, nobody
 * can tell whether this write was carried out, and it fails as unanswered.
 *
 * @see Spec 4.2
 *
 * @param call `valueText` is the value's JSON, from `encodeValue`; `createOnly` with version -1 creates the entry or fails with
 * `version_mismatch`, so that of two creators neither overwrites the other.
 */
export function writeEntry(
  send: Sender,
  call: EntryCall & { valueText: string; version: number; createOnly?: boolean },
): Promise<{ version: number }> {
  const { valueText, version } = call;
  const createOnly = call.createOnly === true;
  const forced = version === versions.force && !createOnly;
  return send<{ version: number }>({
    ...common(call, createOnly ? { [headers.ifNoneMatch]: '*' } : {}),
    method: 'PATCH',
    body: `{"value":${valueText},"version":${version}}`,
    answer: updateShape,
    repeat: forced ? 'not-carried-out' : 'always',
    accept: (error, unanswered) => {
      if (forced || !unanswered || error.code !== 'version_mismatch') return undefined;
      if (error.currentVersion !== undefined && error.currentVersion > version + 1) {
        // This write may stand below a later one: as a mismatch it would be made again, and count twice.
        throw new NoAnswerError('network', 'No answer came to the write, and the entry has been written again since.');
      }
      if (error.currentVersion !== version + 1 || !sameJson(error.currentValue, JSON.parse(valueText)))
        return undefined;
      return { version: version + 1 };
    },
  });
}

function common(call: EntryCall, extra: Record<string, string> = {}) {
  return {
    url: `${call.url}?${envParameter}=${call.environment}`,
    headers: { [headers.authorization]: `Bearer ${call.bearer}`, ...extra },
    signal: call.signal,
    keepalive: call.keepalive,
  };
}
