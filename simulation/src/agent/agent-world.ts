import type { StoreSnapshot } from '@hawser/apiserver';
import { type KubeObject, createClient, createHosts } from '@hawser/client';
import type { JsonObject } from '@hawser/json';
import { resources as kcpResources, workspacePath } from '@hawser/kcp-api';
import { installCRDs, resources } from '@hawser/syncagent-api';
import { parseConfig } from '@hawser/supervisor/source';
import { type Logger, silentLogger } from '@hawser/telemetry';
import type { Violation } from '../invariants.js';
import { Link } from '../link.js';
import { Machine } from '../machine.js';
import { SeededRandom } from '../seeded-random.js';
import { SimCluster } from '../sim-cluster.js';
import { SimDispatcher } from '../sim-dispatcher.js';
import { SimProcess, type SentRequest } from '../sim-process.js';
import type { SimServer } from '../sim-server.js';
import { heldByAnother } from '../stolen-lease.js';
import { Trace } from '../trace.js';
import { VirtualTime } from '../virtual-time.js';
import { agentInStep, type Finding } from './agent-invariants.js';
import { type AgentOperator, startAgentOperator } from './agent-operator.js';
import { type AgentPlan, MACHINES, OBJECTS, WORKSPACES } from './agent-plan.js';
import { HidingServer } from './hiding-server.js';
import { CRONTABS, SECRETS, itemOf } from './item.js';
import { KEPT } from './meddling.js';
import { crontabs, published, withFields } from './published.js';
import { SimKcp } from './sim-kcp.js';
import { EXPORT, WorkspaceUsers } from './workspace-users.js';

const PROVIDER = 'root:provider';
const PAGE_SIZE = 4;
const LEASES = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' };
const DEFINITIONS = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };

export interface AgentWorldOptions {
  readonly seed: number;
  readonly plan: AgentPlan;
  readonly keepTrace: number;
  readonly logger?: ((process: string) => Logger) | undefined;
}

/** A service cluster, a kcp, the agent between them, and people on both sides. */
export class AgentWorld {
  readonly time = new VirtualTime();
  readonly trace: Trace;
  readonly violations: Violation[] = [];
  readonly service: SimCluster;
  readonly kcp: SimKcp;
  readonly users: WorkspaceUsers[] = [];
  requests = 0;
  /** When a process was last started, in milliseconds of the run. */
  startedMs = 0;
  readonly #options: AgentWorldOptions;
  readonly #machines = new Map(MACHINES.map((name) => [name as string, new Machine(name)]));
  readonly #processes = new Map<string, SimProcess>();
  readonly #links = new Map<string, Link>();
  readonly #serviceLists: HidingServer;
  readonly #kcpLists: HidingServer;
  /** Watches by path of the workspace. */
  readonly #looking = new Map<string, Disposable>();
  #operator: AgentOperator | undefined;
  #fields = 0;
  /** Contents of Secrets at their creation. */
  readonly #kept = new Map<string, string>();
  #writes: string[] = [];
  #starts = 0;

  constructor(options: AgentWorldOptions) {
    const { seed, keepTrace } = options;
    this.#options = options;
    this.trace = new Trace(keepTrace);
    const report = (error: unknown): void => {
      this.violate('the simulation itself', error instanceof Error ? (error.stack ?? error.message) : String(error));
    };
    const shared = { time: this.time, report };
    this.service = new SimCluster({
      ...shared,
      name: 'service',
      random: SeededRandom.stream(seed, 'service').next,
      isAdmitted: ({ group, resource }) => group === CRONTABS.group && resource === CRONTABS.resource,
    });
    this.kcp = new SimKcp({ ...shared, random: SeededRandom.stream(seed, 'kcp').next });
    this.#serviceLists = new HidingServer({
      inner: this.service,
      touch: (times) => {
        this.service.objects.create(NAMESPACES, namespaceOf(`touched-${times}`));
      },
      lists: /\/crontabs\?labelSelector=syncagent\.kcp\.io%2Fremote-object-name-hash&/u,
      clusterOf: ({ metadata: { namespace } }) => namespace,
    });
    this.#kcpLists = new HidingServer({
      inner: this.kcp,
      touch: (times) => {
        const [first, ...others] = this.users.map(({ cluster, isAway }) => (isAway ? undefined : cluster));
        first?.objects.create(NAMESPACES, namespaceOf(`touched-${times}`));
        for (const cluster of others)
          if (first === undefined || cluster?.shard !== first.shard) cluster?.shard.store.skipRevision();
      },
      lists: /\/clusters\/\*\/apis\/example\.com\//u,
      clusterOf: ({ metadata: { annotations = {} } }) => annotations['kcp.io/cluster'],
    });
  }

  get machines(): readonly string[] {
    return this.#options.plan.pair ? MACHINES : MACHINES.slice(0, 1);
  }

  violate(invariant: string, what: string): void {
    this.violations.push({ atMs: this.time.monotonic(), invariant, what });
  }

  /** Resolves as virtual time passes. */
  async setUp(): Promise<void> {
    const { time } = this;
    const own = { clock: time, random: () => 0.5 };
    const { administrator, direct } = this.service;
    const service = createClient({ name: 'service', connection: administrator, dispatcher: direct, ...own });
    await this.kcp.kcp.createWorkspace(PROVIDER);
    const hosts = createHosts({
      name: 'kcp',
      connection: () => this.kcp.connection(PROVIDER),
      dispatcher: this.kcp.direct,
      ...own,
    });
    await installCRDs(service, own);
    await service.create(NAMESPACES, namespaceOf('agent'));
    await service.create(
      { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' },
      crontabs,
    );
    await service.create(resources.publishedResources, published);
    await hosts.home.create(kcpResources.apiExports, {
      apiVersion: 'apis.kcp.io/v1alpha2',
      kind: 'APIExport',
      metadata: { name: EXPORT },
    });
    this.#operator = startAgentOperator(this.service, time);
    for (const path of WORKSPACES) {
      const cluster = await this.kcp.kcp.createWorkspace(path);
      const users = new WorkspaceUsers({
        path,
        cluster,
        client: hosts.home.at(workspacePath(path)),
        provider: hosts.home,
      });
      this.users.push(users);
      this.arrive(users);
    }
    this.service.onChange((change) => {
      const isOurs = [CRONTABS, SECRETS].some(
        ({ group, resource }) => change.resource.group === group && change.resource.resource === resource,
      );
      if (!isOurs || change.key.namespace === 'agent') return;
      const users = this.users.find(({ cluster }) => cluster.name === change.key.namespace);
      if (users === undefined) this.violate('copies have a workspace', change.key.namespace);
      else this.#look(users, `the copy for ${users.path}`, change);
    });
  }

  /** The workspace moves: ignores changes at its former place. */
  leave(users: WorkspaceUsers): void {
    users.isAway = true;
    this.#looking.get(users.path)?.[Symbol.dispose]();
  }

  /** The workspace has arrived at its current place. */
  arrive(users: WorkspaceUsers): void {
    users.isAway = false;
    users.cluster = this.kcp.kcp.find(users.path) ?? users.cluster;
    this.#looking.set(
      users.path,
      users.cluster.objects.onChange((change) => {
        this.#look(users, `the object in ${users.path}`, change);
      }),
    );
  }

  startProcess(name: string): void {
    const { seed, logger, plan } = this.#options;
    const machine = this.machine(name);
    this.startedMs = this.time.monotonic();
    this.#processes.set(
      name,
      new SimProcess({
        time: this.time,
        machine,
        config: parseConfig(
          {
            roles: ['syncagent'],
            serverAddress: '',
            syncagent: {
              kubeconfig: 'service',
              agents: [
                { kcpKubeconfig: 'kcp', endpointSlice: EXPORT, namespace: 'agent', lease: { enabled: plan.pair } },
              ],
            },
          },
          'simulation',
        ),
        random: SeededRandom.stream(seed, `process ${name} ${++this.#starts}`),
        logger: () => logger?.(name) ?? silentLogger,
        dispatcher: (from, { server }) => {
          const target = this.lists(new URL(server).hostname.replace(/\.test$/u, ''));
          return new SimDispatcher(from, () => target, this.link(name, target.name), PAGE_SIZE);
        },
        ownConnection: (file) => (file === 'kcp' ? this.kcp.connection(PROVIDER) : this.service.administrator),
        onRequest: this.#onRequest,
        onCrash: (error) => {
          this.violate('processes live', error instanceof Error ? (error.stack ?? error.message) : String(error));
        },
      }),
    );
  }

  process(name: string): SimProcess | undefined {
    return this.#processes.get(name);
  }

  server(name: string): SimServer & { restart(downMs: number): void; compact(): void } {
    return name === 'kcp' ? this.kcp : this.service;
  }

  link(machine: string, server: string): Link {
    const name = `${machine} ${server}`;
    const link = this.#links.get(name) ?? new Link(this.time, SeededRandom.stream(this.#options.seed, `link ${name}`));
    this.#links.set(name, link);
    return link;
  }

  /** The agent's writes since the last call, except its Lease and Events. */
  takeWrites(): readonly string[] {
    const writes = this.#writes;
    this.#writes = [];
    return writes;
  }

  *differences(): Generator<Finding> {
    for (const users of this.users) yield* agentInStep(users, this.service);
  }

  /** The current state of the service cluster, and the clones beside the copies. */
  backUp(): StoreSnapshot {
    return this.service.backup();
  }

  restore(backup: StoreSnapshot, downMs: number): void {
    const before = this.#copies();
    this.service.restart(downMs, backup);
    const after = this.#copies();
    for (const users of this.users) {
      const objects = Array.from({ length: OBJECTS }, (_, object) => object);
      const isIn = (copies: ReadonlySet<string>, object: number): boolean =>
        copies.has(`${users.cluster.name} ${object}`);
      for (const object of objects) if (isIn(after, object) && !isIn(before, object)) users.copyMayStay(object);
      users.stateIsOlder(objects.filter((object) => isIn(before, object) && !isIn(after, object)));
    }
    this.#operator?.lookAgain();
    // The API owner applies its manifests again.
    this.#applyCrd();
  }

  addField(): void {
    this.#fields++;
    this.#applyCrd();
  }

  /** Another holder takes the Lease of the agents for a while. */
  stealLease(forMs: number): void {
    const { objects, up } = this.service;
    const [lease] = up ? objects.list(LEASES, 'agent') : [];
    if (lease !== undefined) objects.update(LEASES, heldByAnother(lease, this.time.now(), forMs));
  }

  /** Whether a clone still has its original contents. */
  #isKept(
    where: string,
    { namespace, name }: { readonly namespace: string; readonly name: string },
    now: JsonObject,
  ): boolean {
    return JSON.stringify(now['data']) === this.#kept.get(`${where} ${namespace}/${name}`);
  }

  /** The objects with copies. */
  #copies(): ReadonlySet<string> {
    return new Set(
      this.service.objects
        .list(CRONTABS)
        .filter(({ metadata }) => !(metadata as { readonly name: string }).name.startsWith(KEPT))
        .map((copy) => `${(copy['metadata'] as { readonly namespace: string }).namespace} ${itemOf(copy).object}`),
    );
  }

  /** Retries until the API has all its fields. */
  #applyCrd(): void {
    const wanted = withFields(this.#fields);
    const stored = this.service.up
      ? this.service.objects.get(DEFINITIONS, { namespace: '', name: 'crontabs.example.com' })
      : undefined;
    if (stored === undefined) {
      this.time.setTimeout(() => {
        this.#applyCrd();
      }, 1_000);
      return;
    }
    this.service.objects.update(DEFINITIONS, {
      ...stored,
      spec: { ...(stored['spec'] as JsonObject), ...wanted.spec },
    });
    // People learn of it later.
    this.time.setTimeout(() => {
      for (const users of this.users) users.fields = this.#fields;
    }, 60_000);
  }

  /** The lists of objects, or of copies, that fill caches. */
  lists(name: string): HidingServer {
    return name === 'kcp' ? this.#kcpLists : this.#serviceLists;
  }

  machine(name: string): Machine {
    const machine = this.#machines.get(name);
    if (machine === undefined) throw new Error(`there is no machine ${name}`);
    return machine;
  }

  #onRequest = ({ process, cluster, request }: SentRequest): ((status: number) => void) => {
    const what = `${process.machine.name} ${cluster.name} ${request.method} ${request.path}`;
    this.requests++;
    return (status) => {
      this.trace.add(this.time.monotonic(), `${what} ${status}`);
      if (request.method !== 'GET' && !/\/(?:leases|events)(?:\/|\?|$)/u.test(request.path)) this.#writes.push(what);
    };
  };

  #look(users: WorkspaceUsers, what: string, change: Parameters<Parameters<SimCluster['onChange']>[0]>[0]): void {
    const { type, resource, object, key } = change;
    if (resource.group === '' && resource.resource === SECRETS.resource) {
      if (type === 'ADDED') this.#kept.set(`${what} ${key.namespace}/${key.name}`, JSON.stringify(object['data']));
      // kcp labels claimed objects.
      if (key.name.startsWith(KEPT) && type !== 'ADDED' && (type === 'DELETED' || !this.#isKept(what, key, object)))
        this.violate('what others keep stays as it is', `the Secret ${key.name} beside ${what}: ${type}`);
      return;
    }
    if (resource.resource !== CRONTABS.resource || resource.group !== CRONTABS.group) return;
    const item = itemOf(object);
    const isCopy = what.startsWith('the copy');
    if (item.name.startsWith(KEPT)) {
      if (type !== 'ADDED') this.violate('what others keep stays as it is', `${what} ${item.name}: ${type}`);
      return;
    }
    if (isCopy && users.isCopyDeleted(item.object)) {
      if (type === 'DELETED') users.copyIsGone(item.object);
      return;
    }
    if (item.workspace !== users.path) this.violate('workspaces are apart', `${what} has content of ${item.workspace}`);
    if ((item.terminating || type === 'DELETED') && !users.mayGo(item.object, item.value))
      this.violate('nothing goes unasked', `${what} ${item.name} with value ${item.value} goes`);
  }
}

function namespaceOf(name: string): KubeObject & JsonObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}
