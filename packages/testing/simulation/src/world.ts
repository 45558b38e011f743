import type { JsonObject } from '@hawser/json';
import { type Logger, silentLogger } from '@hawser/telemetry';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { parseConfig } from '@hawser/supervisor/source';
import { Accounts } from './accounts.js';
import { type ApiSchema, ApiSchemas } from './api-schemas.js';
import { Installation } from './installation.js';
import { Link } from './link.js';
import { Machine } from './machine.js';
import { Model } from './model.js';
import { type Binding, NAMES, type Names } from './names.js';
import { startOperator } from './operator.js';
import { clusterNamespaceOf } from './provider-site.js';
import { type Sample, sampleOf, schemaOf } from './sample.js';
import { SeededRandom } from './seeded-random.js';
import type { Settings } from './settings.js';
import { SimCluster } from './sim-cluster.js';
import { SimDispatcher } from './sim-dispatcher.js';
import { SimProcess } from './sim-process.js';
import { Trace } from './trace.js';
import { Users } from './users.js';
import { VirtualTime } from './virtual-time.js';

export interface WorldOptions {
  readonly seed: number;
  readonly objects: number;
  readonly settings: Settings;
  /** How many of the last lines of the trace are kept. */
  readonly keepTrace: number;
  readonly logger?: ((process: string) => Logger) | undefined;
}

/** How long a token that was replaced stays valid: half of it is longer than any fault that keeps the new one from its consumer. */
const OVERLAP_SECONDS = 1_200;

/** Everything there is in a simulation: clusters, machines with their processes, the network between them, and people. */
export class World {
  readonly time = new VirtualTime();
  readonly names: Names = NAMES;
  readonly trace: Trace;
  readonly model: Model;
  readonly schemas: ApiSchemas;
  readonly accounts: Accounts;
  readonly users: Users;
  readonly installation: Installation;
  readonly #options: WorldOptions;
  readonly #clusters = new Map<string, SimCluster>();
  readonly #machines = new Map<string, Machine>();
  readonly #processes = new Map<string, SimProcess>();
  readonly #links = new Map<string, Link>();
  readonly #operators: ReadonlyMap<string, () => void>;
  #starts = 0;

  constructor(options: WorldOptions) {
    const { objects, settings } = options;
    this.#options = options;
    this.trace = new Trace(options.keepTrace);
    this.model = new Model(objects, NAMES);
    this.schemas = new ApiSchemas(NAMES);
    for (const name of NAMES.clusters) this.#clusters.set(name, this.#cluster(name, 0));
    for (const name of NAMES.machines) this.#machines.set(name, new Machine(name));
    this.accounts = new Accounts({
      time: this.time, model: this.model, schemas: this.schemas, names: NAMES, trace: this.trace, renewDeadlineMs: settings.lease.renewDeadlineSeconds * 1_000,
      boundCopies: (resource) => this.#boundCopies(resource),
    });
    for (const cluster of this.#clusters.values()) this.accounts.watch(cluster);
    this.installation = new Installation({ time: this.time, names: NAMES, settings, schemas: this.schemas, cluster: (name) => this.cluster(name) });
    this.users = new Users({
      time: this.time, model: this.model, names: NAMES,
      consumer: () => this.cluster(NAMES.consumer), provider: (name) => this.cluster(name), bound: (binding) => this.installation.bound(binding),
    });
    this.#operators = new Map(NAMES.bindings.map((binding) => [binding.provider, startOperator(this.cluster(binding.provider), binding, this.time)]));
  }

  cluster(name: string): SimCluster {
    return known(this.#clusters, name);
  }

  machine(name: string): Machine {
    return known(this.#machines, name);
  }

  link(machine: string, cluster: string): Link {
    const name = `${machine} ${cluster}`;
    let link = this.#links.get(name);
    if (link === undefined) {
      link = new Link(this.time, SeededRandom.stream(this.#options.seed, `link ${name}`));
      this.#links.set(name, link);
    }
    return link;
  }

  /** The operator of a provider lists its objects again, as one does whose watches have ended. */
  operatorLists(provider: string): void {
    known(this.#operators, provider)();
  }

  /** The consumer's cluster is lost; an empty one takes its place. */
  replaceConsumer(): void {
    const { consumer } = NAMES;
    this.cluster(consumer).destroy();
    const cluster = this.#cluster(consumer, ++this.#starts);
    this.#clusters.set(consumer, cluster);
    this.accounts.watch(cluster);
  }

  process(machine: string): SimProcess {
    return known(this.#processes, machine);
  }

  get processes(): readonly SimProcess[] {
    return [...this.#processes.values()];
  }

  startProcess(machine: string): void {
    const { seed, logger, settings: { pageSize } } = this.#options;
    const process = new SimProcess({
      time: this.time,
      machine: this.machine(machine),
      config: this.#config(machine),
      random: SeededRandom.stream(seed, `process ${machine} ${++this.#starts}`),
      logger: () => logger?.(machine) ?? silentLogger,
      dispatcher: (from, { server }) => {
        const name = new URL(server).hostname.replace(/\.test$/u, '');
        return new SimDispatcher(from, () => this.cluster(name), this.link(machine, name), pageSize);
      },
      ownConnection: (kubeconfig): ConnectionConfig => this.cluster(kubeconfig).administrator,
      onRequest: this.accounts.onRequest,
      onCrash: (error) => { this.accounts.violate('processes live', `${machine} ended: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`); },
    });
    this.#processes.set(machine, process);
  }

  /** The objects of a binding's API in one of the clusters. */
  samples(cluster: string, binding: number): readonly Sample[] {
    const { group, plural } = this.bindingAt(binding);
    return this.cluster(cluster).objects.list({ group, resource: plural }).map(sampleOf);
  }

  /** The schema of a binding's API: the consumer's CRD, and what is offered to each consumer. Undefined: there is none. */
  schemasOf(binding: number): { readonly crd: ApiSchema | undefined; readonly offered: readonly (ApiSchema | undefined)[] } {
    const { group, plural, provider } = this.bindingAt(binding);
    const name = `${plural}.${group}`;
    const read = (object: JsonObject | undefined): ApiSchema | undefined => (object === undefined ? undefined : schemaOf(object));
    return {
      crd: read(this.cluster(NAMES.consumer).objects.get({ group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }, { namespace: '', name })),
      offered: NAMES.consumers.map((identity) => read(this.cluster(provider).objects.get({ group: 'kube-bind.io', resource: 'boundschemas' }, { namespace: clusterNamespaceOf(identity), name }))),
    };
  }

  bindingAt(index: number): Binding {
    const binding = NAMES.bindings[index];
    if (binding === undefined) throw new Error(`there is no binding ${index}`);
    return binding;
  }

  #boundCopies(resource: string): readonly Sample[] {
    const index = NAMES.bindings.findIndex(({ plural }) => plural === resource);
    return this.installation.bound(index) ? this.samples(this.bindingAt(index).provider, index) : [];
  }

  #cluster(name: string, generation: number): SimCluster {
    return new SimCluster({
      name, time: this.time, random: SeededRandom.stream(this.#options.seed, `cluster ${name} ${generation}`).next,
      report: (error) => { this.accounts.violate('the API server itself', error instanceof Error ? (error.stack ?? error.message) : String(error)); },
    });
  }

  #config(machine: string): ReturnType<typeof parseConfig> {
    const { lease, isolation, admission, tokenLifeSeconds } = this.#options.settings;
    if (machine.startsWith('konnector')) {
      return parseConfig({ roles: ['konnector'], serverAddress: '', konnector: { kubeconfig: NAMES.consumer, lease } }, machine);
    }
    const kubeconfig = machine.replace('machine', 'provider');
    const provider = {
      kubeconfig, lease, isolation, requestAdmission: admission, sharedClusterScope: isolation === 'Namespaced', credentials: { lifeSeconds: tokenLifeSeconds, overlapSeconds: OVERLAP_SECONDS },
    };
    return parseConfig({ roles: ['provider'], serverAddress: '', provider }, machine);
  }
}

function known<T>(things: ReadonlyMap<string, T>, name: string): T {
  const thing = things.get(name);
  if (thing === undefined) throw new Error(`there is no ${name}`);
  return thing;
}
