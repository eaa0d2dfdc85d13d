import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { place, settled, visitConsole } from './console-site.js';

const site = visitConsole();

const stepMs = 10_000;

/** The overview of a service that was asked in four steps of ten seconds, each alone. */
async function quietOverview(page: Page, isBroken: () => boolean = () => false): Promise<void> {
  await page.route('**/console/overview', async (route) => {
    if (isBroken())
      return route.fulfill({
        status: 404,
        json: { type: 'about:blank', title: 'Gone.', status: 404, code: 'not_found' },
      });
    const answer = await route.fetch();
    const last = Math.floor(Date.now() / stepMs) * stepMs;
    const steps = [20, 60, 100, 140].map((back) => ({
      ...{ time: last - back * stepMs, count: 3, errors: 0 },
      ...{ p50: 5, p99: 540 },
    }));
    return route.fulfill({ response: answer, json: { ...(await answer.json()), requests: steps } });
  });
}

/** What is drawn on the canvas of a card: how many of its dots are of a colour of the page, and the texts of its axes. */
async function drawnIn(page: Page, name: string, colour: string): Promise<number> {
  const canvas = page.getByRole('region', { name }).locator('canvas');
  return canvas.evaluate((element, variable) => {
    const { width, height } = element as HTMLCanvasElement;
    const hex = getComputedStyle(element).getPropertyValue(variable).trim();
    const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
    const { data } = (element as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height) ?? { data: [] };
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] === red && data[at + 1] === green && data[at + 2] === blue && data[at + 3] === 255) count += 1;
    }
    return count;
  }, colour);
}

describe('the charts', () => {
  it('show a step whose neighbours have nothing', async () => {
    site.expectComplaints(/willReadFrequently/);
    const page = await site.open(`/audit?${place}`);
    await quietOverview(page);
    await page.getByRole('link', { name: 'Overview' }).click();
    await settled(page);
    for (const colour of ['--accent', '--second']) {
      await expect.poll(() => drawnIn(page, 'Time of an answer', colour)).toBeGreaterThan(10);
    }
  });

  it('show what they have shown last when the page turns dark', async () => {
    site.expectComplaints(/willReadFrequently|404/);
    const page = await site.open(`/audit?${place}`);
    let isBroken = false;
    await quietOverview(page, () => isBroken);
    const withNone = async (route: Route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), requests: [] } });
    };
    await page.route('**/console/overview', withNone, { times: 1 });
    await page.getByRole('link', { name: 'Overview' }).click();
    const drawn = () => drawnIn(page, 'Time of an answer', '--accent');
    await expect.poll(drawn).toBe(0);
    await expect.poll(drawn, { timeout: 15_000 }).toBeGreaterThan(10);
    // From now on there is nothing newer that would be drawn in its place.
    isBroken = true;
    await page.getByRole('alert').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('[data-theme="dark"]').waitFor();
    await expect.poll(drawn).toBeGreaterThan(10);
  });

  it('count in whole numbers, and cut no day off', async () => {
    const page = await site.open(`/audit?${place}`);
    await page.evaluate(() => {
      const drawn: { text: string; isCut: boolean }[] = [];
      Object.assign(globalThis, { drawn });
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        const { width } = this.measureText(text);
        drawn.push({ text, isCut: this.textAlign === 'center' && x + width / 2 > this.canvas.width });
        fillText.call(this, text, x, y);
      };
    });
    await page.getByRole('link', { name: 'Overview' }).click();
    await settled(page);
    await page.locator('canvas').nth(4).waitFor();
    const drawn = () =>
      page.evaluate(() => (globalThis as unknown as { drawn: { text: string; isCut: boolean }[] }).drawn);
    await expect.poll(async () => (await drawn()).filter(({ text }) => text === '4').length).toBeGreaterThan(0);
    expect((await drawn()).filter(({ text, isCut }) => isCut || /^\d+[.,]\d+$/.test(text))).toEqual([]);
  });

  it('stay where one look at the service fails, and say so beside them', async () => {
    site.expectComplaints(/404/);
    const page = await site.open(`/audit?${place}`);
    let isBroken = false;
    await quietOverview(page, () => isBroken);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('region', { name: 'Time of an answer' }).locator('canvas').waitFor();
    isBroken = true;
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('region', { name: 'Time of an answer' }).locator('canvas').count()).toBe(1);
    expect(await page.getByText('memory · 1.3 MB').count()).toBe(1);
    isBroken = false;
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });
});

describe('the first steps', () => {
  it('say how a phone reaches the service where it listens on this machine alone', async () => {
    const page = await site.open(`/audit?${place}`);
    await page.route('**/console/session', async (route) => {
      const answer = await route.fetch();
      const session = (await answer.json()) as { dev: object };
      return route.fulfill({ response: answer, json: { ...session, dev: { ...session.dev, lanUrls: [] } } });
    });
    await page.goto('about:blank');
    await page.goto(`${site.url}/console/#/?${place}`);
    const phone = page.getByRole('region', { name: 'On a phone in the same network' });
    await phone.getByText('savepoint dev --host 0.0.0.0').waitFor();
  });
});
