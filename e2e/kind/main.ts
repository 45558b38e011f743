// `nx run e2e --configuration kind [suite…]`: starts three clusters of kind (a consumer and two providers), builds and
// loads the image, installs the charts, and runs the suites with the supervisor as pods. Without Docker, kind, Helm or
// an image it says so and counts as skipped.
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildImage } from '../../tools/image/build.ts';
import { locateProgram } from '../../tools/programs/go-program.ts';
import { helm, kind as kindProgram } from '../../tools/programs/programs.ts';
import { run } from '../../tools/run.ts';
import { add, nothing, oneSkipped, total } from '../../tools/test/tally.ts';
import { jest } from '../../tools/test/stage.ts';
import { readJson, root } from '../../tools/workspace.ts';
import { type Kind, type KindCluster, createKind } from './clusters.ts';
import { withoutDocker, withoutImage } from './docker.ts';
import { planSuites } from './suites.ts';

const {
  values: { keep },
  positionals,
} = parseArgs({ allowPositionals: true, options: { keep: { type: 'boolean', default: false } } });
const startedAt = performance.now();
const log = (text: string): void => {
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${text}`);
};
const names = ['hawser-consumer', 'hawser-provider', 'hawser-second'] as const;

/** The default of kind 0.33. */
const defaultNodeImage = 'kindest/node:v1.37.0@sha256:a1ed56cfb0e7b93589bdf97c8cd566405a265939e3620fc4f5de89adff580ae5';

const setting = (name: string): string | undefined =>
  (process.env[name] ?? '') === '' ? undefined : process.env[name];

interface Ready {
  readonly kind: Kind;
  readonly image: string;
  /** Its archive. */
  readonly archive: string;
  /** Folders of the programs that the suites call. */
  readonly path: readonly string[];
}

/** Prepares everything, or returns the first thing that is missing. */
async function prepare(): Promise<Ready | { readonly missing: string }> {
  const docker = await withoutDocker();
  if (docker !== undefined) return { missing: docker };
  if (!(await run('kubectl', ['version', '--client'], { capture: true })).ok) return { missing: 'there is no kubectl' };
  const print = (line: string): void => {
    log(line);
  };
  const foundKind = await locateProgram(kindProgram, { print });
  if ('missing' in foundKind) return foundKind;
  const foundHelm = await locateProgram(helm, { print });
  if ('missing' in foundHelm) return foundHelm;
  const nodeImage = setting('HAWSER_KIND_NODE_IMAGE') ?? defaultNodeImage;
  const node = await withoutImage(nodeImage);
  if (node !== undefined) return { missing: node };
  const { version } = readJson<{ readonly version: string }>(join(root, 'apps/supervisor/package.json'));
  // Neither `latest` nor the tag of an earlier run.
  const built = await buildImage({ tag: `hawser:${version}-e2e.${Date.now()}` });
  if ('missing' in built) return built;
  return {
    kind: createKind({ kind: foundKind.path, nodeImage, config: setting('HAWSER_KIND_CONFIG') }),
    image: built.tag,
    archive: built.file,
    path: [foundHelm.path, foundKind.path].map((path) => join(path, '..')),
  };
}

async function runSuites(
  { image, path }: Ready,
  [consumer, provider, second]: readonly KindCluster[],
): Promise<boolean> {
  const all = globSync('e2e/src/*.test.ts', { cwd: root })
    .map((file) => basename(file, '.test.ts'))
    .sort();
  const { run: suites, leftOut } = planSuites(all, positionals);
  let sum = leftOut.reduce((tally) => add(tally, oneSkipped), nothing);
  const notes = leftOut.map((reason) => `skipped: ${reason}`);
  for (const suite of suites) {
    log(`suite ${suite}`);
    const file = join(root, 'tmp', 'results', `kind-${suite}.json`);
    const { tally, notes: more } = await jest(file, process.execPath, [join(root, 'e2e/run.mjs'), suite], {
      timeoutMs: 15 * 60_000,
      env: {
        PATH: [...path, process.env['PATH'] ?? ''].join(':'),
        HAWSER_E2E_RESULTS: file,
        HAWSER_E2E_IMAGE: image,
        HAWSER_E2E_CONSUMER_KUBECONFIG: consumer?.kubeconfigFile ?? '',
        HAWSER_E2E_PROVIDER_KUBECONFIG: provider?.kubeconfigFile ?? '',
        HAWSER_E2E_PROVIDER_POD_SERVER: provider?.podServer ?? '',
        HAWSER_E2E_SECOND_KUBECONFIG: second?.kubeconfigFile ?? '',
        HAWSER_E2E_SECOND_POD_SERVER: second?.podServer ?? '',
      },
    });
    sum = add(sum, tally);
    notes.push(...more);
    log(`suite ${suite}: ${total(tally)}`);
  }
  report(sum, notes);
  return sum.failed === 0;
}

function report(tally: typeof nothing, notes: readonly string[]): void {
  for (const note of notes) console.log(note);
  const results = setting('HAWSER_KIND_RESULTS');
  if (results !== undefined) {
    mkdirSync(join(results, '..'), { recursive: true });
    writeFileSync(results, JSON.stringify(tally));
  }
  console.log(total(tally));
}

const ready = await prepare();
if ('missing' in ready) {
  report(oneSkipped, [`skipped: ${ready.missing}`]);
} else {
  const { kind, archive } = ready;
  try {
    const clusters: KindCluster[] = [];
    // One by one: each start uses every processor.
    for (const name of names) {
      log(`cluster ${name}`);
      const cluster = await kind.create(name);
      clusters.push(cluster);
      await kind.load(cluster, archive);
    }
    if (!(await runSuites(ready, clusters))) process.exitCode = 1;
  } finally {
    if (keep) log(`clusters ${names.join(', ')} stay`);
    else {
      for (const name of names) await kind.delete(name);
      rmSync(join(root, 'tmp', 'kind'), { recursive: true, force: true });
    }
  }
}
