// Takes the pictures of the portal in docs/images with Chromium, from the demo's pages: `npm run pictures`.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Page, launch } from 'puppeteer-core';

const root = join(import.meta.dirname, '..');
const images = join(root, 'docs/images');
const WIDTH = 1_100;
const PATIENCE_MS = 60_000;

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((file) =>
  existsSync(file),
);
if (executablePath === undefined) throw new Error('there is no Chromium');

const demo = spawn(process.execPath, [join(root, 'tools/demo.mjs'), 'portal'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  await picture(await outputMatch(demo, /Open this page[^/]+(http:\/\/127\.0\.0\.1:\d+\/)\s/u), executablePath);
} finally {
  demo.kill('SIGINT');
}

async function picture(start: string, program: string): Promise<void> {
  const browser = await launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage();
    await page.setViewport({ width: WIDTH, height: 700, deviceScaleFactor: 1 });
    await page.goto(start);
    await signIn(page, 'Ada');
    const { origin, search } = new URL(page.url());
    await shoot(page, `${origin}/`, 'portal-catalogue');
    await shoot(page, `${origin}/templates/databases`, 'portal-consent');
    await page.goto(`${origin}/templates/databases${search}`);
    await Promise.all([page.waitForNavigation(), page.click('main form button')]);
    await page.goto(`${origin}/bindings`);
    await Promise.all([page.waitForNavigation(), page.click('main a[href^="/bindings/"]')]);
    await page.waitForSelector('.steps li:nth-child(5).done', { timeout: PATIENCE_MS });
    await shoot(page, page.url(), 'portal-binding');
    await shoot(page, `${origin}/bindings`, 'portal-bindings');
    await Promise.all([page.waitForNavigation(), page.click('.person button')]);
    await page.goto(`${origin}/consumers`);
    await signIn(page, 'Grace');
    await shoot(page, `${origin}/consumers`, 'portal-consumers');
  } finally {
    await browser.close();
  }
}

/** On the page of the demo's own identity provider. */
async function signIn(page: Page, name: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click('main a.button')]);
  const button = await page.waitForSelector(`xpath/.//button[contains(., ${JSON.stringify(name)})]`);
  if (button === null) throw new Error(`${name} cannot sign in`);
  await Promise.all([page.waitForNavigation(), button.click()]);
}

async function shoot(page: Page, url: string, name: string): Promise<void> {
  await page.goto(url);
  await page.screenshot({ path: join(images, `${name}.png`), fullPage: true });
  process.stdout.write(`docs/images/${name}.png\n`);
}

/** The first match in a process's output. */
function outputMatch({ stdout }: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => {
      reject(new Error(`the demo did not come up:\n${text}`));
    }, PATIENCE_MS);
    stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const match = pattern.exec(text)?.[1];
      if (match === undefined) return;
      clearTimeout(timer);
      resolve(match);
    });
  });
}
