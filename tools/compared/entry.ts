// One line of docs/reference/compared.md, and its evidence.

export interface Entry {
  /** The test's name, `R33` or `RE-7`; an entry without a number has a word. */
  readonly entry: string;
  readonly kind: 'loses data' | 'leaks' | 'hangs' | 'runs hot' | 'reaches too far';
  readonly go: string;
  readonly ours: string;
  readonly shownBy: RoughEdgeTest | SimulatedTest | PlainTest;
}

/** A `roughEdge` of @hawser/testenv: passes, and fails with the mutant. */
export interface RoughEdgeTest {
  readonly kind: 'roughEdge';
  readonly file: string;
  readonly titles: readonly [string, ...string[]];
  readonly mutant: string;
}

/** The simulation finds it within some seeds (`npm run simulate -- --mutant NAME`). */
export interface SimulatedTest {
  readonly kind: 'simulated';
  readonly mutant: string;
}

/** A test without a mutant: no change of our sources reproduces the Go program's behaviour. */
export interface PlainTest {
  readonly kind: 'test';
  readonly file: string;
  readonly title: string;
}

export const edge = (path: string, entry: string, titles: RoughEdgeTest['titles'], mutant = entry): RoughEdgeTest => {
  const [role = '', name = '', ...rest] = path.split('/');
  return { kind: 'roughEdge', file: `packages/${role}/${name}/src/${rest.join('/')}.test.ts`, titles, mutant };
};
export const simulated = (mutant: string): SimulatedTest => ({ kind: 'simulated', mutant });
export const test = (path: string, title: string): PlainTest => {
  const [role = '', name = '', ...rest] = path.split('/');
  return {
    kind: 'test',
    file: role === 'e2e' ? `e2e/src/${name}.test.ts` : `packages/${role}/${name}/src/${rest.join('/')}.test.ts`,
    title,
  };
};
