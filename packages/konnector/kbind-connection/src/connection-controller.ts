import { isForbidden, isApiError, messageOf, type Client } from '@hawser/client';
import {
  type Controller,
  controller,
  type Outcome,
  type Setup,
  toOwnKey,
  type Watched,
  WriteBudget,
} from '@hawser/controller';
import {
  type Binding,
  type Connection,
  connectionNamed,
  exportedAPIs,
  finalizers,
  malformation,
  resources,
} from '@hawser/core-kbind';
import { compareBytes } from '@hawser/json';
import { createNamedWatches, type NamedWatches } from '@hawser/konnector-connection';
import { isProtectedGroup, resources as kubeResources, type Secret } from '@hawser/kube-bind';
import type { KubeconfigPolicy } from '@hawser/kubeconfig';
import { readClusterIdentity } from './cluster-identity.js';
import type { AutoBindingChange } from './auto-binding.js';
import { confirmEnd, confirmUnshared } from './confirm-end.js';
import { type ConnectionState, createReadyMetric, type ReadyMetric, stateOf } from './connection-states.js';
import { type Action, decide, isReady, statusOf } from './decide.js';
import { beat, endHeartbeat, HEARTBEAT_EVERY_MS } from './heartbeat.js';
import { LinkPool, type Links, type OpenProvider, type Trial } from './links.js';
import type { IdentityReading, Observed, OffersReading, WayReading } from './observed.js';
import { readKubeconfig } from './secret-kubeconfig.js';
import { statusPace } from './status-pace.js';

export interface ConnectionOptions {
  /** Opens a provider. */
  readonly open: OpenProvider;
  /** What a kubeconfig from a Secret may contain. Default: the safe minimum. */
  readonly policy?: KubeconfigPolicy | undefined;
  /** Namespaces from which the controller takes kubeconfigs. Default: all. */
  readonly secretNamespaces?: readonly string[] | undefined;
  /** Whether no provider may offer an API of this group. Default: groups of Kubernetes, kcp, kube-bind and Hawser. */
  readonly isRefusedGroup?: ((group: string) => boolean) | undefined;
}

/** The controller of Connections, and the links that it owns. */
export interface ConnectionController extends Controller<'consumer'> {
  readonly links: Links;
  /** State of each Connection. Empty before the controller runs. */
  readonly states: readonly ConnectionState[];
}

/** Interval for reading offers that no watch reports. */
const OFFERS_EVERY_MS = 10_000;
/** How long a cluster's identity counts. */
const IDENTITY_COUNTS_MS = 30_000;

/**
 * Serves the Connections of `core.kbind.io` (spec/kbind-v2.md §9): reads each kubeconfig, proves that it leads to the
 * pinned cluster before any write, lists the offers, and renews the heartbeat on the provider.
 */
export function createConnectionController(options: ConnectionOptions): ConnectionController {
  let look: ((connection: string) => void) | undefined;
  let made: RunningConnections | undefined;
  const links = new LinkPool(
    options.open,
    (connection) => look?.(connection),
    options.isRefusedGroup ?? isProtectedGroup,
  );
  const inner = controller('kbind-connection', (setup: Setup<'consumer'>) => {
    look = (connection) => {
      setup.look(connection, 'normal');
    };
    setup.scope.own(() => links.closeAll());
    const running = new RunningConnections(setup, options, links);
    made = running;
    return {
      concurrency: 8,
      observe: (key: string, signal: AbortSignal) => running.observe(key, signal),
      decide,
      act: (action: Action, signal: AbortSignal) => running.act(action, signal),
    };
  });
  return {
    name: inner.name,
    links,
    get states() {
      return made?.states() ?? [];
    },
    start: (context) => inner.start(context),
    stop: () => inner.stop(),
  };
}

/** Identity of a cluster, when it was read, and after how many lost connections. Valid until the next loss. */
interface Identity {
  readonly reading: IdentityReading;
  readonly at: number;
  readonly losses: number;
}

/** The Connections that use a Secret. */
function usersOf({ metadata }: Pick<Secret, 'metadata'>, connections: readonly Connection[]): readonly Connection[] {
  return connections.filter((connection) => {
    if (malformation('Connection', connection) !== undefined) return false;
    const ref = connection.spec.kubeconfigSecretRef;
    return ref.namespace === metadata.namespace && ref.name === metadata.name;
  });
}

class RunningConnections {
  readonly #statuses = new WriteBudget(statusPace);
  readonly #setup: Setup<'consumer'>;
  readonly #options: ConnectionOptions;
  readonly #links: LinkPool;
  readonly #connections;
  readonly #clusterBindings: Watched<Binding>;
  readonly #users: readonly Watched<Binding>[];
  readonly #secrets: NamedWatches<Secret>;
  readonly #ready: ReadyMetric;
  /** Identities of clusters, with the monotonic time of reading. */
  readonly #identities = new WeakMap<Client, Identity>();

  /** Connections whose Lease has been deleted. */
  readonly #ended = new Set<string>();

  constructor(setup: Setup<'consumer'>, options: ConnectionOptions, links: LinkPool) {
    const { clusters, watch, scope } = setup;
    const { consumer } = clusters;
    this.#setup = setup;
    this.#options = options;
    this.#links = links;
    this.#connections = watch<Connection>(consumer, { resource: resources.connections, kind: 'Connection' }, toOwnKey);
    // The ClusterBinding of autoBind has the name of its Connection.
    this.#clusterBindings = watch<Binding>(
      consumer,
      { resource: resources.clusterBindings, kind: 'ClusterBinding' },
      (binding) => [connectionNamed(binding) ?? [], binding.metadata.name].flat(),
    );
    this.#users = [
      this.#clusterBindings,
      watch<Binding>(consumer, { resource: resources.bindings, kind: 'Binding' }, connectionNamed),
    ];
    this.#secrets = createNamedWatches<Secret>(consumer.informers, kubeResources.secrets, ({ namespace, name }) => {
      for (const connection of this.#using(namespace, name)) setup.look(connection.metadata.name, 'normal');
    });
    scope.own(this.#secrets);
    this.#ready = scope.own(createReadyMetric(setup.metrics));
    scope.every(HEARTBEAT_EVERY_MS, () => this.#beatAll());
    scope.every(OFFERS_EVERY_MS, () => links.refresh());
  }

  states(): readonly ConnectionState[] {
    return this.#connections.list().map((connection) => stateOf(connection, this.#usersOf(connection.metadata.name)));
  }

  async observe(name: string, signal: AbortSignal): Promise<Observed> {
    const { clock, clusters } = this.#setup;
    this.#watchSecrets();
    const connection = this.#connections.get(name);
    // A Connection that stands was made anew, or restored from a backup.
    if (connection !== undefined && connection.metadata.deletionTimestamp === undefined) this.#ended.delete(name);
    this.#ready.set(name, connection === undefined ? undefined : isReady(connection));
    const malformed = connection === undefined ? undefined : malformation('Connection', connection);
    const ref = malformed === undefined ? connection?.spec.kubeconfigSecretRef : undefined;
    const reading = ref === undefined ? ({ kind: 'missing' } as const) : this.#secrets.read(ref);
    const { policy = {}, secretNamespaces } = this.#options;
    const { current, trial } = this.#links.ways(name);
    const [local, currentWay, trialWay] = await Promise.all([
      this.#identityOf(clusters.consumer.client, signal),
      this.#wayOf(current, signal),
      this.#wayOf(trial, signal),
    ]);
    return {
      name,
      connection,
      malformed: malformed === undefined ? undefined : `${malformed.path} ${malformed.message}`,
      kubeconfig: ref === undefined ? { kind: 'unknown' } : readKubeconfig(reading, ref, policy, secretNamespaces),
      secret: reading.kind === 'found' ? reading.object : undefined,
      secretIsShared:
        ref !== undefined &&
        this.#using(ref.namespace, ref.name).some(
          ({ metadata }) => metadata.name !== name && metadata.deletionTimestamp === undefined,
        ),
      local,
      current: currentWay,
      trial: trialWay,
      users: this.#usersOf(name),
      autoBinding: this.#clusterBindings.get(name),
      providerIsShared: this.#sharesProvider(name),
      heartbeatEnded: this.#ended.has(name),
      now: clock.now(),
    };
  }

  async act(action: Action, signal: AbortSignal): Promise<Outcome | undefined> {
    if (action.type === 'writeStatus') return this.#writeStatus(action, signal);
    await this.#take(action, signal);
    return undefined;
  }

  async #writeStatus(
    { connection, facts }: Extract<Action, { type: 'writeStatus' }>,
    signal: AbortSignal,
  ): Promise<Outcome | undefined> {
    const { clock } = this.#setup;
    return this.#statuses.pay(connection.metadata.name, clock.monotonic(), () =>
      this.#connections.commitStatus(
        connection,
        (status, object) => statusOf(status, object, facts, clock.now()),
        signal,
      ),
    );
  }

  async #take(action: Exclude<Action, { type: 'writeStatus' }>, signal: AbortSignal): Promise<void> {
    const { client } = this.#setup.clusters.consumer;
    switch (action.type) {
      case 'addFinalizer':
        return this.#setFinalizers(
          action.connection,
          [...(action.connection.metadata.finalizers ?? []), finalizers.cleanup],
          signal,
        );
      case 'removeFinalizer':
        await confirmEnd(client, action.connection, 'none', signal);
        return this.#setFinalizers(action.connection, without(action.connection.metadata.finalizers), signal);
      case 'holdSecret':
        return this.#setSecretFinalizers(
          action.secret,
          [...(action.secret.metadata.finalizers ?? []), finalizers.cleanup],
          signal,
        );
      case 'releaseSecret':
        await confirmEnd(client, action.connection, 'none', signal);
        await confirmUnshared(client, action.connection, (others) => usersOf(action.secret, others).length > 0, signal);
        return this.#setSecretFinalizers(action.secret, without(action.secret.metadata.finalizers), signal);
      case 'try':
        this.#links.try(action.name, action.hash, action.config, action.source);
        return;
      case 'use':
        this.#links.use(action.name, action);
        return this.#beat(action.remoteUID, signal);
      case 'abandon':
        this.#links.abandon(action.name);
        return;
      case 'suspend':
        this.#links.suspend(action.name);
        return;
      case 'close':
        this.#links.close(action.name);
        this.#ended.delete(action.name);
        return;
      case 'autoBind':
        return this.#autoBind(action.change, signal);
      case 'deleteAutoBinding': {
        const { name, uid, resourceVersion } = action.binding.metadata;
        await confirmEnd(client, action.connection, 'any', signal);
        await client.delete(resources.clusterBindings, { name }, { preconditions: { uid, resourceVersion }, signal });
        return;
      }
      case 'endHeartbeat':
        await confirmEnd(client, action.connection, 'none', signal);
        return this.#endHeartbeat(action.connection.metadata.name, signal);
    }
  }

  async #autoBind(change: AutoBindingChange, signal: AbortSignal): Promise<void> {
    if (change.kind === 'create') await this.#clusterBindings.create(change.binding, signal);
    else await this.#clusterBindings.patch(change.binding, { spec: change.spec }, signal);
  }

  async #setFinalizers(connection: Connection, wanted: readonly string[], signal: AbortSignal): Promise<void> {
    await this.#connections.patch(connection, { metadata: { finalizers: wanted } }, signal);
  }

  async #setSecretFinalizers(secret: Secret, wanted: readonly string[], signal: AbortSignal): Promise<void> {
    const { namespace, name, uid, resourceVersion } = secret.metadata;
    const { client } = this.#setup.clusters.consumer;
    const patch = { metadata: { uid, resourceVersion, finalizers: wanted } };
    this.#secrets.observe(
      await client.patch<Secret>(kubeResources.secrets, { namespace, name }, { type: 'merge', patch }, { signal }),
    );
  }

  #usersOf(name: string): number {
    return this.#users.flatMap((cache) => cache.list()).filter((user) => connectionNamed(user) === name).length;
  }

  #watchSecrets(): void {
    this.#secrets.want(
      this.#connections
        .list()
        .filter((connection) => malformation('Connection', connection) === undefined)
        .map(({ spec }) => ({ namespace: spec.kubeconfigSecretRef.namespace, name: spec.kubeconfigSecretRef.name }))
        .filter(({ namespace }) => this.#options.secretNamespaces?.includes(namespace) !== false),
    );
  }

  #using(namespace: string | undefined, name: string): readonly Connection[] {
    return usersOf({ metadata: { namespace, name } }, this.#connections.list());
  }

  get #isRefusedGroup(): (group: string) => boolean {
    return this.#options.isRefusedGroup ?? isProtectedGroup;
  }

  async #wayOf(way: Trial | undefined, signal: AbortSignal): Promise<WayReading | undefined> {
    if (way === undefined) return undefined;
    const identity = await this.#identityOf(way.cluster.client, signal);
    return { hash: way.hash, identity, offers: this.#offersOf(way), source: way.source };
  }

  #offersOf({ offers }: Trial): OffersReading {
    const { failure, hasSynced } = offers;
    if (isApiError(failure, 'Unauthorized', 'Forbidden')) return { kind: 'refused', message: failure.message };
    if (!hasSynced)
      return failure === undefined ? { kind: 'listing' } : { kind: 'unreachable', message: messageOf(failure) };
    return { kind: 'known', apis: exportedAPIs(offers.list(), this.#isRefusedGroup) };
  }

  async #identityOf(client: Client, signal: AbortSignal): Promise<IdentityReading> {
    const now = this.#setup.clock.monotonic();
    const losses = client.recovery?.losses ?? 0;
    const known = this.#identities.get(client);
    const counts = known?.losses === losses && now - known.at < IDENTITY_COUNTS_MS;
    if (known?.reading.kind === 'known' && counts) return known.reading;
    let reading: IdentityReading;
    try {
      reading = { kind: 'known', uid: await readClusterIdentity(client, signal) };
    } catch (error) {
      if (!isApiError(error) || error.code === 'Aborted') throw error;
      reading = { kind: isForbidden(error) ? 'refused' : 'unreachable', message: error.message };
    }
    this.#identities.set(client, { reading, at: now, losses });
    return reading;
  }

  #sharesProvider(name: string): boolean {
    const remoteUID = this.#links.get(name)?.remoteUID;
    return this.#connections
      .list()
      .some(
        ({ metadata }) =>
          metadata.name !== name &&
          metadata.deletionTimestamp === undefined &&
          remoteUID !== undefined &&
          this.#links.get(metadata.name)?.remoteUID === remoteUID,
      );
  }

  async #beatAll(): Promise<void> {
    const providers = new Set(this.#links.all().map(({ remoteUID }) => remoteUID));
    await Promise.all([...providers].map((remoteUID) => this.#beat(remoteUID, this.#setup.scope.signal)));
  }

  /**
   * Renews one Lease per provider, by the first Connection that can write it. A provider that refuses the write does
   * not check Leases.
   */
  async #beat(remoteUID: string, signal: AbortSignal): Promise<void> {
    const links = this.#links
      .all()
      .filter((link) => link.remoteUID === remoteUID && !this.#ended.has(link.connection))
      .sort((a, b) => compareBytes(a.connection, b.connection));
    for (const { cluster, connection, localUID } of links) {
      try {
        await beat(cluster.client, { consumerUID: localUID, connection }, this.#setup.clock.now(), signal);
        return;
      } catch (error) {
        this.#setup.logger.debug('The heartbeat could not be written', { connection, error });
      }
    }
  }

  /** Nothing waits for this: a Lease that stays expires. */
  async #endHeartbeat(connection: string, signal: AbortSignal): Promise<void> {
    const link = this.#links.get(connection);
    if (link === undefined) return;
    this.#ended.add(connection);
    try {
      await endHeartbeat(link.cluster.client, link.localUID, signal);
    } catch (error) {
      this.#setup.logger.debug('The heartbeat could not be ended', { connection, error });
    }
  }
}

function without(held: readonly string[] = []): readonly string[] {
  return held.filter((finalizer) => finalizer !== finalizers.cleanup);
}
