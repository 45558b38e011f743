import { createHash } from 'node:crypto';
import { type Client, type KubeObject, getIfExists, isAlreadyExists } from '@hawser/client';
import { type Clock, sleep } from '@hawser/clock';
import { type ClusterBinding, apiVersion, fixedNames, resources as klutchResources } from '@hawser/klutch';
import { type Secret, credentialWord, resources } from '@hawser/kube-bind';
import { Refusal } from '../answer.js';
import type { Consumer } from '../consumers.js';
import type { Person } from '../person.js';
import { type QuotaOptions, quotaOf } from '../quotas.js';
import { type KlutchHomes, isOwner } from './klutch-homes.js';

export interface KlutchConsumersOptions {
  readonly client: Pick<Client, 'get' | 'create'>;
  readonly homes: KlutchHomes;
  readonly clock: Clock;
  readonly prettyName: string;
  readonly quota: QuotaOptions;
  /** Time to wait for the controller of credentials. Default 25 s. */
  readonly patienceMs?: number | undefined;
}

/**
 * Klutch consumers that people bring in (spec/klutch.md §8). Klutch has no request object: the portal creates namespace
 * and ClusterBinding, and the provider's controllers the rest. A consumer's identity is the person's subject, `#`, and
 * the cluster id: no two people share a consumer.
 */
export class KlutchConsumers {
  readonly #options: KlutchConsumersOptions;

  constructor(options: KlutchConsumersOptions) {
    this.#options = options;
  }

  /** Returns the kubeconfig for a cluster, and makes it a consumer if needed. @throws {Refusal | ApiError} */
  async open(person: Person, clusterId: string, signal: AbortSignal): Promise<Consumer> {
    const home = await this.#namespaceFor(person, klutchIdentity(person, clusterId), signal);
    const namespace = home.metadata.name;
    const binding = await this.#bindingIn(namespace, signal);
    if (credentialWord('revokeCredential', home, binding) !== undefined)
      throw new Refusal(
        403,
        'AUTHORIZATION_FAILED',
        'The access of this cluster is revoked. Ask the administrator of the provider.',
      );
    return { namespace, kubeconfig: await this.#kubeconfigOf(binding, signal) };
  }

  async #namespaceFor(person: Person, identity: string, signal: AbortSignal): Promise<KubeObject> {
    const { homes, quota } = this.#options;
    // Named by the identity: of two simultaneous requests the API server picks one.
    const name = `cluster-${createHash('sha256').update(identity).digest('hex').slice(0, 20)}`;
    const found = theOnly(await homes.withIdentity(identity, name, signal));
    if (found !== undefined) return ownNamespace(person, found);
    const most = quotaOf(person, 'clusters', quota);
    if ((await homes.countOf(person, signal)) >= most)
      throw new Refusal(
        403,
        'AUTHORIZATION_FAILED',
        `You may have ${most === 1 ? '1 cluster' : `${most} clusters`} of Klutch here, and have them. Ask the administrator of the provider to remove one, or to allow more.`,
      );
    try {
      return await homes.create(person, identity, name, signal);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const raced = theOnly(await homes.withIdentity(identity, name, signal));
    if (raced === undefined) throw foreign();
    return ownNamespace(person, raced);
  }

  async #bindingIn(namespace: string, signal: AbortSignal): Promise<ClusterBinding> {
    const { client, prettyName } = this.#options;
    const key = { namespace, name: fixedNames.clusterBinding };
    const read = (): Promise<ClusterBinding | undefined> =>
      getIfExists<ClusterBinding>(client, klutchResources.clusterBindings, key, { signal });
    const found = await read();
    if (found !== undefined) return found;
    const wanted: ClusterBinding = {
      apiVersion,
      kind: 'ClusterBinding',
      metadata: key,
      spec: {
        kubeconfigSecretRef: { name: fixedNames.kubeconfigSecret, key: fixedNames.kubeconfigKey },
        providerPrettyName: prettyName,
      },
    };
    try {
      return await client.create<ClusterBinding>(klutchResources.clusterBindings, wanted, { signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const raced = await read();
    if (raced === undefined) throw notYet();
    return raced;
  }

  /** Resolves once the controller of credentials has created it. */
  async #kubeconfigOf({ metadata: { namespace = '' }, spec }: ClusterBinding, signal: AbortSignal): Promise<string> {
    const { client, clock, patienceMs = 25_000 } = this.#options;
    const { name, key } = spec.kubeconfigSecretRef;
    if (name !== fixedNames.kubeconfigSecret) throw foreign();
    const until = clock.monotonic() + patienceMs;
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 1_000)) {
      const secret = await getIfExists<Secret>(client, resources.secrets, { namespace, name }, { signal });
      const kubeconfig = secret?.data?.[key] ?? '';
      if (kubeconfig !== '') return kubeconfig;
      if (clock.monotonic() >= until || signal.aborted) throw notYet();
      // A disconnected client gets no answer.
      await sleep(clock, pauseMs, signal).catch(() => undefined);
    }
  }
}

/** Value that marks a consumer's namespace (spec/klutch.md §3). */
export function klutchIdentity({ subject }: Pick<Person, 'subject'>, clusterId: string): string {
  return `${subject}#${clusterId}`;
}

/** @throws {Refusal} if several match */
function theOnly([one, ...others]: readonly KubeObject[]): KubeObject | undefined {
  if (others.length > 0)
    throw new Refusal(
      409,
      'INTERNAL_ERROR',
      'The provider has several namespaces for this cluster. Ask its administrator to keep the one that your konnector uses, and to take the identity off the others.',
    );
  return one;
}

/**
 * A namespace made by other means has no owner here: a subject alone does not name its identity provider.
 * @throws {Refusal}
 */
function ownNamespace(person: Person, namespace: KubeObject): KubeObject {
  if (namespace.metadata.deletionTimestamp !== undefined) throw notYet();
  if (!isOwner(person, namespace)) throw foreign();
  return namespace;
}

function foreign(): Refusal {
  return new Refusal(
    403,
    'AUTHORIZATION_FAILED',
    'The provider knows this cluster already, and did not take it in here. Ask its administrator to open it to the portal for you.',
  );
}

function notYet(): Refusal {
  return new Refusal(
    503,
    'INTERNAL_ERROR',
    'The provider has no kubeconfig for this cluster yet. Try again in a moment; if it goes on, tell its administrator.',
    { 'retry-after': '5' },
  );
}
