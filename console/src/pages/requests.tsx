import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useConsole, useTexts } from '../context.js';
import { timeFormat } from '../formats.js';
import { Page } from '../parts/page.js';
import { Said } from '../parts/said.js';
import { Badge, Copy, Empty, Foreign, type Tone } from '../parts/show.js';
import { visible } from '../parts/visible.js';
import type { SeenRequest } from '../wire/messages.js';
import { curlOf, followRequests } from '../wire/request-feed.js';

/** So many requests are kept in the page. */
const keptAtMost = 500;
/** So often the list is drawn at most, in ms. */
const drawEveryMs = 250;
const kinds = ['all', 'failed', '4xx', '5xx'] as const;

type Kind = (typeof kinds)[number];

/** The requests that the service answers, as they come. */
export function Requests() {
  const { texts, session } = useConsole();
  const { requests, state, isPaused, setPaused, clear } = useFeed();
  const [wanted, setWanted] = useState('');
  const [kind, setKind] = useState<Kind>('all');
  const [openId, setOpenId] = useState<SeenRequest['id'] | null>(null);
  const shown = useMemo(
    () => requests.filter((request) => isOfKind(request, kind) && matches(request, wanted)).slice(0, 200),
    [requests, kind, wanted],
  );
  return (
    <Page
      title={texts.pages.requests}
      intro={session.mode === 'dev' ? texts.requests.intro : texts.requests.introServe}
    >
      <div class="toolbar">
        <input
          type="search"
          class="grow"
          aria-label={texts.requests.filter}
          placeholder={texts.requests.filter}
          value={wanted}
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
        <select
          aria-label={texts.requests.kind}
          value={kind}
          onChange={({ currentTarget }) => setKind(kinds.find((known) => known === currentTarget.value) ?? 'all')}
        >
          {kinds.map((name) => (
            <option key={name} value={name}>
              {texts.requests.kinds[name]}
            </option>
          ))}
        </select>
        <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? texts.requests.resume : texts.requests.pause}
        </button>
        <button type="button" onClick={clear}>
          {texts.requests.clear}
        </button>
        <span class="soft" role="status">
          {isPaused ? texts.requests.paused : texts.requests.states[state]}
        </span>
      </div>
      {shown.length === 0 ? (
        <Empty title={texts.requests.none}>{texts.requests.noneHint}</Empty>
      ) : (
        <ul class="requests" aria-label={texts.pages.requests}>
          {shown.map((request) => (
            <Row
              key={request.id}
              request={request}
              isOpen={openId === request.id}
              onToggle={() => setOpenId(openId === request.id ? null : request.id)}
            />
          ))}
        </ul>
      )}
    </Page>
  );
}

function useFeed() {
  const { gateway, isAway } = useConsole();
  const [requests, setRequests] = useState<readonly SeenRequest[]>([]);
  const [state, setState] = useState<'connecting' | 'open' | 'refused'>('connecting');
  const [isPaused, setPaused] = useState(false);
  const paused = useRef(isPaused);
  paused.current = isPaused;
  const waiting = useRef<SeenRequest[]>([]);
  useEffect(() => {
    if (isAway) return;
    const stop = followRequests({
      onRequest: (request) => waiting.current.unshift(request),
      onState(now) {
        setState(now);
        // A browser does not tell why the feed was refused. Whoever is signed out signs in again.
        if (now === 'refused') void gateway.checkSession();
      },
    });
    const timer = setInterval(() => {
      waiting.current.length = Math.min(waiting.current.length, keptAtMost);
      if (paused.current || waiting.current.length === 0) return;
      const come = waiting.current.splice(0);
      setRequests((before) => {
        // Whoever connects again is told the latest ones once more.
        const known = new Set(before.map(({ id }) => id));
        return [...come.filter(({ id }) => !known.has(id)), ...before].slice(0, keptAtMost);
      });
    }, drawEveryMs);
    return () => {
      stop();
      clearInterval(timer);
    };
  }, [gateway, isAway]);
  return { requests, state, isPaused, setPaused, clear: () => setRequests([]) };
}

function isOfKind({ status }: SeenRequest, kind: Kind): boolean {
  if (kind === 'all') return true;
  const failed = status === null || status >= 400;
  if (kind === 'failed') return failed;
  return status !== null && String(status).startsWith(kind.slice(0, 1));
}

function matches(request: SeenRequest, wanted: string): boolean {
  const { method, path, route, status, code, user, game } = request;
  const text = [method, path, route, status, code, user, game].join(' ').toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function toneOf(status: number | null): Tone {
  if (status === null || status >= 500) return 'bad';
  return status >= 400 ? 'warn' : 'good';
}

function Row({ request, isOpen, onToggle }: { request: SeenRequest; isOpen: boolean; onToggle(): void }) {
  const { texts, language } = useConsole();
  const { method, path, status, code, ms, time, user } = request;
  return (
    <li>
      <button type="button" class="request" aria-expanded={isOpen} onClick={onToggle}>
        <time dateTime={new Date(time).toISOString()}>
          {timeFormat(language, { timeStyle: 'medium' }).format(time)}
        </time>
        <Badge tone={toneOf(status)}>{status ?? texts.requests.noAnswer}</Badge>
        <span class="request-what">
          <strong>{method}</strong> <Foreign text={path} />{' '}
          {user !== null && <span class="soft">{user.slice(0, 8)}</span>}
        </span>
        <span class="soft number">{Math.round(ms * 10) / 10} ms</span>
        {code !== null && <code class="request-code">{code}</code>}
      </button>
      {isOpen && <Details request={request} />}
    </li>
  );
}

function Details({ request }: { request: SeenRequest }) {
  const texts = useTexts();
  const { details, route, user, game } = request;
  return (
    <div class="request-details">
      <dl class="facts">
        <dt>{texts.requests.route}</dt>
        <dd>{route === null ? texts.requests.noRoute : <code>{route}</code>}</dd>
        {game !== null && (
          <>
            <dt>{texts.shell.game}</dt>
            <dd>
              <code>{game}</code>
            </dd>
          </>
        )}
        {user !== null && (
          <>
            <dt>{texts.players.player}</dt>
            <dd>
              <code>{user}</code>
            </dd>
          </>
        )}
      </dl>
      {details === null ? (
        <p class="soft">{texts.requests.noDetails}</p>
      ) : (
        <>
          {details.signature !== null && (
            <Part title={texts.requests.signature}>
              <Signature of={details.signature} />
            </Part>
          )}
          <Part title={texts.requests.sent}>
            <Headers of={details.requestHeaders} />
            <Body text={details.requestBody} />
            {details.unreadBytes !== undefined && <p class="soft">{texts.requests.unread(details.unreadBytes)}</p>}
          </Part>
          <Part title={texts.requests.answered}>
            <Headers of={details.responseHeaders} />
            <Body text={details.responseBody} />
          </Part>
        </>
      )}
      <div class="actions">
        <Copy text={curlOf(request, location.origin)}>{texts.requests.copyCurl}</Copy>
      </div>
    </div>
  );
}

/** What is right and what is wrong with a signed request, and what to do. */
function Signature({ of: { why, ...states } }: { of: { readonly [part: string]: string } }) {
  return (
    <>
      {why !== undefined && (
        <p>
          <Said text={why} />
        </p>
      )}
      <Headers of={states} />
    </>
  );
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Headers({ of }: { of: { readonly [name: string]: string } }) {
  return (
    <dl class="facts mono">
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Foreign text={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Body({ text }: { text: string | null }) {
  if (text === null || text === '') return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the keys.
    <pre tabIndex={0}>
      <bdi>{pretty(text)}</bdi>
    </pre>
  );
}

function pretty(text: string): string {
  try {
    return visibleLines(JSON.stringify(JSON.parse(text), null, 2));
  } catch {
    return visibleLines(text);
  }
}

const visibleLines = (text: string): string => text.split('\n').map(visible).join('\n');
