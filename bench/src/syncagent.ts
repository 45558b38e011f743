import { loadavg } from 'node:os';

import { type AgentInstallation, byReference, synced } from './agent/installation.js';
import { type BindingTimes, measureBinding } from './agent/binding.js';
import {
  type AgentMeasurement,
  type AgentRaw,
  type Footprint,
  SOCKETS_REST_MS,
  footprint,
  measureAgents,
  measureAgentRaw,
} from './agent/measure.js';
import { type LateMeasurement, measureLate } from './agent/late.js';
import { type AgentRestart, measureRestart } from './agent/restart.js';
import { openAgentLoad } from './agent/load.js';
import { perObject } from './agent/agent.js';
import type { Verdict } from './konnector.js';
import { median, quantile } from './writers.js';

export interface SyncagentBenchOptions {
  readonly count: number;
  readonly changes: number;
  readonly rounds: number;
  /** Numbers of workspaces, not decreasing. */
  readonly workspaces: readonly number[];
  /** Existing objects when a PublishedResource is added. 0: not measured. */
  readonly present: number;
  /** Number of timed bindings. */
  readonly bindings: number;
  readonly idleMs: number;
  readonly root: string;
  readonly profile?: string | undefined;
  readonly print: (line: string) => void;
}

/** One round with so many workspaces. */
export interface AgentRound {
  readonly workspaces: number;
  /** Load of the whole machine before the round. */
  readonly load: number;
  readonly raw: AgentRaw;
  readonly hawser: AgentMeasurement;
  readonly reference: AgentMeasurement;
}

export interface SyncagentResult {
  readonly kcp: 'embedded' | 'real';
  readonly rounds: readonly AgentRound[];
  /** With bound, empty workspaces. */
  readonly empty: readonly (Footprint & { readonly workspaces: number })[];
  readonly restarts: readonly AgentRestart[];
  readonly bindings: readonly BindingTimes[];
  readonly late: LateMeasurement | undefined;
}

export async function benchSyncagent(
  installation: AgentInstallation,
  options: SyncagentBenchOptions,
): Promise<SyncagentResult> {
  const { print, count } = options;
  const rounds: AgentRound[] = [];
  const empty: (Footprint & { workspaces: number })[] = [];
  for (const workspaces of options.workspaces) {
    await installation.bind(workspaces);
    for (let round = 0; round < options.rounds; round++) {
      const [load = 0] = loadavg();
      const agent = await installation.startAgent({ profile: options.profile });
      const reference = await installation.startReference(options.profile);
      const before = await footprint(agent, round === 0 ? SOCKETS_REST_MS : 0);
      if (round === 0) {
        empty.push({ workspaces, ...before });
        print(`${workspaces} empty ${workspaces === 1 ? 'workspace' : 'workspaces'}: ${describeFootprint(before)}`);
      }
      const raw = await measureAgentRaw(installation, count, rounds.length);
      print(
        `round ${rounds.length + 1}, ${workspaces} ${workspaces === 1 ? 'workspace' : 'workspaces'}: raw ${raw.service.toFixed(0)}/s on the service cluster, ${raw.kcp.toFixed(0)}/s in kcp; load average ${load.toFixed(1)}`,
      );
      const loads = [
        await openAgentLoad(installation, synced, `hawser-${rounds.length}`),
        await openAgentLoad(installation, byReference, `reference-${rounds.length}`),
      ] as const;
      const [hawser, bare] = await measureAgents(
        [
          { subject: agent, calls: () => agent.calls(), load: loads[0] },
          { subject: reference, calls: undefined, load: loads[1] },
        ],
        { count, changes: options.changes, idleMs: options.idleMs, first: rounds.length % 2 },
      );
      if (hawser === undefined || bare === undefined) throw new Error('a round without result');
      print(`  hawser    ${describe(hawser, raw.service)}`);
      print(`  reference ${describe(bare, raw.service)}`);
      print(`  calls per object, creation: ${perObject(hawser.calls.creation, count)}`);
      print(`  status: ${perObject(hawser.calls.status, count)}`);
      print(`  deletion: ${perObject(hawser.calls.deletion, count)}`);
      print(`  in step for ${options.idleMs / 1_000} s: ${JSON.stringify(hawser.calls.idle)}`);
      for (const each of loads) each.close();
      await Promise.all([agent.stop(), reference.stop()]);
      rounds.push({ workspaces, load, raw, hawser, reference: bare });
    }
  }
  const restarts = await measureRestart(installation, options);
  const bindings = await measureBinding(installation, options);
  const late = options.present === 0 ? undefined : await measureLate(installation, options);
  return { kcp: installation.kcp.kind, rounds, empty, restarts, bindings, late };
}

export function describeFootprint({ rssBytes, heapBytes, sockets }: Footprint): string {
  return `${(rssBytes / 2 ** 20).toFixed(0)} MiB resident, heap ${(heapBytes / 2 ** 20).toFixed(1)} MiB, ${sockets} sockets`;
}

function describe(m: AgentMeasurement, raw: number): string {
  const rate = (value: number): string => `${value.toFixed(1)}/s (${(value / raw).toFixed(3)})`;
  const times = (values: readonly number[]): string =>
    `p50 ${quantile(values, 0.5).toFixed(0)} p99 ${quantile(values, 0.99).toFixed(0)} ms`;
  return `down ${rate(m.down)} status up ${rate(m.status)} deletion ${rate(m.deletion)}, one change down ${times(m.changesDown)}, up ${times(m.changesUp)}; CPU per object ${m.cpuMs.creation.toFixed(1)} + ${m.cpuMs.status.toFixed(1)} + ${m.cpuMs.deletion.toFixed(1)} ms; ${(m.rssBytes / 2 ** 20).toFixed(0)} MiB`;
}

/** The figures beside their goals: medians over the rounds, single changes from all rounds together. */
export function agentVerdicts({ rounds, empty, restarts, bindings }: SyncagentResult): readonly Verdict[] {
  const ratio = (of: (measurement: AgentMeasurement) => number): number =>
    median(rounds.map(({ hawser, raw }) => of(hawser) / raw.service));
  const toBare = (of: (measurement: AgentMeasurement) => number): number =>
    median(rounds.map(({ hawser, reference }) => of(hawser) / of(reference)));
  const own = (of: (measurement: AgentMeasurement) => number): number => median(rounds.map(({ hawser }) => of(hawser)));
  const change = (q: number, of: (measurement: AgentMeasurement) => readonly number[]): number =>
    quantile(
      rounds.flatMap(({ hawser }) => of(hawser)),
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
  const [first] = empty;
  const last = empty.at(-1);
  const perWorkspace =
    first === undefined || last === undefined || first === last
      ? []
      : [
          atMost(
            'kB of heap per empty workspace',
            (last.heapBytes - first.heapBytes) / (last.workspaces - first.workspaces) / 1_000,
            20,
          ),
          // One or two of either may be closing.
          atMost('further sockets', last.sockets - first.sockets, 2),
        ];
  return [
    atLeast(
      'down / raw',
      ratio(({ down }) => down),
      0.12,
    ),
    atLeast(
      'status up / raw',
      ratio(({ status }) => status),
      0.25,
    ),
    atLeast(
      'down / bare loop',
      toBare(({ down }) => down),
      1,
    ),
    atLeast(
      'status up / bare loop',
      toBare(({ status }) => status),
      1,
    ),
    atLeast(
      'deletion / bare loop',
      toBare(({ deletion }) => deletion),
      1,
    ),
    atMost(
      'one change down, p50 ms',
      change(0.5, ({ changesDown }) => changesDown),
      15,
    ),
    atMost(
      'one change down, p99 ms',
      change(0.99, ({ changesDown }) => changesDown),
      60,
    ),
    atMost(
      'one change up, p50 ms',
      change(0.5, ({ changesUp }) => changesUp),
      15,
    ),
    atMost(
      'one change up, p99 ms',
      change(0.99, ({ changesUp }) => changesUp),
      60,
    ),
    atMost('resident MB', own(({ rssBytes }) => rssBytes) / 1e6, 110),
    atMost('writes in step', Math.max(...rounds.map(({ hawser }) => hawser.idleWrites)), 0),
    ...perWorkspace,
    atMost('restart to first change, ms', median(restarts.map(({ firstChangeMs }) => firstChangeMs)), 2_000),
    atMost('writes by a restart', Math.max(...restarts.map(({ otherWrites }) => otherWrites)), 0),
    atMost('Ready to first object, ms', median(bindings.map(({ copiedMs }) => copiedMs)), 1_000),
  ];
}
