import { readFileSync } from 'node:fs';
import prometheus from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createMetrics, metricsOfAll } from '../../src/cli/serve/metrics.js';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const alerts = read('deploy/monitoring/alerts.yml');
const dashboard = read('deploy/monitoring/grafana.json');
const meanings = read('docs/operate/alerts.md');
const alertNames = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

/** The names of all metrics that a service shows, a histogram's three among them. */
async function metricNames(): Promise<Set<string>> {
  const metrics = createMetrics(prometheus, { version: '1.2.3', now: () => 0 });
  metrics.watch({
    load: () => ({ passwords: { running: 0, waiting: 0 }, retentionBacklogMs: 0, deliveries: 0, webhooks: [] }),
    health: { reads: async () => true, writes: async () => true },
    connections: () => ({ idle: 1, busy: 1, waiting: 0, max: 10 }),
    isDraining: () => false,
    warnings: () => [],
  });
  const ofAll = metricsOfAll(prometheus, { collect: async () => [await metrics.json()], count: 1 });
  const types = [...(await ofAll.text()).matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  const histogram = ['_bucket', '_sum', '_count'];
  return new Set(
    types.flatMap(([, name = '', type]) => (type === 'histogram' ? histogram.map((part) => name + part) : [name])),
  );
}

/** What is written like a metric. `up` is Prometheus's own. */
function namedIn(text: string): string[] {
  return [...new Set(text.match(/\b(?:savepoint|nodejs|process)_[a-z0-9_]+/g))];
}

/** The metrics that the page of monitoring has a row for, or more. */
const documented = new Set(namedIn(read('docs/operate/monitoring.md')));

describe('what is in deploy/monitoring', () => {
  it.each([
    ['the alerts', alerts],
    ['the dashboard', dashboard],
    ['the tests of the alerts', read('test/deploy/alerts.promtool.yml')],
  ])('asks for metrics that there are: %s', async (_, text) => {
    const there = await metricNames();
    const named = namedIn(text);
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((name) => !there.has(name))).toEqual([]);
  });

  it('is about a job of one name', () => {
    expect(read('deploy/monitoring/prometheus.yml')).toContain('job_name: savepoint\n');
    expect(alerts).toContain('up{job="savepoint"}');
  });

  it('has a dashboard whose panels each say what they show', () => {
    const { panels, templating } = JSON.parse(dashboard);
    const shown = panels.filter(({ type }: { type: string }) => type !== 'row');
    expect(shown.length).toBeGreaterThan(10);
    for (const { title, description, targets } of shown) {
      expect(title).toMatch(/\w/);
      expect(description).toMatch(/\w/);
      for (const { expr } of targets) expect(expr).toContain('job="$job"');
    }
    expect(new Set(panels.map(({ id }: { id: number }) => id)).size).toBe(panels.length);
    expect(templating.list.map(({ name }: { name: string }) => name)).toEqual(['datasource', 'job']);
  });
});

describe('each alert', () => {
  it.each(alertNames)('%s has its meaning on the page, and its test', (name) => {
    expect(meanings).toMatch(new RegExp(`^## ${name}$`, 'm'));
    expect(read('test/deploy/alerts.promtool.yml')).toContain(`alertname: ${name}`);
  });

  it('is there, where the page speaks of it', () => {
    const headings = [...meanings.matchAll(/^## (Savepoint\w+)$/gm)].map(([, name]) => name);
    expect(headings).toEqual(alertNames);
  });
});

describe('each metric of the service', () => {
  it('has its row on the page', async () => {
    const own = [...(await metricNames())].filter((name) => name.startsWith('savepoint_'));
    const base = (name: string) =>
      name.replace(/_(bucket|sum|count)$/, '').replace(/^(savepoint_postgres_connections)_limit$/, '$1');
    expect([...new Set(own.map(base))].filter((name) => !documented.has(name))).toEqual([]);
  });
});
