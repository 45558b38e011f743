import type { DialectName } from './dialect.js';
import { type HawserSubject, startHawser } from './hawser.js';
import type { Installation } from './installation.js';
import { openLoad } from './load.js';
import {
  type Contestant,
  type Measurement,
  measureChanges,
  measureCreation,
  measureDeletion,
  measureRaw,
} from './measure.js';
import { type Subject, startReference } from './subject.js';
import { median, quantile } from './writers.js';

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

export async function benchKonnector(
  installation: Installation,
  options: KonnectorBenchOptions,
): Promise<readonly Round[]> {
  const rounds: Round[] = [];
  for (let round = 0; round < options.rounds; round++) {
    const raw = await measureRaw(installation, options.count, round);
    options.print(`round ${round + 1}: raw ${raw.toFixed(0)}/s`);
    rounds.push({ raw, ...(await runRound(installation, options, round)) });
    const { hawser, reference } = rounds[round] ?? {};
    for (const [name, result] of Object.entries({ hawser, reference }))
      if (result !== undefined) options.print(`  ${name.padEnd(9)} ${describe(result, raw)}`);
  }
  return rounds;
}

async function runRound(
  installation: Installation,
  options: KonnectorBenchOptions,
  round: number,
): Promise<Pick<Round, 'hawser' | 'reference'>> {
  const { count } = options;
  const subjects: readonly [HawserSubject, Subject] = await Promise.all([
    startHawser(installation, options.root, options),
    startReference(installation.folder, options.root, options.profile),
  ]);
  const hawser: Contestant = {
    subject: subjects[0],
    target: installation.target,
    load: await openLoad(installation.target, `hawser-${round}`),
  };
  const reference: Contestant = {
    subject: subjects[1],
    target: installation.referenceTarget,
    load: await openLoad(installation.referenceTarget, `reference-${round}`),
  };
  // The first one has the fresher API servers.
  const order = round % 2 === 0 ? [hawser, reference] : [reference, hawser];
  const created = new Map<Contestant, Awaited<ReturnType<typeof measureCreation>>>();
  for (const contestant of order)
    created.set(contestant, await measureCreation(installation, contestant, count, options.idleMs));
  const changes = await measureChanges(order, options.changes, count);
  const measured = new Map<Contestant, Measurement>();
  for (const [index, contestant] of order.entries()) {
    const creation = created.get(contestant);
    if (creation !== undefined)
      measured.set(contestant, await measureDeletion(contestant, count, creation, changes[index] ?? []));
  }
  for (const { load, subject } of order) {
    load.close();
    await subject.stop();
  }
  const result = { hawser: measured.get(hawser), reference: measured.get(reference) };
  if (result.hawser === undefined || result.reference === undefined) throw new Error('a round without result');
  return { hawser: result.hawser, reference: result.reference };
}

function describe(m: Measurement, raw: number): string {
  const rate = (value: number): string => `${value.toFixed(0)}/s (${(value / raw).toFixed(3)})`;
  return `up ${rate(m.up)} status ${rate(m.status)} deletion ${rate(m.deletion)} change p50 ${quantile(m.changes, 0.5).toFixed(1)} p99 ${quantile(m.changes, 0.99).toFixed(1)} ms, ${m.writesPerObject.toFixed(2)} writes and ${m.cpuMsPerCreation.toFixed(2)} + ${m.cpuMsPerDeletion.toFixed(2)} ms CPU per object (${m.systemCpuMsPerObject.toFixed(1)} in the kernel), ${(m.rssBytes / 2 ** 20).toFixed(0)} MiB, idle ${m.idleWrites} writes ${(m.idleCpuShare * 100).toFixed(2)} % CPU`;
}

/** A figure, its goal relative to the reference, and the measurements. */
export interface Verdict {
  readonly figure: string;
  readonly measured: number;
  readonly goal: string;
  readonly reached: boolean;
}

/** 60 times the rate of the Go konnector of `core.kbind.io`. */
const CORE_KBIND_RATE = 126;

/** Medians of the rounds' ratios to the reference, beside the goals. Single changes come from all rounds together. */
export function verdicts(rounds: readonly Round[], dialect: DialectName): readonly Verdict[] {
  const ratio = (of: (measurement: Measurement) => number): number =>
    median(rounds.map(({ hawser, reference }) => of(hawser) / of(reference)));
  const own = (of: (measurement: Measurement) => number): number => median(rounds.map(({ hawser }) => of(hawser)));
  const change = (q: number): number =>
    quantile(
      rounds.flatMap(({ hawser }) => hawser.changes),
      q,
    ) /
    quantile(
      rounds.flatMap(({ reference }) => reference.changes),
      q,
    );
  const atLeast = (figure: string, measured: number, goal: number): Verdict => ({
    figure,
    measured,
    goal: `≥ ${goal}`,
    reached: measured >= goal,
  });
  const atMost = (figure: string, measured: number, goal: number): Verdict => ({
    figure,
    measured,
    goal: `≤ ${goal}`,
    reached: measured <= goal,
  });
  return [
    ...(dialect === 'v1'
      ? []
      : [
          atLeast(
            'up, objects/s',
            own(({ up }) => up),
            CORE_KBIND_RATE,
          ),
          atLeast(
            'status, objects/s',
            own(({ status }) => status),
            CORE_KBIND_RATE,
          ),
        ]),
    atLeast(
      'up / reference',
      ratio(({ up }) => up),
      1.5,
    ),
    atLeast(
      'status / reference',
      ratio(({ status }) => status),
      1.05,
    ),
    atLeast(
      'deletion / reference',
      ratio(({ deletion }) => deletion),
      1.05,
    ),
    atMost('change p50 / reference', change(0.5), 0.95),
    atMost('change p99 / reference', change(0.99), 1),
    atMost(
      'writes per object',
      own(({ writesPerObject }) => writesPerObject),
      dialect === 'v1' ? 4 : 3,
    ),
    atMost(
      'CPU ms per creation and status',
      own(({ cpuMsPerCreation }) => cpuMsPerCreation),
      2,
    ),
    atMost(
      'CPU ms per deletion',
      own(({ cpuMsPerDeletion }) => cpuMsPerDeletion),
      1,
    ),
    atMost('RSS MB', own(({ rssBytes }) => rssBytes) / 1e6, 140),
    atMost(
      'idle writes',
      own(({ idleWrites }) => idleWrites),
      0,
    ),
    atMost('idle CPU %', own(({ idleCpuShare }) => idleCpuShare) * 100, 0.1),
  ];
}
