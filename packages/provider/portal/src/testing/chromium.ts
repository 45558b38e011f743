import { existsSync } from 'node:fs';
import { it } from '@jest/globals';
import axe from 'axe-core';
import { type Browser, type Page, launch } from 'puppeteer-core';
import { collisions } from './layout.js';

const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((file) =>
  existsSync(file),
);

/**
 * `it` for tests that need a real browser. Without one, the test is skipped, counts as skipped, and prints the reason.
 */
export function itInChromium(title: string, fn: () => Promise<void>, timeoutMs?: number): void {
  if (program !== undefined) {
    it(title, fn, timeoutMs);
    return;
  }
  process.stderr.write(`skipped: ${title}: there is no Chromium\n`);
  it.skip(title, fn);
}

/** A window of a real browser with its faults so far: messages on the console, and requests to other hosts. */
export interface Window {
  readonly page: Page;
  readonly wrong: readonly string[];
  /** Findings of axe-core, and overflows, in both colour schemes at 1440 and 390 pixels. */
  faults(): Promise<readonly string[]>;
  /** Clicks, and waits for the next page. */
  follow(selector: string): Promise<void>;
  close(): Promise<void>;
}

export async function openWindow(): Promise<Window> {
  const browser: Browser = await launch({
    ...(program === undefined ? {} : { executablePath: program }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  const page = await browser.newPage();
  const wrong: string[] = [];
  page.on('console', (message) => wrong.push(message.text()));
  page.on('request', (request) => {
    const { hostname } = new URL(request.url());
    if (hostname !== '127.0.0.1') wrong.push(`a request to ${hostname}`);
  });
  return {
    page,
    wrong,
    async faults() {
      const found: string[] = [];
      for (const [width, scheme] of [
        [1440, 'light'],
        [390, 'dark'],
      ] as const) {
        await page.setViewport({ width, height: 1_000 });
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        const { violations } = (await page.evaluate(`${axe.source}; axe.run()`)) as {
          readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
        };
        found.push(
          ...violations.map(({ id, nodes }) => `${scheme}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`),
        );
        if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) found.push(`${width}: too wide`);
        found.push(...(await collisions(page)).map((collision) => `${width}: ${collision}`));
      }
      return found;
    },
    async follow(selector) {
      await Promise.all([page.waitForNavigation(), page.click(selector)]);
    },
    close: () => browser.close(),
  };
}
