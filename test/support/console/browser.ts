// Debian's Chromium, driven by playwright-core, and the requirements for every page: no error of the browser, no
// serious finding of axe-core, no horizontal scrolling, a small transfer size.
import axe from 'axe-core';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, inject } from 'vitest';

const WIDTHS = [360, 1440] as const;
const SCHEMES = ['light', 'dark'] as const;

export interface TestBrowser {
  /** A window of its own, with its own cookies. @throws at the end of the file if a page logged an error */
  open(options?: BrowserContextOptions): Promise<Page>;
}

/**
 * To be called at the top of a test file; closes the browser at its end. `hosts` maps names to addresses: `{ 'a.test':
 * '127.0.0.1:81' }`.
 */
export async function startBrowser(hosts: Record<string, string> = {}): Promise<TestBrowser> {
  const rules = Object.entries(hosts).map(([name, address]) => `MAP ${name} ${address}`);
  const browser: Browser = await chromium.launch({
    executablePath: inject('peers').chromium,
    timeout: 200_000,
    // Chromium has no sandbox as root. The pages are our own.
    args: ['--no-sandbox', '--disable-gpu', `--host-resolver-rules=${rules.join(',')}`],
  });
  const complaints: string[] = [];
  const contexts: BrowserContext[] = [];
  afterAll(async () => {
    for (const context of contexts) await context.close();
    await browser.close();
    if (complaints.length > 0) throw new Error(`the browser complained:\n${complaints.join('\n')}`);
  });
  return {
    open: async (options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
      context.setDefaultTimeout(100_000);
      contexts.push(context);
      const page = await context.newPage();
      page.on('console', (message) => {
        // Ignores the pages of other services.
        if (!new URL(page.url()).pathname.startsWith('/console/')) return;
        // Chromium logs an error for every page with an error status.
        if (message.type() !== 'error' || /status of 4\d\d/.test(message.text())) return;
        complaints.push(`${page.url()}: ${message.text()}`);
      });
      page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
      return page;
    },
  };
}

/** The rules whose result depends on the colour scheme or the width. The others run once. */
const LOOKS = [
  'color-contrast',
  'scrollable-region-focusable',
  'link-in-text-block',
  'target-size',
  'css-orientation-lock',
];

/** The flaws of the current page in both schemes and widths, each with its place. Empty if there are none. */
export async function findFlaws(page: Page): Promise<string[]> {
  const flaws: string[] = [];
  const before = page.viewportSize();
  await page.evaluate(axe.source);
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const where = `${new URL(page.url()).pathname} (${colorScheme}, ${width} px)`;
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (wide > width) flaws.push(`${where}: is ${wide} px wide`);
      const rules = colorScheme === SCHEMES[0] && width === WIDTHS[0] ? null : LOOKS;
      const options = { resultTypes: ['violations'], ...(rules ? { runOnly: { type: 'rule', values: rules } } : {}) };
      const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(document, ${JSON.stringify(options)})`);
      for (const { id, impact, nodes } of violations) {
        if (impact !== 'serious' && impact !== 'critical') continue;
        for (const node of nodes) flaws.push(`${where}: ${id}: ${node.target.join(' ')}: ${node.failureSummary}`);
      }
    }
  }
  if (before) await page.setViewportSize(before);
  return flaws;
}

/** The number of bytes of a first visit of the page, with all its files. */
export async function measureWeight(page: Page, address: string): Promise<number> {
  const client = await page.context().newCDPSession(page);
  let bytes = 0;
  client.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await client.send('Network.enable');
  await client.send('Network.setCacheDisabled', { cacheDisabled: true });
  await page.goto(address, { waitUntil: 'networkidle' });
  await client.detach();
  return bytes;
}
