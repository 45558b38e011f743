import { StatusError } from '@hawser/apiserver';
import { type Client, createClient, isApiError } from '@hawser/client';
import { type ConsumerAccessOptions, ensure, issueKubeconfig, onboardConsumer, requestExport } from '@hawser/installation';
import type { JsonObject } from '@hawser/json';
import { consumerCRDs, fixedNames, installCRDs, labels, providerCRDs, resources } from '@hawser/kube-bind';
import type { Binding, Names } from './names.js';
import { crdOf } from './sample.js';
import type { SimCluster } from './sim-cluster.js';
import type { VirtualTime } from './virtual-time.js';

export interface InstallationParts {
  readonly time: VirtualTime;
  readonly names: Names;
  readonly cluster: (name: string) => SimCluster;
}

const SECRETS = { group: '', resource: 'secrets' };
const BINDINGS = { group: 'kube-bind.io', resource: 'apiservicebindings' };
const TRY_AGAIN_MS = 1_000;

/** What platform teams do: on board a consumer, bind and unbind, hand out credentials. */
export class Installation {
  readonly #parts: InstallationParts;
  readonly #bound: boolean[];
  /** The kubeconfig that is valid now, by provider. */
  readonly #kubeconfigs = new Map<string, string>();

  constructor(parts: InstallationParts) {
    this.#parts = parts;
    this.#bound = parts.names.bindings.map(() => true);
  }

  bound(binding: number): boolean {
    return this.#bound[binding] === true;
  }

  async setUp(): Promise<void> {
    const { names } = this.#parts;
    for (const binding of names.bindings) {
      const client = this.#client(binding.provider);
      await installCRDs(client, providerCRDs, { clock: this.#parts.time, random: () => 0.5 });
      this.#parts.cluster(binding.provider).objects.create({ group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }, crdOf(binding));
      const { kubeconfig } = await onboardConsumer(this.#access(binding, client));
      this.#kubeconfigs.set(binding.provider, kubeconfig);
      await requestExport(client, namespaceOf(binding), binding.name, [{ group: binding.group, plural: binding.plural, kind: binding.kind, scope: 'Namespaced' }]);
      await client.close();
    }
    await this.setUpConsumer();
  }

  /** What the consumer's manifests say; puts back what is missing or out of date. */
  async setUpConsumer(): Promise<void> {
    const { names } = this.#parts;
    const consumer = this.#client(names.consumer);
    await installCRDs(consumer, consumerCRDs, { clock: this.#parts.time, random: () => 0.5 });
    for (const name of [fixedNames.konnectorNamespace, 'team-0', 'team-1', 'team-2']) {
      await ensure(consumer, resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
    await consumer.close();
    for (const [index, { provider }] of names.bindings.entries()) {
      this.#applyConsumerSecret(provider);
      if (this.bound(index)) this.#applyBinding(index);
    }
  }

  unbind(index: number): void {
    this.#bound[index] = false;
    this.#whileUp(this.#parts.names.consumer, (consumer) => {
      const { name } = this.#binding(index);
      if (!this.bound(index) && consumer.objects.get(BINDINGS, { namespace: '', name }) !== undefined) consumer.objects.delete(BINDINGS, { namespace: '', name });
    });
  }

  bind(index: number): void {
    this.#bound[index] = true;
    this.#applyBinding(index);
  }

  /** The consumer's credentials stop working. */
  revoke(provider: string): void {
    const namespace = namespaceOf(this.#of(provider));
    this.#whileUp(provider, ({ objects }) => {
      const key = { namespace, name: fixedNames.binder };
      if (objects.get({ group: '', resource: 'serviceaccounts' }, key) !== undefined) objects.delete({ group: '', resource: 'serviceaccounts' }, key);
    });
  }

  /** New credentials, on the provider and in the consumer's Secret. */
  async issue(provider: string): Promise<void> {
    const binding = this.#of(provider);
    const client = this.#client(provider);
    try {
      await ensure(client, resources.serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: fixedNames.binder, namespace: namespaceOf(binding) } });
      this.#kubeconfigs.set(provider, await issueKubeconfig(this.#access(binding, client)));
    } catch (error) {
      // A backup was restored, or the next revocation came, in between.
      if (!isApiError(error)) throw error;
      this.#parts.time.setTimeout(() => { void this.issue(provider); }, TRY_AGAIN_MS);
      return;
    } finally {
      await client.close();
    }
    // The konnector mirrors the one on the provider: an old one there would come back.
    this.#applySecret(provider, provider, { namespace: namespaceOf(binding), name: fixedNames.providerKubeconfigSecret });
    this.#applyConsumerSecret(provider);
  }

  #applyConsumerSecret(provider: string): void {
    this.#applySecret(provider, this.#parts.names.consumer, { namespace: fixedNames.konnectorNamespace, name: `kubeconfig-${this.#of(provider).name}` });
  }

  #applySecret(provider: string, cluster: string, key: { readonly namespace: string; readonly name: string }): void {
    this.#whileUp(cluster, ({ objects }) => {
      const secret: JsonObject = {
        apiVersion: 'v1', kind: 'Secret', type: 'Opaque',
        metadata: { ...key, labels: { [labels.providerKubeconfig]: 'true' } },
        data: { [fixedNames.kubeconfigKey]: Buffer.from(this.#kubeconfigs.get(provider) ?? '').toString('base64') },
      };
      const current = objects.get(SECRETS, key);
      if (current === undefined) objects.create(SECRETS, secret);
      else objects.update(SECRETS, { ...current, data: secret['data'] ?? {} });
    });
  }

  /** As soon as one of that name, still going, is gone. */
  #applyBinding(index: number): void {
    const { name } = this.#binding(index);
    this.#whileUp(this.#parts.names.consumer, ({ objects }) => {
      if (!this.bound(index)) return;
      if (objects.get(BINDINGS, { namespace: '', name }) !== undefined) return;
      objects.create(BINDINGS, {
        apiVersion: 'kube-bind.io/v1alpha2', kind: 'APIServiceBinding', metadata: { name },
        spec: { kubeconfigSecretRef: { namespace: fixedNames.konnectorNamespace, name: `kubeconfig-${name}`, key: fixedNames.kubeconfigKey } },
      });
    });
  }

  #whileUp(cluster: string, act: (cluster: SimCluster) => void): void {
    const current = this.#parts.cluster(cluster);
    try {
      if (current.up) {
        act(current);
        return;
      }
    } catch (error) {
      // A cluster that is being set up again may lack what this needs, a namespace for one.
      if (!(error instanceof StatusError)) throw error;
    }
    this.#parts.time.setTimeout(() => { this.#whileUp(cluster, act); }, TRY_AGAIN_MS);
  }

  #client(cluster: string): Client {
    const { administrator, direct } = this.#parts.cluster(cluster);
    return createClient({ name: cluster, connection: administrator, dispatcher: direct, clock: this.#parts.time, random: () => 0.5 });
  }

  #access(binding: Binding, provider: Client): ConsumerAccessOptions {
    return {
      provider, connection: { server: this.#parts.cluster(binding.provider).administrator.server }, clusterNamespace: namespaceOf(binding), prettyName: binding.provider,
      apis: [{ group: binding.group, plural: binding.plural, kind: binding.kind, scope: 'Namespaced' }],
    };
  }

  #binding(index: number): Binding {
    return this.#parts.names.bindings[index]!;
  }

  #of(provider: string): Binding {
    return this.#parts.names.bindings.find((binding) => binding.provider === provider)!;
  }
}

/** The consumer's cluster namespace on the provider. */
function namespaceOf({ name }: Binding): string {
  return `kube-bind-${name}`;
}
