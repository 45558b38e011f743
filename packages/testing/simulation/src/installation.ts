import { StatusError } from '@hawser/apiserver';
import { type Client, createClient, isApiError } from '@hawser/client';
import { ensure } from '@hawser/installation';
import type { JsonObject } from '@hawser/json';
import { type APIServiceBinding, consumerCRDs, fixedNames, hawserAnnotations, installCRDs, labels, resources } from '@hawser/kube-bind';
import { approveHeldSchemas, heldSchemas } from '@hawser/servicebinding';
import type { ApiSchemas } from './api-schemas.js';
import { type Binding, type Names, namespaces } from './names.js';
import { ProviderSite } from './provider-site.js';
import type { Settings } from './settings.js';
import type { SimCluster } from './sim-cluster.js';
import type { VirtualTime } from './virtual-time.js';

export interface InstallationParts {
  readonly time: VirtualTime;
  readonly names: Names;
  readonly settings: Settings;
  readonly schemas: ApiSchemas;
  readonly cluster: (name: string) => SimCluster;
}

const SECRETS = { group: '', resource: 'secrets' };
const BINDINGS = { group: 'kube-bind.io', resource: 'apiservicebindings' };
const TRY_AGAIN_MS = 1_000;
/** Longer than anything that keeps a provider from noticing what its people want. */
const HANDS_OUT_FOR_MS = 20 * 60_000;

/** What platform teams do: have their cluster let in as a consumer, bind and unbind, accept changed schemas, hand out credentials. */
export class Installation {
  readonly #parts: InstallationParts;
  readonly #bound: boolean[];
  readonly #sites: ReadonlyMap<string, ProviderSite>;
  /** The kubeconfig that was handed out last, by provider, in base64. */
  readonly #kubeconfigs = new Map<string, string>();
  /** Until when somebody looks whether a provider has another kubeconfig than the consumer, by provider. Otherwise the konnector has to. */
  readonly #handsOutUntil = new Map<string, number>();

  constructor(parts: InstallationParts) {
    const { names, cluster } = parts;
    this.#parts = parts;
    this.#bound = names.bindings.map(() => true);
    this.#sites = new Map(names.bindings.map(({ provider }, binding) => [provider, new ProviderSite({ ...parts, cluster: () => cluster(provider), binding })]));
  }

  bound(binding: number): boolean {
    return this.#bound[binding] === true;
  }

  site(provider: string): ProviderSite {
    return this.#sites.get(provider)!;
  }

  async setUp(): Promise<void> {
    for (const site of this.#sites.values()) await site.setUp();
    await this.setUpConsumer();
  }

  /** What the consumer's manifests say; puts back what is missing or out of date. */
  async setUpConsumer(): Promise<void> {
    const { names } = this.#parts;
    const consumer = this.#client(names.consumer);
    await installCRDs(consumer, consumerCRDs, { clock: this.#parts.time, random: () => 0.5 });
    for (const name of [fixedNames.konnectorNamespace, ...namespaces]) await ensure(consumer, resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await consumer.close();
    for (const [index, { provider }] of names.bindings.entries()) {
      this.handOut(provider);
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

  /** The consumer is given the kubeconfig that a provider has for it, now and whenever it is another for a while. */
  handOut(provider: string): void {
    this.#handsOutUntil.set(provider, this.#parts.time.monotonic() + HANDS_OUT_FOR_MS);
    this.#applyConsumerSecret(provider);
  }

  /** What pipelines do all the time. */
  reapply(): void {
    for (const [provider, site] of this.#sites) {
      site.reapply();
      if (this.#parts.time.monotonic() < (this.#handsOutUntil.get(provider) ?? 0)) this.#applyConsumerSecret(provider);
    }
    for (const index of this.#bound.keys()) this.#accept(index);
  }

  /** The consumer's operator accepts what the provider has approved, once it waits. */
  #accept(index: number): void {
    const { schemas, names } = this.#parts;
    const { objects, up } = this.#parts.cluster(names.consumer);
    const { name } = this.#binding(index);
    if (!up || schemas.undecided(index)) return;
    const binding = objects.get(BINDINGS, { namespace: '', name }) as (JsonObject & APIServiceBinding) | undefined;
    const hashes = binding === undefined ? [] : heldSchemas(binding)?.hashes ?? [];
    const approved = (binding?.metadata.annotations?.[hawserAnnotations.schemaApproved] ?? '').split(',');
    if (hashes.every((hash) => approved.includes(hash))) return;
    schemas.accept(index);
    const consumer = this.#client(names.consumer);
    void approveHeldSchemas(consumer, name, new AbortController().signal)
      .catch((error: unknown) => { if (!isApiError(error)) throw error; })
      .finally(() => consumer.close());
  }

  #applyConsumerSecret(provider: string): void {
    const kubeconfig = this.site(provider).kubeconfig() ?? this.#kubeconfigs.get(provider);
    if (kubeconfig === undefined) return;
    this.#kubeconfigs.set(provider, kubeconfig);
    const key = { namespace: fixedNames.konnectorNamespace, name: `kubeconfig-${this.#of(provider).name}` };
    this.#whileUp(this.#parts.names.consumer, ({ objects }) => {
      const data = { [fixedNames.kubeconfigKey]: this.#kubeconfigs.get(provider) ?? '' };
      const current = objects.get(SECRETS, key);
      if (current === undefined) objects.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata: { ...key, labels: { [labels.providerKubeconfig]: 'true' } }, data });
      else if ((current['data'] as JsonObject | undefined)?.[fixedNames.kubeconfigKey] !== data[fixedNames.kubeconfigKey]) objects.update(SECRETS, { ...current, data });
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

  #binding(index: number): Binding {
    return this.#parts.names.bindings[index]!;
  }

  #of(provider: string): Binding {
    return this.#parts.names.bindings.find((binding) => binding.provider === provider)!;
  }
}
