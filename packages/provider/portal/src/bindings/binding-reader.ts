import { type Client, type KubeObject, getIfExists, type Resource, listPages } from '@hawser/client';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceNamespace,
  type BindableResourcesRequest,
  type ClusterBinding,
  type CustomResourceDefinition,
  annotations,
  fixedNames,
  resourceGroupName,
  resources,
  storedResource,
} from '@hawser/kube-bind';
import type { Logger } from '@hawser/telemetry';
import { Refusal } from '../answer.js';
import type { Consumers } from '../consumers.js';
import { ownerOf } from '../owner.js';
import type { Person } from '../person.js';
import { namePattern } from '../schemas.js';
import { type BindingFacts, type ConsumerFacts, type Copies, bindingsOf } from './binding-facts.js';

const objectNames = new RegExp(namePattern, 'u');
/** Consumers whose objects are read at a time. */
const AT_A_TIME = 8;
/** More copies than that are not counted: whoever looks at a page learns nothing from it. */
const MOST_COUNTED = 1_000;
/** Where a place is shared, those of others are looked at, too. */
const MOST_SEEN = 5_000;
const PAGE = 250;

interface Tally {
  readonly found: KubeObject[];
  seen: number;
}

function isEnough({ found, seen }: Tally): boolean {
  return found.length > MOST_COUNTED || seen >= MOST_SEEN;
}

/** Reads what the provider knows of bindings, live: whoever looks at a page sees what is, on every replica. */
export class BindingReader {
  readonly #client: Pick<Client, 'name' | 'get' | 'list'>;
  readonly #consumers: Consumers;
  readonly #log: Logger;

  constructor(client: Pick<Client, 'name' | 'get' | 'list'>, consumers: Consumers, log: Logger) {
    this.#client = client;
    this.#consumers = consumers;
    this.#log = log;
  }

  /** All bindings of a person's clusters. @throws {ApiError} */
  async ofPerson(person: Person, signal: AbortSignal): Promise<readonly BindingFacts[]> {
    const own = await this.#consumers.of(person, signal);
    const found: BindingFacts[] = [];
    for (let from = 0; from < own.length; from += AT_A_TIME) {
      const some = own.slice(from, from + AT_A_TIME).map((request) => this.#ofConsumer(request, signal));
      found.push(...(await Promise.all(some)).flat());
    }
    return found;
  }

  /** @throws {Refusal} for a binding that is not this person's, which looks like one that does not exist @throws {ApiError} */
  async one(person: Person, namespace: string, name: string, signal: AbortSignal): Promise<BindingFacts> {
    if (!objectNames.test(name)) throw unknown();
    const consumer = await this.consumer(person, namespace, signal);
    const key = { namespace, name };
    const [request, granted] = await Promise.all([
      getIfExists<APIServiceExportRequest>(this.#client, resources.apiServiceExportRequests, key, { signal }),
      getIfExists<APIServiceExport>(this.#client, resources.apiServiceExports, key, { signal }),
    ]);
    if (request === undefined && granted === undefined) throw unknown();
    return { consumer, name, request, export: granted };
  }

  /** @throws {Refusal} for a consumer that is not this person's @throws {ApiError} */
  async consumer(person: Person, namespace: string, signal: AbortSignal): Promise<ConsumerFacts> {
    const own = await this.#consumers.one(person, namespace, signal);
    if (own === undefined) throw unknown();
    return this.#consumerBy(own, namespace, signal);
  }

  /**
   * The copies of an export in the namespaces of its consumer, or those that name it. Undefined where they cannot be counted: a number that nobody can have must not keep anybody from the rest of a page.
   * @throws {ApiError} for one who has gone
   */
  async copies(facts: BindingFacts, signal: AbortSignal): Promise<Copies | undefined> {
    try {
      return await this.#count(facts, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const { namespace } = facts.consumer;
      this.#log.warn('copies could not be counted', { namespace, name: facts.name, error });
      return undefined;
    }
  }

  async #count({ consumer, export: granted }: BindingFacts, signal: AbortSignal): Promise<Copies | undefined> {
    const { namespace } = consumer;
    const { items } = await this.#client.list<APIServiceNamespace>(resources.apiServiceNamespaces, {
      namespace,
      signal,
    });
    const places = [...new Set([namespace, ...items.flatMap(({ status }) => status?.namespace ?? [])])];
    const tally: Tally = { found: [], seen: 0 };
    for (const name of (granted?.spec.resources ?? []).map(resourceGroupName)) {
      const crd = await getIfExists<CustomResourceDefinition>(
        this.#client,
        resources.customResourceDefinitions,
        { name },
        { signal },
      );
      const resource = crd === undefined ? undefined : storedResource(crd.spec);
      if (crd === undefined || resource === undefined) return undefined;
      for (const place of crd.spec.scope === 'Cluster' ? [undefined] : places)
        await this.#collect(resource, place, namespace, tally, signal);
    }
    const { found, seen } = tally;
    if (found.length === 0 && seen >= MOST_SEEN) return undefined;
    const made = found.map(({ metadata }) => metadata.creationTimestamp ?? '').sort();
    const more = found.length > MOST_COUNTED || seen >= MOST_SEEN;
    return { count: Math.min(found.length, MOST_COUNTED), more, oldest: made[0] };
  }

  async #collect(
    resource: Resource,
    place: string | undefined,
    clusterNamespace: string,
    tally: Tally,
    signal: AbortSignal,
  ): Promise<void> {
    if (isEnough(tally)) return;
    const options = { ...(place === undefined ? {} : { namespace: place }), limit: PAGE, signal };
    for await (const page of listPages<KubeObject>(this.#client, resource, {
      ...options,
      representation: 'metadata',
    })) {
      tally.seen += page.length;
      for (const object of page)
        if (object.metadata.annotations?.[annotations.clusterNamespace] === clusterNamespace) tally.found.push(object);
      if (isEnough(tally)) return;
    }
  }

  async #ofConsumer(own: BindableResourcesRequest, signal: AbortSignal): Promise<readonly BindingFacts[]> {
    const namespace = own.status?.namespace;
    if (namespace === undefined) return [];
    const [consumer, requests, exports] = await Promise.all([
      this.#consumerBy(own, namespace, signal),
      this.#client.list<APIServiceExportRequest>(resources.apiServiceExportRequests, { namespace, signal }),
      this.#client.list<APIServiceExport>(resources.apiServiceExports, { namespace, signal }),
    ]);
    return bindingsOf(consumer, requests.items, exports.items);
  }

  async #consumerBy(own: BindableResourcesRequest, namespace: string, signal: AbortSignal): Promise<ConsumerFacts> {
    const [namespaceObject, clusterBinding] = await Promise.all([
      getIfExists<KubeObject>(this.#client, resources.namespaces, { name: namespace }, { signal }),
      getIfExists<ClusterBinding>(
        this.#client,
        resources.clusterBindings,
        { namespace, name: fixedNames.clusterBinding },
        { signal },
      ),
    ]);
    const { identity = '', prettyName = identity } = own.spec.clusterIdentity;
    return { namespace, cluster: { identity, prettyName }, owner: ownerOf(own), namespaceObject, clusterBinding };
  }
}

function unknown(): Refusal {
  return new Refusal(404, 'RESOURCE_NOT_FOUND', 'You have no binding of this name. It may have been removed.');
}
