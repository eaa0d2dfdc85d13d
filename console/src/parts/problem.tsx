import type { ComponentChildren } from 'preact';
import { useConsole } from '../context.js';

interface Failure {
  code?: unknown;
  message?: unknown;
  requestId?: unknown;
}

/** What went wrong, as the service says it, and a way out. */
export function Problem({
  error,
  retry,
  children,
}: {
  error: unknown;
  retry?: () => void;
  children?: ComponentChildren;
}) {
  const { texts, words, href } = useConsole();
  const { code, message, requestId } = (typeof error === 'object' && error !== null ? error : {}) as Failure;
  // The service has no such code: it is the console's own server that refuses.
  const own = code === 'forbidden' ? texts.problem.forbidden : undefined;
  const said = own ?? (typeof code === 'string' ? words?.failures[code] : undefined);
  return (
    <div class="problem" role="alert">
      <p class="problem-title">{texts.problem.title}</p>
      {said !== undefined && <p>{said}</p>}
      {/* Beside a translation, what the service says says more: what is wrong with this very request. */}
      <p class={said === undefined ? undefined : 'soft small-print'}>
        <bdi lang="en">{typeof message === 'string' ? message : String(error)}</bdi>
      </p>
      <dl class="facts">
        {typeof code === 'string' && (
          <>
            <dt>{texts.problem.code}</dt>
            <dd>
              <code>{code}</code>
            </dd>
          </>
        )}
        {typeof requestId === 'string' && (
          <>
            <dt>{texts.problem.request}</dt>
            <dd>
              <code>{requestId}</code>
            </dd>
          </>
        )}
      </dl>
      {children}
      {retry !== undefined && (
        <div class="actions">
          <button type="button" onClick={retry}>
            {texts.problem.again}
          </button>
          <a class="button" href={href([])}>
            {texts.problem.toOverview}
          </a>
        </div>
      )}
    </div>
  );
}
