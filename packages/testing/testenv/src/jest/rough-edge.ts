/**
 * A test of something that the Go program does otherwise, konnector or agent (docs/reference/compared.md), and one that it can fail: it does with the mutant of that name
 * (@hawser/mutants), which makes ours do what the Go program does. Titles are `<entry>: <title>`.
 *
 * @param entry as docs/reference/compared.md names it, `R33` or `RE-7`.
 * @param title of the test, a literal: docs/reference/compared.md is checked for it.
 * @param mutant its name, if not that of the entry.
 */
export function roughEdge(entry: string, title: string, body: () => void | Promise<void>, mutant = entry): void {
  const { it } = globalThis as unknown as { it: (title: string, body: () => Promise<void>) => void };
  it(`${entry}: ${title}`, async () => {
    await body();
  });
  it(`${entry}: … which fails with what the Go program does`, async () => {
    // Another one may be active, which the tests after this one have to find.
    const before = (globalThis as { hawserMutant?: string | undefined }).hawserMutant;
    Object.assign(globalThis, { hawserMutant: mutant });
    try {
      if (await isSatisfied(body)) throw new Error(`the test passes with the mutant ${mutant}, so it shows nothing`);
    } finally {
      Object.assign(globalThis, { hawserMutant: before });
    }
  });
}

/** A failed expectation is what is looked for; anything else is a mistake of the test. */
async function isSatisfied(body: () => void | Promise<void>): Promise<boolean> {
  try {
    await body();
    return true;
  } catch (error) {
    if (isExpectation(error)) return false;
    throw error;
  }
}

/** Itself, or what `eventually` saw last. */
function isExpectation(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  return 'matcherResult' in error || ('cause' in error && isExpectation(error.cause));
}
