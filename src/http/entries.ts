import { isFailure, NoAnswerError, SdkError, type ServiceError } from '../errors.js';
import { envParameter } from '../protocol/addresses.js';
import { type AnswerCheck, checkUpdateAnswer } from '../protocol/answer-checks.js';
import type { EntryTimes } from '../protocol/entry-times.js';
import type { Environment } from '../protocol/environments.js';
import { versions } from '../protocol/gaps/versions.js';
import * as headers from '../protocol/headers.js';
import { formatKey, type WriteName } from '../protocol/idempotency-key.js';
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
 * Reads a collection on either wire, or how much an account holds on the game's.
 *
 * @see docs/interface.md#read-a-collection
 */
export function readSaves<Saves>(send: Sender, call: EntryCall, answer: AnswerCheck<Saves>): Promise<Saves> {
  return send({ ...common(call), method: 'GET', answer });
}

interface EntryWrite extends EntryCall {
  /** The value's JSON, from `encodeValue`. */
  valueText: string;
  version: number;
  /** The write's name. A service with a ledger carries the write out once by it, however often it is sent. */
  name?: WriteName | undefined;
  /** On the player's wire: what is to be kept beside the value; what is stored stays if left out. */
  times?: EntryTimes | undefined;
}

/**
 * Writes an entry where `version` is the one that is stored, on either wire; version -1 creates the entry or fails with
 * `version_mismatch`, so that of two creators neither overwrites the other. It may be repeated. A service with a ledger
 * answers a repeat as the first time, and says of a named write that it was never carried out; of any other, after an
 * answer that never came, the outcome is guessed.
 *
 * @see docs/interface.md#update-an-entry
 */
export function writeEntry(send: Sender, call: EntryWrite): Promise<{ version: number }> {
  return send({
    ...update(call, call.version === versions.force ? { [headers.ifNoneMatch]: '*' } : {}),
    accept: (error, unanswered) =>
      unanswered && error.code === 'version_mismatch' && error.carriedOut !== false ? guess(call, error) : undefined,
  });
}

/**
 * Guesses whether a try without an answer was carried out, for a service that has no ledger, or does not know the write
 * any more. Spec gap: it was where the stored entry is what this write would have made. Where the entry has moved on
 * further, nobody can tell, and the write fails as unanswered.
 */
function guess({ valueText, version }: EntryWrite, error: ServiceError): { answer: { version: number } } | undefined {
  const current = { version: Number(error.currentVersion), value: error.currentValue };
  if (current.version > version + 1) {
    // This write may stand below a later one: as a mismatch it would be made again, and count twice.
    throw new NoAnswerError('network', 'No answer came to the write, and the entry has been written again since.');
  }
  const isOurs = looksCarriedOut({ version, value: JSON.parse(valueText) }, current);
  return isOurs ? { answer: { version: current.version } } : undefined;
}

/**
 * Whether an entry looks as a write on this version would have made it. A service without a
 * ledger leaves no more to see.
 */
export function looksCarriedOut(
  write: { version: number; value: unknown },
  current: { version: number; value: unknown },
): boolean {
  return current.version === write.version + 1 && sameJson(current.value, write.value);
}

type ForcedWrite = Omit<EntryWrite, 'version'> & {
  /** Told where a try got no answer: a copy of it may still be on its way when the call has ended. */
  onUnanswered?: (() => void) | undefined;
};

/**
 * Writes an entry whatever is stored. Spec gap: without a name it is repeated only where it surely was not carried out,
 * so that no write is doubled. With a name, the service is asked about a try that got no answer: where it has a ledger,
 * the write is sent again or has been carried out; where it has none, the call fails as the try did.
 *
 * @see docs/interface.md#update-an-entry
 */
export async function forceEntry(send: Sender, call: ForcedWrite): Promise<{ version: number }> {
  const write = { ...call, version: versions.force };
  for (let tries = 1; ; tries += 1) {
    try {
      return await send({ ...update(write), mayRepeat: (_, notCarriedOut) => notCarriedOut });
    } catch (error) {
      if (!isUnanswered(error)) throw error;
      call.onUnanswered?.();
      if (call.name === undefined) throw error;
      const carriedOut = await askForOutcome(send, write, error);
      if (carriedOut !== null) return carriedOut;
      if (tries >= maxForcedTries) throw error;
    }
  }
}

const maxForcedTries = 2;

/** Whether the request may have been carried out: no answer of the service came, or it failed on its way to one. */
function isUnanswered(error: unknown): boolean {
  if (!(error instanceof SdkError) || error.code === 'aborted') return false;
  if (error.name === 'NoAnswerError') return true;
  const { status } = error as { status?: number };
  return (status ?? 0) >= 500 && status !== 503;
}

/**
 * What became of a named write whose try got no answer: the version that it made, or null where it was not carried
 * out. The question is the write itself, on a version that no entry has: only a service with a ledger does not
 * refuse it, or says in its refusal that the write was never carried out. Throws `error`, with which the try
 * failed, where nobody can tell.
 */
async function askForOutcome(send: Sender, write: EntryWrite, error: unknown): Promise<{ version: number } | null> {
  try {
    return await send(update({ ...write, version: versions.max }));
  } catch (refusal) {
    if (isFailure(refusal, 'version_mismatch') && refusal.carriedOut === false) return null;
    throw error;
  }
}

function update(call: EntryWrite, extra?: Record<string, string>) {
  const { valueText, version, name, times } = call;
  const key: Record<string, string> = name === undefined ? {} : { [headers.idempotencyKey]: formatKey(name) };
  const timesText = times === undefined ? '' : `,"times":${JSON.stringify(times)}`;
  return {
    ...common(call, { ...extra, ...key }),
    method: 'PATCH',
    body: `{"value":${valueText},"version":${version}${timesText}}`,
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
