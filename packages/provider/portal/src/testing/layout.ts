import type { Page } from 'puppeteer-core';

/** Extent of an element across the page, in pixels. */
export type Span = readonly [left: number, right: number];

/** The parts of a page from top to bottom, with their places. */
export type Layout = readonly (readonly [part: string, ...Span])[];

/** Blocks that only the style places: fonts of a machine move text, and not these. */
const PARTS = ['header', 'main', 'h1', '.search', '.cards', '.card', 'fieldset', '.box', '.steps', '.scrolls'];

/** The first visible element of each part, at a width. */
export async function layoutAt(page: Page, width: number): Promise<Layout> {
  await page.setViewport({ width, height: 1_000 });
  return (await page.evaluate(`(${measure.toString()})(${JSON.stringify(PARTS)})`)) as Layout;
}

/** Parts of a page that overlap although one follows the other, or that exceed their container. */
export async function collisions(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(`(${collide.toString()})()`)) as readonly string[];
}

// Both run in the browser.
function measure(parts: readonly string[]): Layout {
  return parts
    .flatMap((part) => {
      const box = globalThis.document.querySelector(part)?.getBoundingClientRect();
      if (box === undefined || box.width === 0 || box.height === 0) return [];
      return [{ part, top: box.top, left: Math.round(box.left), right: Math.round(box.right) }];
    })
    .sort((a, b) => a.top - b.top)
    .map(({ part, left, right }) => [part, left, right] as const);
}

function collide(): readonly string[] {
  const found: string[] = [];
  const name = ({ tagName, className }: Element): string => `${tagName.toLowerCase()}.${className}`;
  for (const parent of globalThis.document.querySelectorAll('body, main, section, .box, .card, form')) {
    const own = parent.getBoundingClientRect();
    const inside = [...parent.children].filter(
      (child) => !child.matches('.skip, .icon, script') && child.getBoundingClientRect().height > 0,
    );
    for (const [index, child] of inside.entries()) {
      const box = child.getBoundingClientRect();
      if (box.left < own.left - 1 || box.right > own.right + 1) found.push(`${name(child)} leaves ${name(parent)}`);
      const next = inside[index + 1]?.getBoundingClientRect();
      const isBeside = next !== undefined && (next.left >= box.right - 1 || next.right <= box.left + 1);
      if (next !== undefined && !isBeside && next.top < box.bottom - 1) found.push(`${name(child)} is covered`);
    }
  }
  return found;
}
