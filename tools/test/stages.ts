import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exists, type Manifest, readJson, root } from '../workspace.ts';
import { combine, command, counted, jest, type Stage, type StageResult } from './stage.ts';

const results = join(root, 'tmp', 'results');
const node = process.execPath;

/** Every stage of `npm test`, in order, those that only compute behind the others: what fails fast comes first. A stage whose files do not exist is skipped. */
export const stages: readonly Stage[] = [
  {
    name: 'lint',
    computes: true,
    // While it builds, tsup has files beside the sources that come and go.
    after: 'build',
    run: async (behind) => {
      const check = (program: string, args: readonly string[]): Promise<StageResult> =>
        command(program, args, { behind });
      return combine([
        // The layer rule reads the project graph from nx's cache, and is silent where there is none.
        await command('nx', ['show', 'projects'], { behind, capture: true }),
        await check('prettier', ['--check', '--log-level', 'warn', '**/*.{ts,js,mjs}']),
        await check('eslint', ['.']),
        await check(node, ['tools/check-functions.ts']),
        await check(node, ['tools/check-files.ts']),
        await check(node, ['tools/check-layers.ts']),
        await check(node, ['tools/check-references.ts']),
        await check(node, ['tools/check-links.ts']),
        await check('vitepress', ['build', 'docs']),
        await check(node, ['tools/check-controllers.ts']),
        await check(node, ['-C', 'hawser-source', '--import', 'tsx', 'tools/conditions.ts', '--check']),
        await check(node, ['-C', 'hawser-source', '--import', 'tsx', 'tools/schema-policy.ts', '--check']),
        await check(node, ['-C', 'hawser-source', '--import', 'tsx', 'tools/security.ts', '--check']),
        await check(node, ['-C', 'hawser-source', '--import', 'tsx', 'tools/compared.ts', '--check']),
        await check(node, ['-C', 'hawser-source', '--import', 'tsx', 'tools/reference.ts', '--check']),
        await check(node, ['tools/manifests.ts', '--check']),
        await check(node, ['tools/chaos.ts', '--check']),
        await check('knip', ['--no-config-hints']),
      ]);
    },
  },
  {
    name: 'typecheck',
    run: async () =>
      combine([
        await command('tsc', ['-b']),
        await command('tsc', ['-p', 'tsconfig.tests.json']),
        await command(node, ['tools/check-readmes.ts']),
      ]),
  },
  { name: 'build', run: () => command('nx', ['run-many', '-t', 'build', '--output-style=static']) },
  {
    name: 'test',
    // Twice as many workers as small machines have cores: tests against control planes wait about half of the time.
    run: () =>
      jest(
        join(results, 'test.json'),
        node,
        ['tools/jest.mjs', '--maxWorkers=4', '--json', `--outputFile=${join(results, 'test.json')}`],
        { timeoutMs: 50 * 60_000 },
      ),
  },
  {
    name: 'simulate',
    computes: true,
    run: async (behind) => {
      const file = join(results, 'simulation.json');
      // Every run that ever failed, thirty seeds, and the mutants.
      const known = await counted(
        file,
        node,
        ['tools/simulate.ts', '--seeds', '30', '--from', '1', '--mutants', '--results', file],
        { behind, timeoutMs: 45 * 60_000 },
      );
      return combine([known, await agentSeeds(behind), await freshSeeds(behind), await fuzz(behind)]);
    },
  },
  {
    // Where what it stands on is not to be had, it says so.
    name: 'image',
    run: () => {
      const file = join(results, 'image.json');
      return counted(file, node, ['tools/image/main.ts', '--results', file], { timeoutMs: 15 * 60_000 });
    },
  },
  { name: 'pack', run: () => command(node, ['tools/pack-test.ts']) },
  {
    name: 'examples',
    skip: () => (examples().length === 0 ? 'there is no example with a start script' : undefined),
    run: async () => {
      const outcomes: StageResult[] = [];
      for (const cwd of examples())
        outcomes.push(
          await command('npm', ['run', '--silent', 'start'], { cwd: join(root, cwd), timeoutMs: 5 * 60_000 }),
        );
      return combine(outcomes);
    },
  },
  {
    name: 'demo',
    skip: () => (exists('tools/demo.mjs') ? undefined : 'there is no demo'),
    run: async () =>
      combine([
        await command('npm', ['run', '--silent', 'demo', '--', '--once'], { timeoutMs: 3 * 60_000 }),
        await command('npm', ['run', '--silent', 'demo', '--', 'syncagent', '--once'], { timeoutMs: 3 * 60_000 }),
        await command('npm', ['run', '--silent', 'demo', '--', 'schema', '--once'], { timeoutMs: 3 * 60_000 }),
        await command('npm', ['run', '--silent', 'demo', '--', 'portal', '--once'], { timeoutMs: 3 * 60_000 }),
        await command('npm', ['run', '--silent', 'demo', '--', 'gateway', '--once'], { timeoutMs: 3 * 60_000 }),
        await command('npm', ['run', '--silent', 'demo', '--', 'v2', '--once'], { timeoutMs: 3 * 60_000 }),
        await command('npm', ['run', '--silent', 'demo', '--', '--real', '--once'], { timeoutMs: 10 * 60_000 }),
      ]),
  },
  {
    name: 'e2e',
    skip: () => (exists('e2e/package.json') ? undefined : 'there is no e2e/package.json'),
    run: () => {
      const file = join(results, 'e2e.json');
      return jest(file, 'nx', ['run', 'e2e:e2e', '--output-style=stream'], {
        env: { HAWSER_E2E_RESULTS: file },
        timeoutMs: 45 * 60_000,
      });
    },
  },
];

/** The agent between kcp and a service cluster: twenty seeds, and the mutants. */
function agentSeeds(behind: boolean): Promise<StageResult> {
  const file = join(results, 'simulation-agent.json');
  return counted(
    file,
    node,
    ['tools/simulate.ts', '--agent', '--seeds', '20', '--from', '1', '--mutants', '--results', file],
    {
      behind,
      timeoutMs: 15 * 60_000,
    },
  );
}

/** Up to 300 other seeds with each change, as many as 300 s of CPU allow. What fails is printed with the command that replays it, and fails the stage. */
async function freshSeeds(behind: boolean): Promise<StageResult> {
  const from = String(seedOfSources());
  const file = join(results, 'simulation-fresh.json');
  const { tally, notes } = await counted(
    file,
    node,
    [
      'tools/simulate.ts',
      '--seeds',
      '300',
      '--only-seeds',
      '--budget',
      '300',
      '--least',
      '30',
      '--from',
      from,
      '--results',
      file,
    ],
    { behind, timeoutMs: 45 * 60_000 },
  );
  return { tally, notes: [...notes, `fresh seeds from ${from}: ${tally.passed} hold`] };
}

/** Malformed and hostile objects through every reader, as many as 25 s of CPU allow. What fails is printed with the command that replays it, and fails the stage. */
async function fuzz(behind: boolean): Promise<StageResult> {
  const from = String(seedOfSources());
  const file = join(results, 'fuzz.json');
  const { tally, notes } = await counted(
    file,
    node,
    [
      '-C',
      'hawser-source',
      '--import',
      'tsx',
      'tools/fuzz.ts',
      '--objects',
      '1000000',
      '--budget',
      '25',
      '--max-ms',
      '2000',
      '--from',
      from,
      '--results',
      file,
    ],
    { behind, timeoutMs: 10 * 60_000 },
  );
  return { tally, notes: [...notes, `hostile objects from seed ${from}: ${tally.passed} readers hold`] };
}

/** The same for the same sources, whatever commit they are in, so that it can be known before a change is handed in. Without a repository, those after the ones that are always run. */
function seedOfSources(): number {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD^{tree}'], { cwd: root, encoding: 'utf8' });
  return status === 0 ? 1_000_000 + Number.parseInt(stdout.slice(0, 7), 16) : 61;
}

function examples(): readonly string[] {
  return globSync('examples/*/package.json', { cwd: root })
    .filter((file) => readJson<Manifest>(join(root, file)).scripts?.['start'] !== undefined)
    .map((file) => dirname(file))
    .sort();
}
