import { NoAnswerError } from '../errors.js';
import { envParameter } from '../protocol/addresses.js';
import { checkCollectionAnswer, checkUpdateAnswer } from '../protocol/answer-checks.js';
import type { Environment } from '../protocol/environments.js';
import { versions } from '../protocol/gaps/versions.js';
import * as headers from '../protocol/headers.js';
import type { ProfileEntry } from '../protocol/messages.js';
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
 * @see docs/interface.md#read-a-collection
 */
export function readEntries(send: Sender, call: EntryCall): Promise<ProfileEntry[]> {
  return send({ ...common(call), method: 'GET', answer: checkCollectionAnswer });
}

/** `valueText` is the value's JSON, from `encodeValue`. */
type EntryWrite = EntryCall & { valueText: string; version: number };

/**
 * Writes an entry where `version` is the one that is stored, on either wire; version -1 creates the entry or fails with
 * `version_mismatch`, so that of two creators neither overwrites the other. Spec gap: it may be repeated, and a mismatch
 * after an answer that never came counts as success where the stored entry is what this write would have made. Where the
 * entry has moved on further, nobody can tell whether this write was carried out, and it fails as unanswered.
 *
 * @see docs/interface.md#update-an-entry
 */
export function writeEntry(send: Sender, call: EntryWrite): Promise<{ version: number }> {
  const { valueText, version } = call;
  return send({
    ...update(call, version === versions.force ? { [headers.ifNoneMatch]: '*' } : {}),
    accept: (error, unanswered) => {
      if (!unanswered || error.code !== 'version_mismatch') return undefined;
      const writesSince = Number(error.currentVersion) - version;
      if (writesSince > 1) {
        // This write may stand below a later one: as a mismatch it would be made again, and count twice.
        throw new NoAnswerError('network', 'No answer came to the write, and the entry has been written again since.');
      }
      const isOurs = writesSince === 1 && sameJson(error.currentValue, JSON.parse(valueText));
      return isOurs ? { answer: { version: version + 1 } } : undefined;
    },
  });
}

/**
 * Writes an entry whatever is stored. Spec gap: it is repeated only where it surely was not carried out, so that no write is
 * doubled.
 *
 * @see docs/interface.md#update-an-entry
 */
export function forceEntry(send: Sender, call: Omit<EntryWrite, 'version'>): Promise<{ version: number }> {
  return send({
    ...update({ ...call, version: versions.force }),
    mayRepeat: (_, notCarriedOut) => notCarriedOut,
  });
}

function update(call: EntryWrite, extra?: Record<string, string>) {
  return {
    ...common(call, extra),
    method: 'PATCH',
    body: `{"value":${call.valueText},"version":${call.version}}`,
    answer: checkUpdateAnswer,
  } as const;
}

function common(call: EntryCall, extra?: Record<string, string>) {
  return {
    url: `${call.url}?${envParameter}=${call.environment}`,
    headers: { [headers.authorization]: `Bearer ${call.bearer}`, ...extra },
    signal: call.signal,
    keepalive: call.keepalive,
  };
}
