import { getIfExists } from '@hawser/client';
import { type Controller, controller, type Outcome, type Setup, toOwnKey, WriteBudget } from '@hawser/controller';
import {
  annotations,
  type Binding,
  type Connection,
  connectionNamed,
  connectionOf,
  labels,
  malformation,
  resources,
} from '@hawser/core-kbind';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';
import { compareBytes } from '@hawser/json';
import { type Links, statusPace } from '@hawser/kbind-connection';
import type { SchemaPolicy } from '@hawser/schemagate';
import { createHeldMetric, type HeldMetric } from '@hawser/servicebinding';
import { apisOf } from './coverage.js';
import { writeCRD } from './crd-writes.js';
import { decidePull, type PulledAPI, type PullAction, type PullObserved, pulledStatus } from './decide-pull.js';
import { SchemaHolds } from './schema-holds.js';

export interface PullOptions {
  /** The links to providers, from the controller of Connections. */
  readonly links: Links;
  /** Policy for changed schemas if a Connection sets none. Default `Safe`: breaking changes are held. */
  readonly schemaPolicy?: SchemaPolicy | undefined;
}

/**
 * Installs a provider's APIs that no binding of the Connection installs, if its pull policy is `All`
 * (spec/kbind-v2.md §9, step 6). The key is the name of the Connection.
 * Deletes nothing: a condition names the CRDs that are no longer wanted. The same gate holds changed schemas; the
 * Connection carries the approving annotations.
 */
export function createPullController(options: PullOptions): Controller<'consumer'> {
  return controller('kbind-pull', (setup: Setup<'consumer'>) => {
    const running = new RunningPulls(setup, options);
    return {
      concurrency: 2,
      observe: (key: string, signal: AbortSignal) => running.observe(key, signal),
      decide: decidePull,
      act: (action: PullAction, signal: AbortSignal) => running.act(action, signal),
      about: ({ connection }: PullObserved) => running.about(connection),
    };
  });
}

class RunningPulls {
  readonly #setup: Setup<'consumer'>;
  readonly #links: Links;
  readonly #connections;
  readonly #bindings;
  readonly #crds;
  readonly #holds: SchemaHolds;
  readonly #statuses = new WriteBudget(statusPace);
  readonly #heldMetric: HeldMetric;

  constructor(setup: Setup<'consumer'>, { links, schemaPolicy = 'Safe' }: PullOptions) {
    const { clusters, watch, scope, clock } = setup;
    const { consumer } = clusters;
    this.#setup = setup;
    this.#links = links;
    this.#connections = watch<Connection>(consumer, { resource: resources.connections, kind: 'Connection' }, toOwnKey);
    this.#bindings = [
      watch<Binding>(consumer, { resource: resources.clusterBindings, kind: 'ClusterBinding' }, connectionKey),
      watch<Binding>(consumer, { resource: resources.bindings, kind: 'Binding' }, connectionKey),
    ];
    const labelSelector = `${labels.managed}=true`;
    const kind = 'CustomResourceDefinition';
    this.#crds = watch<CustomResourceDefinition>(
      consumer,
      { resource: customResourceDefinitions, kind, labelSelector },
      (crd) => connectionOf(crd) ?? [],
    );
    this.#holds = new SchemaHolds(consumer.client, schemaPolicy, () => clock.monotonic());
    this.#heldMetric = createHeldMetric(setup.metrics);
    scope.own(this.#heldMetric);
    scope.own(
      links.onChange((connection) => {
        setup.look(connection, 'normal');
      }),
    );
  }

  async observe(name: string, signal: AbortSignal): Promise<PullObserved> {
    const connection = this.#connections.get(name);
    const link = this.#links.get(name);
    const pulls = link === undefined || connection === undefined ? 'unknown' : pullsOf(connection);
    const bindings = this.#bindings.flatMap((cache) => cache.list());
    const bound = new Set(bindings.filter((binding) => connectionNamed(binding) === name).flatMap(apisOf));
    const exported = (connection?.status?.exportedAPIs ?? []).map((api) => api.name);
    const wanted = pulls === 'all' ? exported : [];
    const observeAPI = async (api: string): Promise<PulledAPI[]> => {
      const provided = link?.offers.get({ name: api });
      return provided === undefined || connection === undefined
        ? []
        : [await this.#observeAPI(api, provided, connection, signal)];
    };
    const apis = (await Promise.all(wanted.filter((api) => !bound.has(api)).map(observeAPI))).flat();
    this.#heldMetric.set(
      `Connection ${name}`,
      apis.flatMap(({ hold }) => (hold === undefined ? [] : [hold.reason])),
    );
    const needed = new Set([...wanted, ...bindings.flatMap(apisOf)]);
    const left = this.#installedFor(name).filter((api) => !needed.has(api));
    return { connection, pulls, apis, left, now: this.#setup.clock.now() };
  }

  async act(action: PullAction, signal: AbortSignal): Promise<Outcome | undefined> {
    const { clock, clusters } = this.#setup;
    if (action.type !== 'writeStatus') {
      await writeCRD(action, { consumer: clusters.consumer.client, crds: this.#crds }, signal);
      return undefined;
    }
    const { connection, condition } = action;
    return this.#statuses.pay(connection.metadata.name, clock.monotonic(), () =>
      this.#connections.commitStatus(
        connection,
        (status, object) => pulledStatus(status, object, condition, clock.now()),
        signal,
      ),
    );
  }

  about(connection: Connection | undefined) {
    return this.#connections.about(connection);
  }

  /** Names of the CRDs that were installed for a Connection. A CRD of another installer is only marked. */
  #installedFor(connection: string): readonly string[] {
    return this.#crds
      .list()
      .filter(
        (crd) => connectionOf(crd) === connection && crd.metadata.annotations?.[annotations.schemaHash] !== undefined,
      )
      .map(({ metadata }) => metadata.name)
      .sort(compareBytes);
  }

  async #observeAPI(
    name: string,
    provided: CustomResourceDefinition,
    connection: Connection,
    signal: AbortSignal,
  ): Promise<PulledAPI> {
    const { client } = this.#setup.clusters.consumer;
    // An unmarked CRD is in no cache.
    const crd =
      this.#crds.get(name) ??
      (await getIfExists<CustomResourceDefinition>(client, customResourceDefinitions, { name }, { signal }));
    const isOurs = crd !== undefined && connectionOf(crd) === connection.metadata.name;
    const question = { provided, annotated: connection, connection: connection.metadata.name };
    const hold = isOurs ? await this.#holds.read({ live: crd, ...question }, signal) : undefined;
    return { name, provided, crd, hold };
  }
}

function pullsOf(connection: Connection): PullObserved['pulls'] {
  if (malformation('Connection', connection) !== undefined || connection.metadata.deletionTimestamp !== undefined)
    return 'unknown';
  return connection.spec.schema?.pullPolicy === 'All' ? 'all' : 'off';
}

function connectionKey(binding: Binding): readonly string[] {
  return [connectionNamed(binding) ?? []].flat();
}
