import type { CodeKind } from '../code-requests.js';
import type { AuditDetails, OperatorChange, OperatorChanges, OperatorRequest } from '../operator-requests.js';
import { type AccountDetails, type AccountLink, type LinkKey, type Owner, ownerOf } from '../records.js';
import { accountCodeKey } from './codes.js';
import { readableSubjects } from './readable-subjects.js';

/** What is looked at before and after a change, in its transaction, so that the audit log can tell both. */
export interface Audited {
  /** The account. */
  owner: Owner;
  /** A link that is to lead there: the account that it led to is looked at as well. */
  link?: LinkKey;
  /** The code that a new one takes the place of. */
  code?: { key: LinkKey; kind: CodeKind };
}

/** What was seen of it, at one of the two moments. */
export interface AuditedState {
  /** The account; null where there is none. */
  account: AccountState | null;
  /** The account that the link led to before the change; null where that is none, or the same. */
  other: AccountState | null;
  /** Until when the code counts; null where there is none that does. */
  codeUntil: number | null;
}

/** An account with its login methods, and how many sessions it has. */
export interface AccountState extends AccountDetails {
  /** How many sessions it has. */
  sessions: number;
}

/** Both moments. */
export interface BothStates {
  /** Before the change. */
  before: AuditedState;
  /** After it. */
  after: AuditedState;
}

/** What is seen for a change that says by its outcome what was before. */
export const nothingSeen: AuditedState = { account: null, other: null, codeUntil: null };

const auditedBy: {
  readonly [Change in OperatorChange]?: (request: OperatorChanges[Change]['request']) => Audited;
} = {
  unlinkMethod: ({ owner }) => ({ owner }),
  deleteAccount: ({ session }) => ({ owner: ownerOf(session) }),
  restoreAccount: ({ owner, link }) => ({ owner, link }),
  undelete: ({ owner }) => ({ owner }),
  makeCode: ({ link, kind }) => ({ owner: ownerOf(link), code: { key: link, kind } }),
  makeSignInCode: ({ owner }) => ({ owner, code: { key: accountCodeKey(owner), kind: 'sign_in' } }),
};

/** What has to be looked at for a change; null where that is nothing. */
export function auditedOf<Change extends OperatorChange>({ change, request }: OperatorRequest<Change>): Audited | null {
  return auditedBy[change]?.(request) ?? null;
}

/** The names of devices as operators see them, by their subjects. */
export type DeviceNames = ReadonlyMap<string, string>;

/**
 * What a change has made of an account: how many sessions there were and are, and of all else what is not the same on
 * both sides.
 */
export function changeOf(
  before: AccountState | null,
  after: AccountState | null,
  names: DeviceNames,
): Pick<AuditDetails, 'before' | 'after'> {
  if (before === null || after === null) return {};
  return { before: sideOf(before, after, names), after: sideOf(after, before, names) };
}

function sideOf({ account, links, sessions }: AccountState, other: AccountState, names: DeviceNames) {
  const methods = linksNotIn(links, other.links);
  const areSame = methods.length === 0 && linksNotIn(other.links, links).length === 0;
  return {
    ...(account.deletedAt === other.account.deletedAt ? {} : { deletedAt: account.deletedAt }),
    ...(account.orphanedAt === other.account.orphanedAt ? {} : { orphanedAt: account.orphanedAt }),
    sessions,
    ...(areSame ? {} : { methods: methods.map((link) => shownLink(link, names)) }),
  };
}

function linksNotIn(links: readonly AccountLink[], others: readonly AccountLink[]): AccountLink[] {
  return links.filter(
    (link) => !others.some(({ method, subject }) => method === link.method && subject === link.subject),
  );
}

/** As operators see it: of a device its name, and of a recovery code that it is one. */
function shownLink({ method, label, subject }: AccountLink, names: DeviceNames) {
  const device = method === 'device' ? names.get(subject) : undefined;
  return {
    method,
    ...(label === null ? {} : { label }),
    ...(readableSubjects.includes(method) ? { subject } : {}),
    ...(device === undefined ? {} : { device }),
  };
}
