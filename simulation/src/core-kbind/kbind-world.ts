import type { ObjectChange } from '@hawser/apiserver';
import { createClient } from '@hawser/client';
import { installCRDs } from '@hawser/core-kbind';
import type { JsonObject } from '@hawser/json';
import { parseConfig } from '@hawser/supervisor/source';
import { type Logger, silentLogger } from '@hawser/telemetry';
import type { Violation } from '../invariants.js';
import { Link } from '../link.js';
import { Machine } from '../machine.js';
import { namespaces } from '../names.js';
import { startOperator } from '../operator.js';
import { RequestAccounts } from '../request-accounts.js';
import { SeededRandom } from '../seeded-random.js';
import type { Settings } from '../settings.js';
import { SimCluster } from '../sim-cluster.js';
import { SimDispatcher } from '../sim-dispatcher.js';
import { type SentRequest, SimProcess } from '../sim-process.js';
import { heldByAnother } from '../stolen-lease.js';
import { Trace } from '../trace.js';
import { VirtualTime } from '../virtual-time.js';
import { Foreigners } from './foreigners.js';
import { type Finding, inStep } from './in-step.js';
import { People, tries } from './people.js';
import { Related } from './related.js';
import { Moves } from './moves.js';
import { Routing } from './routing.js';
import { SERVED_BY } from './thing.js';
import {
  APIS,
  CLUSTERS,
  CONSUMER,
  CRDS,
  MACHINES,
  NAMESPACES,
  PROVIDERS,
  type Provider,
  type Scenario,
  isRouted,
  providersOf,
  scenarioOf,
} from './scenario.js';
import { Users } from './users.js';
import { Watcher } from './watcher.js';
import { Wishes } from './wishes.js';

export interface KbindWorldOptions {
  readonly seed: number;
  readonly objects: number;
  readonly settings: Settings;
  readonly keepTrace: number;
  readonly logger?: ((process: string) => Logger) | undefined;
}

const LEASES = { group: 'coordination.k8s.io', resource: 'leases' };
const ENOUGH_VIOLATIONS = 20;
/**
 * Until then, a konnector may not know that its connections are lost: its writes go to the cluster that answers now.
 */
const HEARD_WITHIN_MS = 10_000;

/** A consumer, two providers without knowledge of konnectors, and people on all sides. */
export class KbindWorld {
  readonly time = new VirtualTime();
  readonly trace: Trace;
  readonly violations: Violation[] = [];
  readonly scenario: Scenario;
  readonly wishes: Wishes;
  readonly people: People;
  readonly routing: Routing;
  readonly moves: Moves;
  readonly users: Users;
  readonly foreigners: Foreigners;
  readonly related: Related;
  readonly accounts: RequestAccounts;
  readonly #options: KbindWorldOptions;
  readonly #clusters = new Map<string, SimCluster>();
  readonly #machines = new Map(MACHINES.map((name) => [name as string, new Machine(name)]));
  readonly #processes = new Map<string, SimProcess>();
  readonly #links = new Map<string, Link>();
  readonly #operators = new Map<string, readonly (() => void)[]>();
  /** The cluster that answers in place of a provider, and since when. */
  readonly #impostors = new Map<string, { readonly cluster: SimCluster; reachedAt?: number }>();
  /** Whether a person acts just now. */
  #byPeople = 0;
  #starts = 0;

  constructor(options: KbindWorldOptions) {
    const { objects, settings, keepTrace } = options;
    this.#options = options;
    this.trace = new Trace(keepTrace);
    this.scenario = scenarioOf(settings);
    this.wishes = new Wishes(objects, this.scenario);
    this.accounts = new RequestAccounts({
      time: this.time,
      trace: this.trace,
      renewDeadlineMs: settings.lease.renewDeadlineSeconds * 1_000,
      isHeartbeat: ({ path }) => /\/namespaces\/kbind\/leases(?:[/?]|$)/u.test(path),
      violateAll: (findings) => {
        for (const { invariant, what } of findings) this.violate(invariant, what);
      },
    });
    this.moves = new Moves({
      time: this.time,
      consumer: () => this.cluster(CONSUMER),
      tell: (line) => {
        this.trace.add(this.time.monotonic(), `MOVE ${line}`);
      },
      fail: this.#fails,
    });
    const parts = {
      scenario: this.scenario,
      wishes: this.wishes,
      time: this.time,
      cluster: (name: string) => this.cluster(name),
      asPeople: (_: SimCluster, act: () => void) => {
        this.#asPeople(act);
      },
      violate: (invariant: string, what: string) => {
        this.violate(invariant, what);
      },
    };
    this.people = new People(parts);
    const { people } = this;
    this.routing = new Routing({ ...parts, people, movesTo: (object) => this.moves.movesTo(object) });
    const { routing } = this;
    this.users = new Users({ ...parts, people, routing });
    this.foreigners = new Foreigners({ ...parts, people, routing });
    this.related = new Related({ ...parts, people });
    const watcher = new Watcher({ ...parts, people, routing, foreigners: this.foreigners, related: this.related });
    for (const name of CLUSTERS) {
      const cluster = this.#make(name);
      this.#clusters.set(name, cluster);
      cluster.onChange((change) => {
        if (this.scenario.routes && isVolume(change.resource)) this.routing.see(name, change);
        if (this.#byPeople === 0) watcher.look(name, change);
      });
    }
    for (const provider of PROVIDERS)
      this.#operators.set(
        provider,
        [...this.scenario.apis.entries()]
          .filter(([index]) => providersOf(index).includes(provider))
          .map(([index, api]) =>
            isRouted(index)
              ? startOperator(this.cluster(provider), api, this.time, undefined, undefined, ready)
              : startOperator(this.cluster(provider), api, this.time),
          ),
      );
  }

  cluster(name: string): SimCluster {
    return known(this.#clusters, name);
  }

  machine(name: string): Machine {
    return known(this.#machines, name);
  }

  process(machine: string): SimProcess {
    return known(this.#processes, machine);
  }

  get processes(): readonly SimProcess[] {
    return [...this.#processes.values()];
  }

  link(machine: string, cluster: string): Link {
    const name = `${machine} ${cluster}`;
    const link = this.#links.get(name) ?? new Link(this.time, SeededRandom.stream(this.#options.seed, `link ${name}`));
    this.#links.set(name, link);
    return link;
  }

  violate(invariant: string, what: string): void {
    if (this.violations.length >= ENOUGH_VIOLATIONS) return;
    this.violations.push({ atMs: this.time.monotonic(), invariant, what });
    this.trace.add(this.time.monotonic(), `VIOLATION ${invariant}: ${what}`);
  }

  failed(error: unknown): void {
    this.violate('the simulation itself', error instanceof Error ? (error.stack ?? error.message) : String(error));
  }

  /** Resolves as virtual time passes. */
  async setUp(): Promise<void> {
    const { administrator, direct, objects } = this.cluster(CONSUMER);
    const own = { clock: this.time, random: () => 0.5 };
    const client = createClient({ name: CONSUMER, connection: administrator, dispatcher: direct, ...own });
    await installCRDs(client, own);
    await client.close();
    this.#asPeople(() => {
      for (const name of ['kbind', ...namespaces])
        if (objects.get(NAMESPACES, { namespace: '', name }) === undefined)
          objects.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    });
    this.reapply();
  }

  reapply(): void {
    this.people.reapply();
    this.users.reapply();
    this.foreigners.reapply();
    this.related.reapply();
  }

  startProcess(name: string): void {
    const { seed, logger, settings } = this.#options;
    const config = {
      roles: ['konnector'],
      serverAddress: '',
      konnector: { kubeconfig: CONSUMER, lease: settings.lease, coreKbind: { enabled: true, alone: true } },
    };
    this.#processes.set(
      name,
      new SimProcess({
        time: this.time,
        machine: this.machine(name),
        config: parseConfig(config, name),
        random: SeededRandom.stream(seed, `process ${name} ${++this.#starts}`),
        logger: () => logger?.(name) ?? silentLogger,
        dispatcher: (from, { server }) => {
          const host = new URL(server).hostname.replace(/\.test$/u, '');
          const target = (): SimCluster => this.#impostors.get(host)?.cluster ?? this.cluster(host);
          return new SimDispatcher(from, target, this.link(name, host), settings.pageSize);
        },
        ownConnection: () => this.cluster(CONSUMER).administrator,
        onRequest: this.#onRequest,
        onCrash: (error) => {
          this.violate(
            'processes live',
            `${name} ended: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
          );
        },
      }),
    );
  }

  *differences(): Generator<Finding> {
    const { scenario, wishes, people, routing, foreigners } = this;
    yield* inStep({ scenario, wishes, people, routing, foreigners, cluster: (name) => this.cluster(name) });
    yield* this.related.differences();
  }

  /** Lets another cluster answer at the provider's address. Returns how to undo it. */
  replaceProvider(provider: Provider): () => void {
    if (this.#impostors.has(provider) || !this.people.isPinned(provider)) return () => undefined;
    const cluster = this.#make(`impostor of ${provider}`);
    this.#asPeople(() => {
      for (const crd of this.people.crdsOf(provider)) cluster.objects.create(CRDS, crd);
    });
    this.#impostors.set(provider, { cluster });
    this.cluster(provider).restart(1);
    return () => {
      if (this.#impostors.get(provider)?.cluster === cluster) this.rightProvider(provider);
    };
  }

  /** The provider answers at its own address again. */
  rightProvider(provider: Provider): void {
    const impostor = this.#impostors.get(provider);
    this.#impostors.delete(provider);
    impostor?.cluster.destroy();
  }

  /** Whether a konnector may still take the answering cluster for the one that it knew. */
  mayBeMistaken(provider: string): boolean {
    const impostor = this.#impostors.get(provider);
    if (impostor === undefined) return false;
    return this.time.monotonic() - (impostor.reachedAt ?? Infinity) < HEARD_WITHIN_MS;
  }

  stealLease(forMs: number): void {
    const { objects, up } = this.cluster(CONSUMER);
    if (!up) return;
    for (const lease of objects.list(LEASES, 'kube-system'))
      this.#asPeople(() => {
        objects.update(LEASES, heldByAnother(lease, this.time.now(), forMs));
      });
  }

  /** The cluster has an older state again, as people see at once. */
  isOlder(name: string): void {
    if (name === CONSUMER) {
      for (const provider of PROVIDERS) this.rightProvider(provider);
      this.people.consumerIsOlder();
      this.users.consumerIsOlder();
    } else this.users.providerIsOlder(name as Provider);
    this.related.isOlder(name);
  }

  /** The cluster is up again: people apply manifests, and operators list. */
  putBack(name: string): void {
    if (name === CONSUMER) {
      void this.setUp().catch(this.#fails);
      this.#twoMayLead();
    } else for (const list of this.#operators.get(name) ?? []) list();
    this.reapply();
  }

  /**
   * A restored Lease names a former leader. Until today's terms are over, one konnector can recreate a copy whose
   * object another one has just let go.
   */
  #twoMayLead(): void {
    const { wishes, time } = this;
    time.setTimeout(() => {
      for (const { object } of wishes.slots) if (wishes.of(object).wanted === undefined) wishes.copyMayStay(object);
    }, this.#options.settings.lease.durationSeconds * 1_000);
  }

  readonly #fails = (error: unknown): void => {
    this.failed(error);
  };

  readonly #onRequest = (sent: SentRequest): ((status: number) => void) => {
    const tracked = this.accounts.send(sent);
    return (status) => {
      tracked.answered(status);
      const [provider, impostor] = [...this.#impostors].find(([, { cluster }]) => cluster === sent.cluster) ?? [];
      const isWrite = tracked.isWrite || (sent.request.method !== 'GET' && tracked.what.includes('/leases'));
      if (impostor !== undefined && status < 500) impostor.reachedAt ??= this.time.monotonic();
      if (impostor === undefined || !isWrite || status >= 300 || this.mayBeMistaken(provider ?? '')) return;
      this.violate('nothing is written to another cluster', `${tracked.what} to ${impostor.cluster.name}`);
    };
  };

  #asPeople(act: () => void): void {
    this.#byPeople++;
    try {
      tries(act);
    } finally {
      this.#byPeople--;
    }
  }

  #make(name: string): SimCluster {
    return new SimCluster({
      name,
      time: this.time,
      random: SeededRandom.stream(this.#options.seed, `cluster ${name} ${++this.#starts}`).next,
      isAdmitted: (resource) =>
        APIS.some(({ group, plural }) => group === resource.group && plural === resource.resource),
      // Without the marks of a move, nobody knows that there is one.
      isStripped: (resource, annotation) => name !== CONSUMER || !isVolume(resource) || annotation === SERVED_BY,
      report: this.#fails,
    });
  }
}

/** Whether it belongs to the routed API. */
function isVolume({ group, resource }: ObjectChange['resource']): boolean {
  return APIS.some((api) => api.isRouted === true && api.group === group && api.plural === resource);
}

/** The object with the status of its controller. */
function ready(object: JsonObject): JsonObject {
  const { generation = 1 } = object['metadata'] as { readonly generation?: number };
  return { conditions: [{ type: 'Ready', status: 'True', observedGeneration: generation }] };
}

function known<T>(things: ReadonlyMap<string, T>, name: string): T {
  const thing = things.get(name);
  if (thing === undefined) throw new Error(`there is no ${name}`);
  return thing;
}
