import { type Client, type KubeObject, getIfExists, type Resource, listPages } from '@hawser/client';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceNamespace,
  type ClusterBinding,
  type CustomResourceDefinition,
  type Dialect,
  apiServiceNamespaceKey,
  fixedNames,
  resourceGroupName,
  resources,
  storedResource,
} from '@hawser/kube-bind';
import type { Logger } from '@hawser/telemetry';
import {
  type BindingFacts,
  bindingsOf,
  type ConsumerFacts,
  type Copies,
  speaking,
  type Spoken,
} from '@hawser/consumer-states';
import { Refusal } from '../answer.js';
import type { Person } from '../person.js';
import { namePattern } from '../schemas.js';
import type { OwnCluster, OwnClusters } from './own-cluster.js';

const objectNames = new RegExp(namePattern, 'u');
/** Consumers whose objects are read in parallel. */
const AT_A_TIME = 8;
/** Counting limit for copies: a page gains nothing from higher numbers. */
const MOST_COUNTED = 1_000;
/** In a shared namespace, copies of others are read too. */
const MOST_SEEN = 5_000;
const PAGE = 250;

interface Tally {
  readonly found: FoundCopy[];
  seen: number;
}

function isEnough({ found, seen }: Tally): boolean {
  return found.length > MOST_COUNTED || seen >= MOST_SEEN;
}

/** Metadata of a copy. */
export interface FoundCopy {
  /** `<plural>.<group>` */
  readonly resource: string;
  readonly object: KubeObject;
}

/** A location of a consumer's copies. */
interface CopyNamespace {
  /** Undefined: cluster-scoped. */
  readonly namespace: string | undefined;
  /** The provider made it for this consumer alone: every marked copy there is this consumer's. */
  readonly isOwn: boolean;
}

export interface BindingReaderOptions {
  readonly spoken: readonly Spoken[];
  /** Clusters of each dialect. */
  readonly clusters: readonly OwnClusters[];
  readonly log: Logger;
}

/** Reads the provider's facts about bindings, live: a page shows the current state on every replica. */
export class BindingReader {
  readonly #options: BindingReaderOptions;

  constructor(options: BindingReaderOptions) {
    this.#options = options;
  }

  /** All bindings of a person's clusters. @throws {ApiError} */
  async ofPerson(person: Person, signal: AbortSignal): Promise<readonly BindingFacts[]> {
    const own = (await Promise.all(this.#options.clusters.map((some) => some.of(person, signal)))).flat();
    const found: BindingFacts[] = [];
    for (let from = 0; from < own.length; from += AT_A_TIME) {
      const some = own.slice(from, from + AT_A_TIME).map((cluster) => this.#ofConsumer(cluster, signal));
      found.push(...(await Promise.all(some)).flat());
    }
    return found;
  }

  /** @throws {Refusal} for another person's binding, like for a missing one @throws {ApiError} */
  async one(person: Person, namespace: string, name: string, signal: AbortSignal): Promise<BindingFacts> {
    if (!objectNames.test(name)) throw unknown();
    const consumer = await this.consumer(person, namespace, signal);
    const { client } = speaking(this.#options.spoken, consumer.dialect);
    const key = { namespace, name };
    const [request, granted] = await Promise.all([
      getIfExists<APIServiceExportRequest>(client, resources.apiServiceExportRequests, key, { signal }),
      getIfExists<APIServiceExport>(client, resources.apiServiceExports, key, { signal }),
    ]);
    const [found] = bindingsOf(consumer, [request ?? []].flat(), [granted ?? []].flat());
    if (found === undefined) throw unknown();
    return found;
  }

  /** @throws {Refusal} for another person's consumer @throws {ApiError} */
  async consumer(person: Person, namespace: string, signal: AbortSignal): Promise<ConsumerFacts> {
    for (const some of this.#options.clusters) {
      const own = await some.one(person, namespace, signal);
      if (own !== undefined) return this.#consumerBy(own, signal);
    }
    throw unknown();
  }

  /**
   * Counts the copies of an export in its consumer's namespaces, or those that name it. Undefined if they cannot be
   * counted: the rest of the page must still appear.
   * @throws {ApiError} for a disconnected client
   */
  async copies(facts: BindingFacts, signal: AbortSignal): Promise<Copies | undefined> {
    try {
      return await this.#count(facts, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const { namespace } = facts.consumer;
      this.#options.log.warn('copies could not be counted', { namespace, name: facts.name, error });
      return undefined;
    }
  }

  async #count(facts: BindingFacts, signal: AbortSignal): Promise<Copies | undefined> {
    const tally = await this.findCopies(facts, signal);
    if (tally === undefined) return undefined;
    const { found, seen } = tally;
    if (found.length === 0 && seen >= MOST_SEEN) return undefined;
    const made = found.map(({ object }) => object.metadata.creationTimestamp ?? '').sort();
    const more = found.length > MOST_COUNTED || seen >= MOST_SEEN;
    return { count: Math.min(found.length, MOST_COUNTED), more, oldest: made[0] };
  }

  /** Up to about a thousand; undefined if one of the APIs cannot be read. @throws {ApiError} */
  async findCopies(
    { consumer, export: granted }: BindingFacts,
    signal: AbortSignal,
  ): Promise<{ readonly found: readonly FoundCopy[]; readonly seen: number } | undefined> {
    const { dialect, client } = speaking(this.#options.spoken, consumer.dialect);
    const copyNamespaces = await this.#copyNamespacesOf(consumer, signal);
    const tally: Tally = { found: [], seen: 0 };
    for (const name of (granted?.spec.resources ?? []).map(resourceGroupName)) {
      const crd = await getIfExists<CustomResourceDefinition>(
        client,
        resources.customResourceDefinitions,
        { name },
        { signal },
      );
      const resource = crd === undefined ? undefined : storedResource(crd.spec);
      if (crd === undefined || resource === undefined) return undefined;
      for (const copyNamespace of crd.spec.scope === 'Cluster'
        ? [{ namespace: undefined, isOwn: false }]
        : copyNamespaces)
        await this.#collect(
          resource,
          copyNamespace,
          (object) =>
            isCopyOf(dialect, consumer.namespace, copyNamespace, object) ? [{ resource: name, object }] : [],
          tally,
          signal,
        );
    }
    return tally;
  }

  async #copyNamespacesOf(
    { dialect: name, namespace }: ConsumerFacts,
    signal: AbortSignal,
  ): Promise<readonly CopyNamespace[]> {
    const { dialect, client } = speaking(this.#options.spoken, name);
    const { items } = await client.list<APIServiceNamespace>(resources.apiServiceNamespaces, { namespace, signal });
    const copyNamespaces: CopyNamespace[] = [];
    for (const { metadata, status } of items)
      if (status?.namespace !== undefined) {
        const isOwn =
          dialect.schema === 'Inline' &&
          (await isMadeFor(dialect, client, namespace, metadata.name, status.namespace, signal));
        copyNamespaces.push({ namespace: status.namespace, isOwn });
      }
    return [
      ...new Map(
        [{ namespace, isOwn: false }, ...copyNamespaces].map((copyNamespace) => [
          copyNamespace.namespace,
          copyNamespace,
        ]),
      ).values(),
    ];
  }

  async #collect(
    resource: Resource,
    { namespace }: CopyNamespace,
    own: (object: KubeObject) => readonly FoundCopy[],
    tally: Tally,
    signal: AbortSignal,
  ): Promise<void> {
    if (isEnough(tally)) return;
    // Not a kind of kube-bind: all clients read it alike.
    const { client } = speaking(this.#options.spoken, 'kube-bind');
    const options = { ...(namespace === undefined ? {} : { namespace }), limit: PAGE, signal };
    for await (const page of listPages<KubeObject>(client, resource, { ...options, representation: 'metadata' })) {
      tally.seen += page.length;
      tally.found.push(...page.flatMap(own));
      if (isEnough(tally)) return;
    }
  }

  async #ofConsumer(own: OwnCluster, signal: AbortSignal): Promise<readonly BindingFacts[]> {
    const { dialect, namespace } = own;
    const { client } = speaking(this.#options.spoken, dialect);
    const [consumer, requests, exports] = await Promise.all([
      this.#consumerBy(own, signal),
      client.list<APIServiceExportRequest>(resources.apiServiceExportRequests, { namespace, signal }),
      client.list<APIServiceExport>(resources.apiServiceExports, { namespace, signal }),
    ]);
    return bindingsOf(consumer, requests.items, exports.items);
  }

  async #consumerBy(own: OwnCluster, signal: AbortSignal): Promise<ConsumerFacts> {
    const { client } = speaking(this.#options.spoken, own.dialect);
    const { namespace } = own;
    const [namespaceObject, credential, clusterBinding] = await Promise.all([
      getIfExists<KubeObject>(client, resources.namespaces, { name: namespace }, { signal }),
      getIfExists<KubeObject>(
        client,
        resources.secrets,
        { namespace, name: fixedNames.providerKubeconfigSecret },
        { representation: 'metadata', signal },
      ),
      getIfExists<ClusterBinding>(
        client,
        resources.clusterBindings,
        { namespace, name: fixedNames.clusterBinding },
        { signal },
      ),
    ]);
    return { ...own, namespaceObject, credential, clusterBinding };
  }
}

/** In Klutch only the namespace names the consumer of a copy, by the provider's mark on it. */
async function isMadeFor(
  { annotations }: Dialect,
  client: Pick<Client, 'get'>,
  clusterNamespace: string,
  consumerNamespace: string,
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  const options = { representation: 'metadata', signal } as const;
  const found = await getIfExists<KubeObject>(client, resources.namespaces, { name }, options);
  return (
    found?.metadata.annotations?.[annotations.apiServiceNamespace] ===
    apiServiceNamespaceKey(clusterNamespace, consumerNamespace)
  );
}

function isCopyOf(dialect: Dialect, clusterNamespace: string, { isOwn }: CopyNamespace, object: KubeObject): boolean {
  const named = object.metadata.annotations?.[dialect.annotations.clusterNamespace];
  return named === undefined ? isOwn && dialect.isCopy(object) : named === clusterNamespace;
}

function unknown(): Refusal {
  return new Refusal(404, 'RESOURCE_NOT_FOUND', 'You have no binding of this name. It may have been removed.');
}
