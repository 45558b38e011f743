import type { Sync } from '@hawser/syncagent-sync';
import type { Gauge, Labels, Metrics } from '@hawser/telemetry';

/** Source of the metrics: the syncs of one agent, by name of their PublishedResource. */
export interface MeasuredAgent {
  readonly agent: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly syncs: () => ReadonlyMap<string, Pick<Sync, 'counts' | 'lastSyncMs'>>;
}

/** Maximum number of PublishedResources per agent with their own series, the first by name; the rest share one. */
const OWN_SERIES = 200;
const OTHERS = '(others)';
const labels = ['agent', 'published_resource'];

type Figures = Readonly<Record<'objects' | 'inStep' | 'failing' | 'orphaned' | 'held' | 'workspaces', number>> & {
  readonly lastSyncMs: number | undefined;
};

const GAUGES = [
  {
    name: 'hawser_published_objects',
    help: 'Objects in workspaces that the filter selects.',
    of: ({ objects }) => objects,
  },
  {
    name: 'hawser_published_objects_in_step',
    help: 'Of these, objects without a problem.',
    of: ({ inStep }) => inStep,
  },
  {
    name: 'hawser_published_objects_failing',
    help: 'Of these, objects with a problem that a person must solve.',
    of: ({ failing }) => failing,
  },
  {
    name: 'hawser_published_objects_held',
    help: 'Objects in workspaces that have the finalizer of the agent.',
    of: ({ held }) => held,
  },
  {
    name: 'hawser_published_copies_orphaned',
    help: 'Copies whose object in kcp is missing; they are kept.',
    of: ({ orphaned }) => orphaned,
  },
  {
    name: 'hawser_published_workspaces',
    help: 'Workspaces that have bound the APIExport.',
    of: ({ workspaces }) => workspaces,
  },
  {
    name: 'hawser_published_last_sync_age_seconds',
    help: 'Since something was last written for an object.',
    of: ({ lastSyncMs }, now) => (lastSyncMs === undefined ? undefined : Math.max(0, now - lastSyncMs) / 1_000),
  },
] as const satisfies readonly {
  readonly name: string;
  readonly help: string;
  readonly of: (figures: Figures, now: number) => number | undefined;
}[];

/** The measured agents of each registry: evaluated only when the metrics are read. */
const measured = new WeakMap<Metrics, Set<MeasuredAgent>>();

/** Registers metrics for each PublishedResource with a sync. Returns a function that removes their series. */
export function measurePublications(metrics: Metrics, agent: MeasuredAgent): () => void {
  let agents = measured.get(metrics);
  if (agents === undefined) {
    agents = new Set();
    measured.set(metrics, agents);
    define(metrics, agents);
  }
  const present = agents;
  present.add(agent);
  return () => {
    present.delete(agent);
  };
}

function define(metrics: Metrics, agents: ReadonlySet<MeasuredAgent>): void {
  for (const { name, help, of } of GAUGES) {
    const shown = new Map<string, Labels>();
    metrics.gauge({
      name,
      help,
      labels,
      collect: (gauge) => {
        collect(gauge, shown, agents, of);
      },
    });
  }
}

function collect(
  gauge: Gauge,
  shown: Map<string, Labels>,
  agents: ReadonlySet<MeasuredAgent>,
  of: (figures: Figures, now: number) => number | undefined,
): void {
  const stale = new Map(shown);
  for (const measuredAgent of agents) {
    for (const [name, figures] of figuresOf(measuredAgent)) {
      const value = of(figures, measuredAgent.now());
      if (value === undefined) continue;
      const series = { agent: measuredAgent.agent, published_resource: name };
      const id = JSON.stringify(series);
      gauge.set(value, series);
      shown.set(id, series);
      stale.delete(id);
    }
  }
  for (const [id, series] of stale) {
    gauge.remove(series);
    shown.delete(id);
  }
}

function figuresOf({ syncs }: MeasuredAgent): ReadonlyMap<string, Figures> {
  const sorted = [...syncs()].sort(([a], [b]) => (a < b ? -1 : 1));
  const result = new Map<string, Figures>();
  for (const [at, [name, sync]] of sorted.entries()) {
    const { objects, workspaces, failing, orphans, held } = sync.counts();
    const own: Figures = {
      objects,
      workspaces,
      failing,
      held,
      orphaned: orphans,
      inStep: Math.max(0, objects - failing),
      lastSyncMs: sync.lastSyncMs,
    };
    const key = at < OWN_SERIES ? name : OTHERS;
    const before = result.get(key);
    result.set(key, before === undefined ? own : sum(before, own));
  }
  return result;
}

function sum(a: Figures, b: Figures): Figures {
  const latest = [a.lastSyncMs, b.lastSyncMs].filter((time) => time !== undefined);
  return {
    objects: a.objects + b.objects,
    inStep: a.inStep + b.inStep,
    failing: a.failing + b.failing,
    held: a.held + b.held,
    orphaned: a.orphaned + b.orphaned,
    // They are mostly the same workspaces.
    workspaces: Math.max(a.workspaces, b.workspaces),
    lastSyncMs: latest.length === 0 ? undefined : Math.max(...latest),
  };
}
