/**
 * A test of a difference from the Go program, konnector or agent (docs/reference/compared.md), with proof that it can
 * fail: it must fail with the mutant of that name (@hawser/mutants), which reproduces the Go program's behaviour.
 * Titles are `<entry>: <title>`.
 *
 * @param entry name in docs/reference/compared.md, `R33` or `RE-7`.
 * @param title of the test, a literal: docs/reference/compared.md is checked for it.
 * @param mutant its name, if not that of the entry.
 */
export function roughEdge(entry: string, title: string, body: () => void | Promise<void>, mutant = entry): void {
  const { it } = globalThis as unknown as { it: (title: string, body: () => Promise<void>) => void };
  it(`${entry}: ${title}`, async () => {
    await body();
  });
  it(`${entry}: … which fails with what the Go program does`, async () => {
    // Another mutant may be active, which later tests must find.
    const before = (globalThis as { hawserMutant?: string | undefined }).hawserMutant;
    Object.assign(globalThis, { hawserMutant: mutant });
    try {
      if (await isSatisfied(body)) throw new Error(`the test passes with the mutant ${mutant}, so it shows nothing`);
    } finally {
      Object.assign(globalThis, { hawserMutant: before });
    }
  });
}

/** Only a failed expectation counts; any other error is a mistake of the test. */
async function isSatisfied(body: () => void | Promise<void>): Promise<boolean> {
  try {
    await body();
    return true;
  } catch (error) {
    if (isExpectation(error)) return false;
    throw error;
  }
}

/** The error itself, or the last one that `eventually` saw. */
function isExpectation(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  return 'matcherResult' in error || ('cause' in error && isExpectation(error.cause));
}
