import { createHash } from 'node:crypto';
import { type Client, type KubeObject, type ObjectKey, getIfExists, isAlreadyExists } from '@hawser/client';
import { type Clock, sleep } from '@hawser/clock';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type BindableResourcesRequest,
  type BindableResourcesRequestSpec,
  type ClusterBinding,
  type Secret,
  type StandardCondition,
  annotations,
  apiVersion,
  credentialWord,
  fixedNames,
  grantedTemplates,
  resources,
} from '@hawser/kube-bind';
import type { EventRecorder } from '@hawser/telemetry';
import { ownerAnnotations } from '@hawser/consumer-states';
import { Refusal } from './answer.js';
import { CLUSTER_PROOF_HEADER, CLUSTER_TOKEN_HEADER, type ClusterProofs } from './clusters/cluster-proofs.js';
import { standingOf } from './owner.js';
import { type Person, identityOf } from './person.js';
import { type QuotaOptions, quotaOf } from './quotas.js';
import { namePattern } from './schemas.js';

export interface ConsumersOptions {
  readonly client: Pick<Client, 'get' | 'create' | 'patch' | 'list' | 'delete'>;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly namespace: string;
  readonly quota: QuotaOptions;
  readonly proofs: Pick<ClusterProofs, 'needsProof'>;
  /** Time to wait for the onboarding controller. Default 25 s. */
  readonly patienceMs?: number | undefined;
}

export interface ConsumerCluster {
  readonly identity: string;
  readonly prettyName: string;
  /** A token of the cluster proved its identity. */
  readonly isProven?: boolean | undefined;
}

export interface Consumer {
  /** The cluster namespace. */
  readonly namespace: string;
  /** Base64. A credential. */
  readonly kubeconfig: string;
}

/** The wire's own limit on a cluster identity; see the onboarding controller. */
const LONGEST_IDENTITY = 1_024;
const objectNames = new RegExp(namePattern, 'u');
/** The onboarding controller's reason for a consumer requested from another namespace. */
const IDENTITY_TAKEN = 'IdentityTaken';

/**
 * Consumers that people bring in. Each is a BindableResourcesRequest in the portal's namespace, answered by the
 * onboarding controller, and owned by the first person. Its name derives from the identity: of two simultaneous
 * requests the API server picks one.
 */
export class Consumers {
  readonly #options: ConsumersOptions;

  constructor(options: ConsumersOptions) {
    this.#options = options;
  }

  /** Returns the kubeconfig for a cluster, and makes it a consumer if needed. @throws {Refusal | ApiError} */
  async open(person: Person, cluster: ConsumerCluster, signal: AbortSignal): Promise<Consumer> {
    if (cluster.identity.length > LONGEST_IDENTITY)
      throw new Refusal(
        400,
        'BAD_REQUEST',
        `spec.clusterIdentity.identity is longer than ${LONGEST_IDENTITY} characters.`,
      );
    const request = await this.#ownRequest(person, cluster, signal);
    let answered = await this.#answered(request, signal);
    let kubeconfig = await this.#kubeconfigOf(answered, signal);
    if (kubeconfig === undefined) {
      // Answered long ago, and the consumer was removed since: the same person gets a new one.
      answered = await this.#answered(await this.#askAgain(answered, signal), signal);
      kubeconfig = await this.#kubeconfigOf(answered, signal);
    }
    const namespace = answered.status?.namespace;
    if (kubeconfig === undefined || namespace === undefined)
      throw new Refusal(
        503,
        'INTERNAL_ERROR',
        'The provider has no kubeconfig for this cluster, or has taken its access away. Ask your administrator.',
      );
    await this.#mayHaveAccess(namespace, signal);
    return { namespace, kubeconfig };
  }

  /** The person's consumers, oldest first. */
  async of(person: Person, signal: AbortSignal): Promise<readonly BindableResourcesRequest[]> {
    const { client, namespace } = this.#options;
    const { items } = await client.list<BindableResourcesRequest>(resources.bindableResourcesRequests, {
      namespace,
      signal,
    });
    return items
      .filter((request) => isTheirs(person, request))
      .sort((a, b) => ((a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1));
  }

  /**
   * The person's consumer of that cluster namespace. Reads one request if the portal made it, however many exist.
   * @throws {ApiError}
   */
  async one(person: Person, namespace: string, signal: AbortSignal): Promise<BindableResourcesRequest | undefined> {
    if (!objectNames.test(namespace)) return undefined;
    const home = await getIfExists<KubeObject>(
      this.#options.client,
      resources.namespaces,
      { name: namespace },
      { representation: 'metadata', signal },
    );
    const identity = home?.metadata.annotations?.[annotations.identity] ?? '';
    const key = { metadata: { namespace: this.#options.namespace, name: requestName(identity) } };
    const request = identity === '' ? undefined : await this.#read(key, signal);
    // The namespace only says where to look: the request itself names its owner.
    if (request?.status?.namespace === namespace && isTheirs(person, request)) return request;
    return (await this.of(person, signal)).find(({ status }) => status?.namespace === namespace);
  }

  /** Clusters that this person has bound, as a choice. */
  async clustersOf(person: Person, signal: AbortSignal): Promise<readonly ConsumerCluster[]> {
    return (await this.of(person, signal)).map(({ spec: { clusterIdentity } }) => {
      const { identity = '', prettyName = identity } = clusterIdentity;
      return { identity, prettyName };
    });
  }

  /**
   * Checks the binding limit, including bindings that a terminal may still make.
   * @throws {Refusal} for a person at their limit, unless this is one of their bindings
   */
  async mayBindAnother(
    person: Person,
    { identity, name, template }: { readonly identity: string; readonly name: string; readonly template: string },
    signal: AbortSignal,
  ): Promise<void> {
    const most = quotaOf(person, 'bindings', this.#options.quota);
    let count = 0;
    for (const { spec, status } of await this.#brought(person, signal)) {
      if (status?.namespace === undefined) continue;
      const { names, granted } = await this.#bindingsIn(status.namespace, signal);
      const isOpen = granted.has(template) && names.size < granted.size;
      if (spec.clusterIdentity.identity === identity && (names.has(name) || isOpen)) return;
      count += Math.max(names.size, granted.size);
    }
    if (count >= most)
      throw new Refusal(
        403,
        'AUTHORIZATION_FAILED',
        `You have ${count === 1 ? '1 binding' : `${count} bindings`} here, and may have ${most}. Unbind one, or ask the administrator of the provider to allow more.`,
      );
  }

  async #bindingsIn(
    namespace: string,
    signal: AbortSignal,
  ): Promise<{ readonly names: ReadonlySet<string>; readonly granted: ReadonlySet<string> }> {
    const { client } = this.#options;
    const key = { namespace, name: fixedNames.clusterBinding };
    const [{ items }, clusterBinding] = await Promise.all([
      client.list<APIServiceExportRequest>(resources.apiServiceExportRequests, {
        namespace,
        representation: 'metadata',
        signal,
      }),
      getIfExists<ClusterBinding>(client, resources.clusterBindings, key, { signal }),
    ]);
    return { names: new Set(items.map(({ metadata }) => metadata.name)), granted: grantedTemplates(clusterBinding) };
  }

  async exportsOf(namespace: string, signal: AbortSignal): Promise<readonly string[]> {
    const { items } = await this.#options.client.list<APIServiceExport>(resources.apiServiceExports, {
      namespace,
      signal,
    });
    return items.map(({ metadata }) => metadata.name);
  }

  /** The kubeconfig of a consumer with revoked access opens nothing. @throws {Refusal} */
  async #mayHaveAccess(namespace: string, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    const binding = { namespace, name: fixedNames.clusterBinding };
    const [namespaceObject, clusterBinding] = await Promise.all([
      getIfExists<KubeObject>(client, resources.namespaces, { name: namespace }, { signal }),
      getIfExists<ClusterBinding>(client, resources.clusterBindings, binding, { signal }),
    ]);
    if (credentialWord('revokeCredential', namespaceObject, clusterBinding) !== undefined)
      throw new Refusal(
        403,
        'AUTHORIZATION_FAILED',
        'The access of this cluster is revoked. Give it access again under My bindings, or ask the administrator of the provider.',
      );
  }

  /** Whether a cluster still needs its own token to become a consumer. @throws {ApiError} */
  async awaitsProof({ identity, isProven }: ConsumerCluster, signal: AbortSignal): Promise<boolean> {
    const { client, namespace, proofs } = this.#options;
    if (isProven === true || !proofs.needsProof(identity)) return false;
    const key = { namespace, name: requestName(identity) };
    return (await getIfExists(client, resources.bindableResourcesRequests, key, { signal })) === undefined;
  }

  async #ownRequest(person: Person, cluster: ConsumerCluster, signal: AbortSignal): Promise<BindableResourcesRequest> {
    const { client, events, proofs } = this.#options;
    const wanted = this.#requestFor(person, cluster);
    let request = await this.#read(wanted, signal);
    if (request === undefined) {
      if (cluster.isProven !== true && proofs.needsProof(cluster.identity)) throw unproven();
      await this.#mayHaveAnother(person, signal);
      try {
        return await client.create<BindableResourcesRequest>(resources.bindableResourcesRequests, wanted, { signal });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
        request = await this.#read(wanted, signal);
      }
    }
    const standing = standingOf(person, request);
    if (
      request !== undefined &&
      (standing === 'owner' || standing === 'member') &&
      request.spec.clusterIdentity.identity === cluster.identity
    )
      return request;
    if (request !== undefined)
      events.record(
        { apiVersion, kind: 'BindableResourcesRequest', ...request.metadata },
        {
          type: 'Warning',
          reason: 'ClusterOfAnotherOwner',
          message: `${identityOf(person)} asked for the kubeconfig of this cluster, which is another person's, and got none. The provider's operator can move it to them by the annotations ${ownerAnnotations.issuer} and ${ownerAnnotations.subject}, or have them share it by ${ownerAnnotations.group}.`,
        },
      );
    throw new Refusal(
      403,
      'AUTHORIZATION_FAILED',
      'Somebody else has bound this cluster. Sign in as that person, or ask the administrator of the provider to share it with you.',
    );
  }

  /** @throws {Refusal} */
  async #mayHaveAnother(person: Person, signal: AbortSignal): Promise<void> {
    const most = quotaOf(person, 'clusters', this.#options.quota);
    const own = await this.#brought(person, signal);
    if (own.length >= most)
      throw new Refusal(
        403,
        'AUTHORIZATION_FAILED',
        `You have ${own.length === 1 ? '1 cluster' : `${own.length} clusters`} here, and may have ${most}. Ask the administrator of the provider to remove one, or to allow more.`,
      );
  }

  /** Consumers that the person has brought in; shared ones do not count. */
  async #brought(person: Person, signal: AbortSignal): Promise<readonly BindableResourcesRequest[]> {
    return (await this.of(person, signal)).filter((request) => standingOf(person, request) === 'owner');
  }

  #requestFor(person: Person, { identity, prettyName }: ConsumerCluster): BindableResourcesRequest {
    const spec: BindableResourcesRequestSpec = {
      clusterIdentity: { identity, prettyName },
      author: identityOf(person),
    };
    return {
      apiVersion,
      kind: 'BindableResourcesRequest',
      metadata: {
        namespace: this.#options.namespace,
        name: requestName(identity),
        annotations: { [ownerAnnotations.issuer]: person.issuer, [ownerAnnotations.subject]: person.subject },
      },
      spec,
    };
  }

  #read(
    { metadata }: { readonly metadata: ObjectKey },
    signal: AbortSignal,
  ): Promise<BindableResourcesRequest | undefined> {
    return getIfExists(this.#options.client, resources.bindableResourcesRequests, metadata, { signal });
  }

  /** Resolves to the answered request. Its condition says why there is no answer. */
  async #answered(request: BindableResourcesRequest, signal: AbortSignal): Promise<BindableResourcesRequest> {
    const { clock, patienceMs = 25_000 } = this.#options;
    const until = clock.monotonic() + patienceMs;
    let seen: BindableResourcesRequest | undefined = request;
    for (let pauseMs = 50; seen?.status?.phase !== 'Succeeded'; pauseMs = Math.min(pauseMs * 2, 1_000)) {
      if (readyOf(seen)?.reason === IDENTITY_TAKEN) throw await this.#letGo(seen);
      if (clock.monotonic() >= until || signal.aborted) throw unanswered(seen);
      // A disconnected client gets no answer.
      await sleep(clock, pauseMs, signal).catch(() => undefined);
      seen = await this.#read(request, signal);
    }
    return seen;
  }

  async #kubeconfigOf(request: BindableResourcesRequest, signal: AbortSignal): Promise<string | undefined> {
    const namespace = request.status?.namespace;
    if (namespace === undefined) return undefined;
    // The consumer's own Secret, not the copy in the answer: that does not follow a replaced token.
    const key = { namespace, name: fixedNames.providerKubeconfigSecret };
    const secret = await getIfExists<Secret>(this.#options.client, resources.secrets, key, { signal });
    return secret?.data?.[fixedNames.kubeconfigKey];
  }

  /**
   * Refuses a consumer brought in by other means: it has no owner here. Deletes the request: otherwise its sender would
   * become the owner once an operator opens the consumer to the portal.
   */
  async #letGo(request: BindableResourcesRequest | undefined): Promise<Refusal> {
    if (request !== undefined) {
      const { namespace, name, uid } = request.metadata;
      await this.#options.client.delete(
        resources.bindableResourcesRequests,
        { namespace, name },
        { preconditions: { uid } },
      );
    }
    return new Refusal(
      403,
      'AUTHORIZATION_FAILED',
      'The provider knows this cluster already, by a request that did not come from here. Ask its administrator to open it to the portal for you.',
    );
  }

  #askAgain({ metadata }: BindableResourcesRequest, signal: AbortSignal): Promise<BindableResourcesRequest> {
    const { namespace, name, resourceVersion } = metadata;
    const patch = {
      metadata: { resourceVersion },
      status: { phase: 'Pending', completionTime: null, namespace: null },
    };
    return this.#options.client.patch<BindableResourcesRequest>(
      resources.bindableResourcesRequests,
      { namespace, name },
      { type: 'merge', patch },
      { subresource: 'status', signal },
    );
  }
}

function unproven(): Refusal {
  return new Refusal(
    403,
    'AUTHORIZATION_FAILED',
    `This cluster is brought in with a token of its own. Send one in the header ${CLUSTER_TOKEN_HEADER} of POST /api/bundles, /api/bundle or /api/bind; once you own the cluster, you bind for it without.`,
    { [CLUSTER_PROOF_HEADER]: 'required' },
  );
}

/** Name of the portal's request for a cluster. */
function requestName(identity: string): string {
  return `portal-${createHash('sha256').update(identity).digest('hex').slice(0, 32)}`;
}

function isTheirs(person: Person, request: BindableResourcesRequest): boolean {
  return ['owner', 'member'].includes(standingOf(person, request));
}

function readyOf(request: BindableResourcesRequest | undefined): StandardCondition | undefined {
  return request?.status?.conditions?.find(({ type }) => type === 'Ready');
}

/** Uses the reason alone: its message may name other people's objects. */
function unanswered(request: BindableResourcesRequest | undefined): Refusal {
  const reason = readyOf(request)?.reason;
  const why =
    reason === undefined
      ? 'Its controllers have not answered. Try again in a moment.'
      : `The reason is ${reason}. Give it to the administrator of the provider; once the cause is gone, try again.`;
  return new Refusal(503, 'INTERNAL_ERROR', `The provider cannot take this cluster in yet. ${why}`, {
    'retry-after': '5',
  });
}
