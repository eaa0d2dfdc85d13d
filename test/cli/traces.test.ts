import { AsyncLocalStorage } from 'node:async_hooks';
import * as openTelemetry from '@opentelemetry/api';
import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type SpanStatus,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api';
import { createMemoryStore, type Observer } from 'savepoint/backend';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { both, createTraces, loadOpenTelemetry } from '../../src/cli/serve/traces.js';
import { operations } from '../../src/protocol/operations.js';
import { createTestService, post, send, signInGuest } from '../support/service.js';

interface Ended {
  name: string;
  parent: string | undefined;
  attributes: Attributes;
  status: SpanStatus | undefined;
}

let ended: Ended[] = [];

/** What an SDK registers, as small as it can be: spans that are kept once they end, and contexts that follow promises. */
function listen(): void {
  const active = new AsyncLocalStorage<Context>();
  context.setGlobalContextManager({
    active: () => active.getStore() ?? ROOT_CONTEXT,
    with: (of, run, self, ...given) => active.run(of, () => run.apply(self as never, given)),
    bind: (_, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
  propagation.setGlobalPropagator({
    inject() {},
    fields: () => ['traceparent'],
    extract(of, carrier, { get }: TextMapGetter) {
      const spanId = get(carrier, 'traceparent');
      if (typeof spanId !== 'string') return of;
      return trace.setSpanContext(of, { traceId: 'given', spanId, traceFlags: 1 });
    },
  });
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan, startActiveSpan: () => undefined as never }) });
}

function startSpan(name: string, { attributes = {} }: { attributes?: Attributes } = {}, of = context.active()) {
  const span: Ended = {
    name,
    parent: trace.getSpanContext(of)?.spanId,
    attributes: { ...attributes },
    status: undefined,
  };
  return {
    spanContext: () => ({ traceId: 'given', spanId: name, traceFlags: 1 }),
    setAttribute(key: string, value: string) {
      span.attributes[key] = value;
      return this;
    },
    setStatus(status: SpanStatus) {
      span.status = status;
      return this;
    },
    end: () => void ended.push(span),
  } as never;
}

beforeEach(() => {
  ended = [];
  listen();
});
afterEach(() => {
  context.disable();
  propagation.disable();
  trace.disable();
});

const traced = (options: Parameters<typeof createTestService>[0] = {}) =>
  createTestService({ ...options, observer: createTraces(openTelemetry, '1.2.3') });
const spanOf = (name: string) => ended.find((span) => span.name === name);

describe('the traces', () => {
  it('have a span for each request, and one in it for each operation of the store', async () => {
    const service = traced();
    const { userId } = await signInGuest(service, 'device-geheim');
    await Promise.all([signInGuest(service, 'device-two'), send(service, '/v2/nothing', {})]);
    const request = spanOf('POST /v2/auth/guest');
    expect(request?.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v2/auth/guest',
      'http.response.status_code': 200,
      'savepoint.operation': 'signInAsGuest',
      'savepoint.request_id': expect.any(String),
      'enduser.pseudo.id': expect.stringMatching(/^[\w-]{16}$/),
    });
    expect([request?.parent, spanOf('store ensureAccount')?.parent]).toEqual([undefined, 'POST /v2/auth/guest']);
    expect(spanOf('GET')?.attributes).toMatchObject({ 'http.response.status_code': 404, 'error.type': 'not_found' });
    const text = JSON.stringify(ended);
    for (const secret of [userId, 'device-geheim']) expect(text).not.toContain(secret);
  });

  it('say what failed, and nothing of what an error says', async () => {
    const findLink = () => Promise.reject(new TypeError('postgres://ada:geheim@db'));
    const service = traced({ store: { ...createMemoryStore(), findLink } });
    await post(service, operations.signInAsGuest.path, {});
    const failed = { code: SpanStatusCode.ERROR };
    expect(spanOf('store findLink')).toMatchObject({ attributes: { 'error.type': 'TypeError' }, status: failed });
    expect(spanOf('POST /v2/auth/guest')).toMatchObject({ attributes: { 'error.type': 'internal' }, status: failed });
    expect(JSON.stringify(ended)).not.toContain('geheim');
  });

  it("go on with the trace that a trusted proxy names, and with nobody else's", async () => {
    const service = traced({ trustedProxies: ['10.0.0.1'] });
    for (const address of ['10.0.0.1', '203.0.113.7']) {
      const request = new Request(`${service.baseUrl}/v2/auth/account`, { headers: { traceparent: 'span-of-proxy' } });
      await service.backend.fetch(request, { address });
    }
    expect(ended.map(({ parent }) => parent)).toEqual(['span-of-proxy', undefined]);
  });

  it('are made where somebody listens, and nowhere else', async () => {
    expect(await loadOpenTelemetry()).not.toBeNull();
    trace.disable();
    expect(await loadOpenTelemetry()).toBeNull();
  });

  it('can be made beside the metrics', async () => {
    const told: string[] = [];
    const other: Observer = {
      request(_, answer) {
        told.push('request');
        return answer();
      },
      store(operation, run) {
        told.push(operation);
        return run();
      },
      happened: ({ kind }) => void told.push(kind),
    };
    const service = createTestService({ observer: both(other, createTraces(openTelemetry, '1.2.3')) });
    await signInGuest(service);
    await service.backend.sweep();
    expect(told).toEqual(expect.arrayContaining(['request', 'ensureAccount', 'removal']));
    expect(spanOf('store ensureAccount')?.parent).toBe('POST /v2/auth/guest');
  });
});
