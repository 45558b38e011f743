import type { JsonObject } from '@hawser/json';
import { type APIServiceBinding, conditionTypes, getCondition } from '@hawser/kube-bind';
import { type Logger, silentLogger } from '@hawser/telemetry';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { parseConfig } from '@hawser/supervisor/source';
import { Accounts } from './accounts.js';
import { type ApiSchema, ApiSchemas } from './api-schemas.js';
import { Bystanders } from './bystanders.js';
import { Connections } from './connections.js';
import { apiObjects, claimedSecrets } from './object-kinds.js';
import { HostileConsumer, MOST_NAMESPACES } from './hostile-consumer.js';
import { Installation } from './installation.js';
import { Link } from './link.js';
import { Machine } from './machine.js';
import { Model } from './model.js';
import { Monsters } from './monsters.js';
import { type Binding, type Names, extraOf, namesFor } from './names.js';
import { startNeighbours } from './neighbours.js';
import { startOperator } from './operator.js';
import { clusterNamespaceOf } from './provider-site.js';
import { type RightView, rightsOf } from './rights.js';
import { type Sample, sampleOf, schemaOf } from './sample.js';
import { SeededRandom } from './seeded-random.js';
import { secretsFor, sharedAfter } from './schedule.js';
import { SECRETS, changedSecret, secretSampleOf } from './secret-sample.js';
import type { Settings } from './settings.js';
import { SimCluster } from './sim-cluster.js';
import { SimDispatcher } from './sim-dispatcher.js';
import { SimProcess } from './sim-process.js';
import { TWIN, TWINS_MACHINE, Twin, hasTwin } from './twin.js';
import { Trace } from './trace.js';
import { Users } from './users.js';
import { VirtualTime } from './virtual-time.js';

export interface WorldOptions {
  readonly seed: number;
  readonly objects: number;
  readonly settings: Settings;
  /** Number of last trace lines to keep. */
  readonly keepTrace: number;
  readonly logger?: ((process: string) => Logger) | undefined;
}

/** How long a replaced token stays valid: half of it is longer than any fault between the new one and its consumer. */
const OVERLAP_SECONDS = 1_200;

/** All parts of a simulation: clusters, machines with their processes, the network between them, and people. */
export class World {
  readonly time = new VirtualTime();
  readonly names: Names;
  readonly trace: Trace;
  readonly model: Model;
  /**
   * Secrets of users that providers claim, and those that providers make for the objects; empty if Secrets are not
   * claimed.
   */
  readonly credentials: Model;
  readonly connections: Model;
  readonly schemas: ApiSchemas;
  readonly accounts: Accounts;
  readonly users: Users;
  readonly usersOfSecrets: Users;
  readonly bystanders: Bystanders;
  readonly installation: Installation;
  readonly monsters: Monsters;
  /** By provider; empty without a hostile consumer. */
  readonly hostileConsumers: ReadonlyMap<string, HostileConsumer>;
  /** The other cluster with the consumer's kubeconfig, if any. */
  readonly twin: Twin | undefined;
  /** Whether the providers' operators report nothing. */
  operatorsRest = false;
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
    this.names = namesFor(settings.rollout);
    this.trace = new Trace(options.keepTrace);
    const shared = hasTwin(settings) ? sharedAfter(objects, this.names) : [];
    this.model = new Model({ count: Math.max(objects, ...shared.map((object) => object + 1)), names: this.names });
    this.credentials = new Model({
      count: settings.claims ? secretsFor(objects) : 0,
      names: this.names,
      noun: 'Secret',
      nameOf: (object) => `credentials-${object}`,
    });
    // Copies of cluster-scoped consumer objects are in no service namespace, and nothing there is claimed.
    const areConnected = settings.claims && settings.isolation !== 'Namespaced';
    this.connections = new Model({
      count: areConnected ? objects : 0,
      names: this.names,
      noun: 'connection Secret',
      home: 'provider',
      nameOf: (object) => `connection-${object}`,
    });
    this.schemas = new ApiSchemas(this.names);
    for (const name of this.names.clusters) this.#clusters.set(name, this.#cluster(name, 0));
    for (const name of this.names.machines) this.#machines.set(name, new Machine(name));
    this.accounts = new Accounts({
      time: this.time,
      model: this.model,
      secrets: settings.claims ? { credentials: this.credentials, connections: this.connections } : undefined,
      schemas: this.schemas,
      names: this.names,
      trace: this.trace,
      renewDeadlineMs: settings.lease.renewDeadlineSeconds * 1_000,
      shared: settings.shared === true,
      rollout: settings.rollout,
      bindings: {
        isDeleting: (name) => this.installation.isDeleting(name),
        exportStandsForMs: (name) => this.#exportStandsForMs(name),
        repointedTo: (secret) => this.installation.repointedTo(secret),
      },
      boundCopies: (resource) => this.#boundCopies(resource),
    });
    for (const cluster of this.#clusters.values()) this.accounts.watch(cluster);
    this.installation = new Installation({
      time: this.time,
      names: this.names,
      settings,
      schemas: this.schemas,
      credentials: this.credentials,
      cluster: (name) => this.cluster(name),
      tell: (line) => {
        this.trace.add(this.time.monotonic(), `COMMAND ${line}`);
      },
      fail: (error) => {
        this.accounts.violate(
          'the simulation itself',
          error instanceof Error ? (error.stack ?? error.message) : String(error),
        );
      },
    });
    const users = {
      time: this.time,
      names: this.names,
      consumer: () => this.cluster(this.names.consumer),
      provider: (name: string) => this.cluster(name),
    };
    this.users = new Users({
      ...users,
      model: this.model,
      objectKind: apiObjects,
      usable: (binding) => this.installation.usable(binding),
    });
    this.usersOfSecrets = new Users({
      ...users,
      model: this.credentials,
      objectKind: claimedSecrets,
      usable: () => true,
    });
    this.bystanders = new Bystanders({
      names: this.names,
      model: this.model,
      secrets: [this.credentials, this.connections],
      cluster: (name) => this.cluster(name),
      violate: (invariant, what) => {
        this.accounts.violate(invariant, what);
      },
    });
    const [other, identity] = this.names.consumers;
    this.hostileConsumers = new Map(
      settings.hostile !== true
        ? []
        : this.names.bindings.map((binding) => [
            binding.provider,
            new HostileConsumer({
              time: this.time,
              settings,
              cluster: () => this.cluster(binding.provider),
              binding,
              identity,
              other,
              find: (findings) => {
                this.accounts.violateAll(findings);
              },
              fail: (error) => {
                this.accounts.violate(
                  'the simulation itself',
                  error instanceof Error ? (error.stack ?? error.message) : String(error),
                );
              },
            }),
          ]),
    );
    if (hasTwin(settings)) {
      const cluster = this.#cluster(TWIN, 0);
      this.#clusters.set(TWIN, cluster);
      this.#machines.set(TWINS_MACHINE, new Machine(TWINS_MACHINE));
      const [binding] = this.names.bindings;
      const provider = binding?.provider ?? '';
      this.cluster(provider).webhooks.keepClusterOn((object) => shared.includes(sampleOf(object).object));
      this.twin = new Twin({
        time: this.time,
        names: this.names,
        random: SeededRandom.stream(options.seed, TWIN),
        schemas: this.schemas,
        cluster,
        provider: () => this.cluster(provider),
        kubeconfig: () => this.installation.site(provider).kubeconfig(),
        slots: this.model.slots.filter(({ object }) => shared.includes(object)),
        fail: (error) => {
          this.accounts.violate(
            'the simulation itself',
            error instanceof Error ? (error.stack ?? error.message) : String(error),
          );
        },
      });
    }
    this.monsters = new Monsters({
      time: this.time,
      names: this.names,
      consumer: () => this.cluster(this.names.consumer),
      usable: (binding) => this.installation.usable(binding),
    });
    const connections = areConnected
      ? new Connections(this.connections, this.names, settings.isolation === 'None')
      : undefined;
    this.#operators = new Map(
      this.names.bindings.map((binding) => {
        const provider = this.cluster(binding.provider);
        const operator = startOperator(provider, binding, this.time, connections, () => this.operatorsRest);
        if (settings.rollout.length === 0) return [binding.provider, operator];
        const neighbours = startNeighbours(
          provider,
          this.names.consumers.slice(1).map(clusterNamespaceOf),
          this.time,
          SeededRandom.stream(options.seed, `neighbours ${binding.provider}`),
        );
        return [
          binding.provider,
          () => {
            operator();
            neighbours();
          },
        ];
      }),
    );
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

  /** The provider's operator lists its objects again, like one whose watches have ended; and so do its consumers. */
  operatorLists(provider: string): void {
    known(this.#operators, provider)();
  }

  /** The consumer's cluster is lost; an empty one takes its place. */
  replaceConsumer(): void {
    const { consumer } = this.names;
    this.accounts.leasesAreOthers(0);
    this.accounts.isLost(this.names.bindings.flatMap((_, binding) => this.samples(consumer, binding)));
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
    const {
      seed,
      logger,
      settings: { pageSize },
    } = this.#options;
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
      onCrash: (error) => {
        this.accounts.violate(
          'processes live',
          `${machine} ended: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        );
      },
    });
    this.#processes.set(machine, process);
  }

  /** The objects of a binding's API in one of the clusters. */
  samples(cluster: string, binding: number): readonly Sample[] {
    const { group, plural } = this.bindingAt(binding);
    return this.cluster(cluster).objects.list({ group, resource: plural }).map(sampleOf);
  }

  /** The Secrets of a model in one of the clusters. */
  secrets(cluster: string, model: Model): readonly Sample[] {
    return model.slots.length === 0
      ? []
      : this.cluster(cluster)
          .objects.list(SECRETS)
          .map(secretSampleOf)
          .filter(({ name }) => model.named(name) !== undefined);
  }

  /** All that concern claims. */
  claimedSecrets(cluster: string): readonly Sample[] {
    return [this.credentials, this.connections].flatMap((model) => this.secrets(cluster, model));
  }

  /** A user changes, on the consumer, what a provider made. */
  tamperWithConnection(object: number): void {
    const { objects, up } = this.cluster(this.names.consumer);
    const slot = this.connections.slots[object];
    const current = slot === undefined || !up ? undefined : objects.get(SECRETS, slot);
    if (current !== undefined) objects.update(SECRETS, changedSecret(current, -object), { fieldManager: 'user' });
  }

  get models(): readonly Model[] {
    return [this.model, this.credentials, this.connections];
  }

  /** Current wishes in a cluster. Returns how to restore them once the cluster has its present state again. */
  rememberWishes(cluster: string): () => void {
    const binding = this.names.bindings.findIndex(({ provider }) => provider === cluster);
    const again = this.models
      .filter(({ home }) => (home === 'consumer') === (cluster === this.names.consumer))
      .map((model) => {
        const snapshot = model.snapshot();
        return () => {
          model.restore(snapshot, binding < 0 ? undefined : binding);
        };
      });
    return () => {
      this.mayBeOrphaned();
      for (const restore of again) restore();
    };
  }

  /** For an API that goes from the consumer. */
  mayBeOrphanedOf(api: number): void {
    for (const { object } of this.model.slots.filter(({ binding }) => binding === api))
      this.model.mayBeOrphaned(object);
  }

  /** For everything. */
  mayBeOrphaned(): void {
    for (const model of this.models) for (const { object } of model.slots) model.mayBeOrphaned(object);
  }

  /** The schema of a binding's API: the consumer's CRD, and the offer to each consumer. Undefined: none. */
  schemasOf(binding: number): {
    readonly crd: ApiSchema | undefined;
    readonly offered: readonly (ApiSchema | undefined)[];
  } {
    const { group, plural, provider } = this.bindingAt(binding);
    const name = `${plural}.${group}`;
    const read = (object: JsonObject | undefined): ApiSchema | undefined =>
      object === undefined ? undefined : schemaOf(object);
    return {
      crd: read(
        this.cluster(this.names.consumer).objects.get(
          { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' },
          { namespace: '', name },
        ),
      ),
      offered: this.names.consumers.map((identity) =>
        read(
          this.cluster(provider).objects.get(
            { group: 'kube-bind.io', resource: 'boundschemas' },
            { namespace: clusterNamespaceOf(identity), name },
          ),
        ),
      ),
    };
  }

  /** The wanted objects without a copy of the same contents. */
  *notInStep(): Generator<{ readonly object: number; readonly what: string }> {
    for (const { object, binding } of this.model.wanted()) {
      const { wanted } = this.model.of(object);
      const copy = this.samples(this.bindingAt(binding).provider, binding).find((one) => one.object === object);
      if (copy?.value !== wanted)
        yield {
          object,
          what:
            copy === undefined
              ? `object ${object} has no copy`
              : `the copy of object ${object} says ${copy.value}, wanted is ${String(wanted)}`,
        };
    }
  }

  /** Whether its binding reports objects out of step, or a Warning is about it. */
  isReported(object: number): boolean {
    const slot = this.model.slots[object];
    return slot !== undefined && this.isReportedOf(slot);
  }

  /** The same of any object of an API. */
  isReportedOf(slot: { readonly binding: number; readonly name: string }): boolean {
    const { objects } = this.cluster(this.names.consumer);
    const binding = objects.get(
      { group: 'kube-bind.io', resource: 'apiservicebindings' },
      { namespace: '', name: this.bindingAt(slot.binding).name },
    ) as (JsonObject & APIServiceBinding) | undefined;
    if (getCondition(binding?.status?.conditions, conditionTypes.objectsInSync)?.status === 'False') return true;
    return objects
      .list({ group: '', resource: 'events' })
      .some(
        ({ type, involvedObject }) =>
          type === 'Warning' && (involvedObject as { readonly name?: string }).name === slot.name,
      );
  }

  /** Whether a condition of an APIServiceBinding has that reason. */
  bindingReports(name: string, reason: string): boolean {
    const binding = this.cluster(this.names.consumer).objects.get(
      { group: 'kube-bind.io', resource: 'apiservicebindings' },
      { namespace: '', name },
    ) as (JsonObject & APIServiceBinding) | undefined;
    return binding?.status?.conditions?.some((condition) => condition.reason === reason) === true;
  }

  /** Rights of consumers at the provider of an API. */
  rights(binding: number): Iterable<RightView> {
    const api = this.bindingAt(binding);
    return rightsOf(this.cluster(api.provider), api, this.names.consumers, this.#options.settings);
  }

  bindingAt(index: number): Binding {
    const binding = this.names.bindings[index];
    if (binding === undefined) throw new Error(`there is no binding ${index}`);
    return binding;
  }

  /**
   * Age of the additional export in milliseconds, by the name of the export or BoundSchema; undefined: another name.
   */
  #exportStandsForMs(name: string): number | undefined {
    const binding =
      this.#options.settings.bundle === 'None'
        ? undefined
        : this.names.bindings.find((one) => {
            const extra = extraOf(one);
            return name === extra.name || name === `${extra.plural}.${extra.group}`;
          });
    return binding === undefined ? undefined : this.installation.site(binding.provider).extraStandsForMs;
  }

  #boundCopies(resource: string): readonly Sample[] {
    const index = this.names.bindings.findIndex(({ plural }) => plural === resource);
    return this.installation.usable(index)
      ? this.samples(this.bindingAt(index).provider, index).filter(({ object }) => object >= 0)
      : [];
  }

  #cluster(name: string, generation: number): SimCluster {
    return new SimCluster({
      name,
      time: this.time,
      random: SeededRandom.stream(this.#options.seed, `cluster ${name} ${generation}`).next,
      report: (error) => {
        this.accounts.violate(
          'the API server itself',
          error instanceof Error ? (error.stack ?? error.message) : String(error),
        );
      },
    });
  }

  #config(machine: string): ReturnType<typeof parseConfig> {
    const { lease, isolation, admission, tokenLifeSeconds, hostile, shared } = this.#options.settings;
    if (machine.startsWith('konnector')) {
      const shares = shared === true && machine !== TWINS_MACHINE;
      return parseConfig(
        {
          roles: ['konnector'],
          serverAddress: '',
          konnector: {
            kubeconfig: machine === TWINS_MACHINE ? TWIN : this.names.consumer,
            lease,
            ...(shares ? { shards: 2 } : {}),
          },
        },
        machine,
      );
    }
    const kubeconfig = machine.replace('machine', 'provider');
    const provider = {
      kubeconfig,
      lease,
      isolation,
      consumerNamespaces: ['team-*'],
      requestAdmission: admission,
      sharedClusterScope: isolation === 'Namespaced',
      credentials: { lifeSeconds: tokenLifeSeconds, overlapSeconds: OVERLAP_SECONDS },
      ...(hostile === true ? { bounds: { namespacesPerConsumer: MOST_NAMESPACES } } : {}),
    };
    return parseConfig({ roles: ['provider'], serverAddress: '', provider }, machine);
  }
}

function known<T>(things: ReadonlyMap<string, T>, name: string): T {
  const thing = things.get(name);
  if (thing === undefined) throw new Error(`there is no ${name}`);
  return thing;
}
