import type { Context, Span, TextMapGetter } from '@opentelemetry/api';
import type { ObservedRequest, Observer } from '../../backend/index.js';

type OpenTelemetry = typeof import('@opentelemetry/api');

/**
 * Loads OpenTelemetry's interface where it is installed and somebody listens: who wants traces registers an SDK before
 * the service starts (`node --import ./tracing.mjs`). Null otherwise, and then nothing is traced and nothing is paid.
 */
export async function loadOpenTelemetry(): Promise<OpenTelemetry | null> {
  const api = await import('@opentelemetry/api').catch(() => null);
  if (api === null) return null;
  const provider = api.trace.getTracerProvider();
  const hasNone = provider instanceof api.ProxyTracerProvider && provider.getDelegateTracer('savepoint') === undefined;
  return hasNone ? null : api;
}

const traceHeaders: TextMapGetter<ObservedRequest> = {
  get: (request, name) => request.trustedHeader(name) ?? undefined,
  keys: () => ['traceparent', 'tracestate'],
};

/**
 * A span for each request, and one in it for each operation of the store. Where a trusted proxy says which trace a
 * request belongs to, the span is part of that.
 */
export function createTraces(
  { trace, context, propagation, SpanKind, SpanStatusCode }: OpenTelemetry,
  version: string,
): Observer {
  const tracer = trace.getTracer('savepoint', version);

  async function within<Result>(span: Span, of: Context, run: () => Promise<Result>, end = () => {}): Promise<Result> {
    try {
      return await context.with(trace.setSpan(of, span), run);
    } catch (error) {
      // Its message may hold the address of the database, or what a provider has said.
      span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      end();
      span.end();
    }
  }

  return {
    request(request, answer) {
      const { method, route, operation, requestId } = request;
      const attributes = {
        'http.request.method': method === 'OTHER' ? '_OTHER' : method,
        'savepoint.request_id': requestId,
      };
      const parent = propagation.extract(context.active(), request, traceHeaders);
      const span = tracer.startSpan(
        route === null ? method : `${method} ${route}`,
        {
          kind: SpanKind.SERVER,
          attributes: {
            ...attributes,
            ...(route === null ? {} : { 'http.route': route }),
            ...(operation === null ? {} : { 'savepoint.operation': operation }),
          },
        },
        parent,
      );
      return within(span, parent, answer, () => describeAnswer(span, request));
    },

    store(operation, run) {
      const span = tracer.startSpan(`store ${operation}`, { kind: SpanKind.CLIENT });
      return within(span, context.active(), run);
    },

    happened() {},
  };

  function describeAnswer(span: Span, { status, code, user }: ObservedRequest): void {
    if (status !== null) span.setAttribute('http.response.status_code', status);
    if (code !== null) span.setAttribute('error.type', code);
    if (user !== null) span.setAttribute('enduser.pseudo.id', user);
    if (status === null || status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  }
}

/** Both watch: the first one what the second one does as well. */
export function both(first: Observer, second: Observer): Observer {
  return {
    request: (request, answer) => first.request(request, () => second.request(request, answer)),
    store: (operation, run) => first.store(operation, () => second.store(operation, run)),
    happened(event) {
      first.happened(event);
      second.happened(event);
    },
  };
}
