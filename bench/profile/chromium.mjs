import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { browserArgs, findBrowser } from '../../scripts/browser.mjs';

// No server is asked: the browser gets the page from here. It trusts this address, so that pages have locks.
const address = 'http://localhost/';

/** Starts Chromium. Each of its devices has a storage of its own, which all pages of the device share. */
export async function openChromium() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('page.mjs', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    external: ['node:*'],
    write: false,
  });
  const script = outputFiles[0].text.replaceAll('</script', '<\\/script');
  const html = `<!doctype html><script type="module">${script}</script>`;
  const browser = await chromium.launch({ executablePath: findBrowser() ?? undefined, args: browserArgs });

  async function newDevice() {
    const context = await browser.newContext();
    await context.route(`${address}**`, (route) => route.fulfill({ contentType: 'text/html', body: html }));
    return { newPage: () => newPage(context) };
  }

  return { version: browser.version(), newDevice, close: () => browser.close() };
}

async function newPage(context) {
  const page = await context.newPage();
  await page.goto(address);
  return {
    call: (name, argument) => page.evaluate(([name, argument]) => globalThis[name](argument), [name, argument]),
    close: () => page.close(),
  };
}
