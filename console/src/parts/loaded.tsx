import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useConsole, useTexts } from '../context.js';
import { Problem } from './problem.js';

/** What is being read, was read, or could not be read. */
export type Loaded<Value> = {
  /** The latest value; it stays while it is read again, and where that fails. */
  value: Value | undefined;
  error: unknown;
  isLoading: boolean;
  reload(): void;
};

/**
 * Reads something as the part appears, and again where one of `inputs` changes: then it is something else that is read. Where
 * one of `news` changes, the same is read again, and the latest value stays until then. What is asked while nobody is signed in
 * would be refused: it is read once somebody is.
 */
export function useLoaded<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
  news: readonly unknown[] = [],
): Loaded<Value> {
  const { isAway } = useConsole();
  const [round, setRound] = useState(0);
  const [state, setState] = useState<{ value?: Value | undefined; error?: unknown; isLoading: boolean }>({
    isLoading: true,
  });
  const before = useRef(inputs);

  useEffect(() => {
    if (isAway) return;
    const stop = new AbortController();
    const isOther = inputs.some((input, index) => input !== before.current[index]);
    before.current = inputs;
    setState(({ value, error }) =>
      isOther || value === undefined ? { isLoading: true } : { value, error, isLoading: true },
    );
    read(stop.signal).then(
      (value) => {
        if (!stop.signal.aborted) setState({ value, isLoading: false });
      },
      (error: unknown) => {
        if (!stop.signal.aborted) setState(({ value }) => ({ value, error, isLoading: false }));
      },
    );
    return () => stop.abort();
  }, [...inputs, ...news, round, isAway]);

  const reload = useCallback(() => setRound((count) => count + 1), []);
  return { value: state.value, error: state.error, isLoading: state.isLoading, reload };
}

/** Reads again every so many ms while somebody can see the page. */
export function useEvery(ms: number, again: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) again();
    }, ms);
    return () => clearInterval(timer);
  }, [ms, again]);
}

/** What was read, or that it is being read, or why it could not be; where it could not be read again, beside what was read. */
export function Ready<Value>({
  of: { value, error, reload },
  children,
}: {
  of: Loaded<Value>;
  children: (value: Value) => ComponentChildren;
}) {
  return (
    <>
      {error !== undefined && <Problem error={error} retry={reload} />}
      {value !== undefined && children(value)}
      {value === undefined && error === undefined && <Loading />}
    </>
  );
}

export function Loading() {
  const texts = useTexts();
  return (
    <p class="loading" role="status">
      <span class="spinner" aria-hidden="true" />
      {texts.common.loading}
    </p>
  );
}

/**
 * Loads a module once, however many ask; again after it could not be loaded. WebKit can give a module that is loaded
 * twice at the same time to the second who asks before it has run.
 */
export function once<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let loading: Promise<Module> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/**
 * A part of the page that is loaded, by what `once` gives, as soon as it is needed. After an update of the service it may
 * be gone, and the page with it is old.
 */
export function useModule<Module>(load: () => Promise<Module>): Loaded<Module> {
  return { ...useLoaded(load, []), reload: () => location.reload() };
}
