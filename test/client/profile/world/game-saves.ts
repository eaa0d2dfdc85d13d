import type { Calls, Failure } from './calls.js';
import { traceOf } from './engine.js';
import { type Parts, peek } from './game-parts.js';
import type { Truth } from './truth.js';
import {
  type CounterName,
  isBounded,
  isCounter,
  keysOf,
  type MarkedName,
  type Name,
  type Value,
  withMark,
  withOneMore,
} from './values.js';

/** What does not fit may be refused at once. */
export function tolerate(name: Name, _: Calls, truth: Truth, where: string): (error: Failure) => void {
  return (error) => {
    const isRefused = (isBounded(name) || name === 'big') && error instanceof TypeError;
    if (error.code === undefined && !isRefused) truth.wrong(`set ${name} in ${where}: ${traceOf(error)}`);
  };
}

/** One entry that cannot be read keeps nobody from reading the others. */
export function readable(name: Name, truth: Truth, where: string): (error: Failure) => void {
  return (error) => {
    const isUnread = error.code === undefined || error.code === 'invalid_value' || error.code === 'sdk_failed';
    if (isUnread) truth.wrong(`load ${name} in ${where}: ${traceOf(error)}`);
  };
}

/** Whether a page of the device has asked for a choice whose outcome is not known: one that starts takes it up. */
const hasOpenChoice = (text: string): boolean => /"choice":\{[^}]*"choice":"(cloud|merge)"/.test(text);

export function writeMark(
  { page, where, calls, world: { truth, service }, of, listening, choices }: Parts,
  name: MarkedName,
  { key, amount, isUpdate }: { key: string; amount: number; isUpdate: boolean },
): void {
  const { device, client } = page;
  const account = listening.account();
  const earlyOn = account === null ? page : null;
  const isChosen = [...(choices.get(client.conflict) ?? [])].some((choice) => choice === 'cloud' || choice === 'merge');
  const isLeaving = isChosen || (client.conflict !== null && device.texts().some(hasOpenChoice));
  const leavingOn = isLeaving ? page : null;
  const write = truth.begin({ amount, collection: name, key, device, account, earlyOn, leavingOn });
  if (write.account === null) listening.wroteEarly(write);
  const { mark } = write;
  const keep = (): void => truth.kept(write);
  /**
   * Where the account has lost to another one meanwhile, or was merged into it, the update is made again there, also where the
   * player has left that one since, and what was on its way is answered.
   */
  const owner = (): string | null => {
    const present = client.auth.userId ?? service.signedIn.findLast(({ by }) => by === page)?.userId ?? null;
    const isPassedOn = write.account !== null && present !== null && service.sources(present).has(write.account);
    return isPassedOn ? present : write.account;
  };
  const change = (value: Value | undefined): Value => {
    truth.seen(name, owner(), value, `what ${where} updates`);
    return withMark(name, value, mark);
  };
  const tolerated = tolerate(name, calls, truth, where);
  const refused = (error: Failure): void => {
    truth.refused(write);
    tolerated(error);
  };
  if (name === 'log' || (isUpdate && name === 'asked')) {
    calls.track(`update ${mark}`, () => of(name).update(key, change), keep, refused);
  } else {
    const before = peek(() => of(name).get(key));
    calls.track(`set ${mark}`, () => of(name).set(key, withMark(name, before, mark)), keep, refused);
  }
}

/** Whose step it is must be plain: none is made while the account changes. */
export function writeCounter({ page, calls, world: { truth }, of, listening }: Parts, name: CounterName): void {
  const { device, client } = page;
  const account = listening.account();
  if (account === null || client.conflict !== null || calls.isSwitching) return;
  const step = truth.totals.begin({ collection: name, account, device });
  const keep = (): void => truth.totals.kept(step);
  const more = (value: Value | undefined): Value => withOneMore(name, value);
  if (name === 'count') calls.track('update count', () => of(name).update('main', more), keep);
  else calls.track(`set ${name}`, () => of(name).set('main', more(of(name).get('main'))), keep);
}

export function look({ page, where, world: { truth, names }, of, listening }: Parts): void {
  listening.look();
  for (const error of page.reported.splice(0)) {
    const { code } = error as Failure;
    // A listener cannot be told of an entry that cannot be read, and a game may be told of one that has grown too large.
    const isSaid = code === 'invalid_value' || code === 'too_large' || traceOf(error).includes('may have at most');
    if (!isSaid) truth.wrong(`reported in ${where}: ${traceOf(error)}`);
  }
  const account = page.client.auth.userId;
  for (const name of names) {
    for (const key of keysOf(name)) {
      if (!isCounter(name))
        truth.seen(
          name,
          account,
          peek(() => of(name).get(key)),
          `what ${where} shows`,
        );
    }
  }
  if (!names.includes('strict')) return;
  try {
    const shown = of('strict')
      .entries()
      .some(({ key }) => key === 'main');
    if (!shown && of('strict').get('main') !== undefined) truth.wrong(`an entry is not listed in ${where}`);
  } catch (error) {
    truth.wrong(`entries() in ${where}: ${error}`);
  }
}
