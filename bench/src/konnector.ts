import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { bound, install, type Installation } from './installation.js';
import { type Measurement, measure, measureRaw, pause } from './measure.js';
import { type Subject, startSubject } from './subject.js';
import { median } from './writers.js';

export interface KonnectorBenchOptions {
  readonly count: number;
  readonly changes: number;
  readonly rounds: number;
  readonly idleMs: number;
  readonly root: string;
  /** Folder for CPU profiles of both subjects. */
  readonly profile?: string | undefined;
  readonly print: (line: string) => void;
}

/** One round: the ceiling, then ours and the reference in turn. */
export interface Round {
  readonly raw: number;
  readonly hawser: Measurement;
  readonly reference: Measurement;
}

export async function benchKonnector(options: KonnectorBenchOptions): Promise<readonly Round[]> {
  const { print } = options;
  print('starting two control planes');
  const profiling: Record<string, string> = options.profile === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${options.profile}` };
  const installation = await install();
  const hawser = (): Subject =>
    startSubject('hawser', join(options.root, 'apps/supervisor/bin/hawser-konnector'), ['--server-address=127.0.0.1:0', `--kubeconfig=${join(installation.folder, 'consumer.kubeconfig')}`, '--lease-namespace=kube-bind'], { POD_NAME: 'bench', ...profiling }, join(installation.folder, 'hawser.log'));
  try {
    await prepare(installation, options, hawser);
    const rounds: Round[] = [];
    for (let round = 0; round < options.rounds; round++) {
      const raw = await measureRaw(installation, options.count, round);
      print(`round ${round + 1}: raw ${raw.toFixed(0)}/s`);
      const subjects: Record<'hawser' | 'reference', () => Subject> = { hawser, reference: () => reference(installation, options.root, profiling) };
      const order: readonly ('hawser' | 'reference')[] = round % 2 === 0 ? ['hawser', 'reference'] : ['reference', 'hawser'];
      const results: Partial<Record<'hawser' | 'reference', Measurement>> = {};
      for (const name of order) {
        const subject = subjects[name]();
        // Both list what is there and open their watches; an empty cluster needs no longer.
        await pause(4_000);
        const measurement = await measure(installation, subject, { count: options.count, changes: options.changes, idleMs: options.idleMs, prefix: `${name}-${round}` });
        await subject.stop();
        results[name] = measurement;
        print(`  ${name.padEnd(9)} ${describe(measurement, raw)}`);
      }
      if (results.hawser !== undefined && results.reference !== undefined) rounds.push({ raw, hawser: results.hawser, reference: results.reference });
    }
    return rounds;
  } finally {
    await installation.close();
  }
}

/** Binds once with the real konnector and provider, so that both subjects find the same installation. */
async function prepare(installation: Installation, options: KonnectorBenchOptions, hawser: () => Subject): Promise<void> {
  const provider = startSubject('provider', join(options.root, 'apps/supervisor/bin/hawser'), ['run', '--roles=provider', '--server-address=127.0.0.1:0', `--provider-kubeconfig=${join(installation.folder, 'provider.kubeconfig')}`], { POD_NAME: 'bench' }, join(installation.folder, 'provider.log'));
  const konnector = hawser();
  const { consumer, consumerNamespace } = installation;
  const { resource, sample } = await import('./sample.js');
  const { eventually } = await import('@hawser/testenv');
  await eventually(() => consumer.list(resource, { limit: 1 }), { timeoutMs: 60_000 });
  await consumer.create(resource, sample(resource, consumerNamespace, 'first'));
  await bound(installation);
  await consumer.delete(resource, { namespace: consumerNamespace, name: 'first' });
  await eventually(async () => (await consumer.list(resource, { namespace: consumerNamespace })).items.length === 0, { timeoutMs: 60_000 });
  await Promise.all([provider.stop(), konnector.stop()]);
  writeFileSync(join(installation.folder, 'reference.json'), JSON.stringify({
    consumer: installation.planes.consumer.connection,
    provider: installation.planes.provider.connection,
    clusterNamespace: installation.clusterNamespace,
    consumerNamespace,
    providerNamespace: installation.providerNamespace,
  }), { mode: 0o600 });
}

function reference(installation: Installation, root: string, env: Readonly<Record<string, string>>): Subject {
  return startSubject('reference', process.execPath, [join(root, 'bench/dist/bare-loop.js'), join(installation.folder, 'reference.json')], env, join(installation.folder, 'reference.log'));
}

function describe(m: Measurement, raw: number): string {
  const rate = (value: number): string => `${value.toFixed(0)}/s (${(value / raw).toFixed(3)})`;
  return `up ${rate(m.up)} status ${rate(m.status)} deletion ${rate(m.deletion)} change p50 ${m.changeP50.toFixed(1)} p99 ${m.changeP99.toFixed(1)} ms, ${m.writesPerObject.toFixed(2)} writes and ${m.cpuMsPerObject.toFixed(1)} ms CPU per object, ${(m.rssBytes / 2 ** 20).toFixed(0)} MiB, idle ${m.idleWrites} writes ${(m.idleCpuShare * 100).toFixed(2)} % CPU`;
}

/** A figure, its goal against the reference, and what was measured. */
export interface Verdict {
  readonly figure: string;
  readonly measured: number;
  readonly goal: string;
  readonly reached: boolean;
}

/** The medians of the rounds' ratios to the reference, beside the goals. */
export function verdicts(rounds: readonly Round[]): readonly Verdict[] {
  const ratio = (key: 'up' | 'status' | 'deletion' | 'changeP50' | 'changeP99'): number => median(rounds.map(({ hawser, reference: other }) => hawser[key] / other[key]));
  const own = (key: keyof Measurement): number => median(rounds.map(({ hawser }) => hawser[key]));
  const atLeast = (figure: string, measured: number, goal: number): Verdict => ({ figure, measured, goal: `≥ ${goal}`, reached: measured >= goal });
  const atMost = (figure: string, measured: number, goal: number): Verdict => ({ figure, measured, goal: `≤ ${goal}`, reached: measured <= goal });
  return [
    atLeast('up / reference', ratio('up'), 1.2),
    atLeast('status / reference', ratio('status'), 0.95),
    atLeast('deletion / reference', ratio('deletion'), 0.95),
    atMost('change p50 / reference', ratio('changeP50'), 1.1),
    atMost('change p99 / reference', ratio('changeP99'), 1.2),
    atMost('writes per object', own('writesPerObject'), 4.05),
    atMost('CPU ms per object', own('cpuMsPerObject'), 4),
    atMost('RSS MiB', own('rssBytes') / 2 ** 20, 120),
    atMost('idle writes', own('idleWrites'), 0),
    atMost('idle CPU %', own('idleCpuShare') * 100, 0.5),
  ];
}
