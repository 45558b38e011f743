import { StatusError } from '@hawser/apiserver';
import { type Client, type KubeObject, createClient, isApiError } from '@hawser/client';
import { ensure } from '@hawser/installation';
import type { JsonObject } from '@hawser/json';
import {
  type APIServiceBinding,
  consumerCRDs,
  fixedNames,
  hawserAnnotations,
  installCRDs,
  labels,
  resources,
} from '@hawser/kube-bind';
import { approveHeldSchemas, heldSchemas } from '@hawser/servicebinding';
import type { ApiSchemas } from './api-schemas.js';
import { Commands } from './commands.js';
import { type Binding, type Names, extraOf, namespaces } from './names.js';
import type { Model } from './model.js';
import { GrowingClaims, type GrowthWay, UNCLAIMED, makeUnclaimed } from './growing-claims.js';
import { ProviderSite } from './provider-site.js';
import { SECRETS } from './secret-sample.js';
import type { Settings } from './settings.js';
import type { SimCluster } from './sim-cluster.js';
import type { VirtualTime } from './virtual-time.js';

export interface InstallationParts {
  readonly time: VirtualTime;
  readonly names: Names;
  readonly settings: Settings;
  readonly schemas: ApiSchemas;
  readonly cluster: (name: string) => SimCluster;
  readonly credentials: Model;
  readonly tell: (line: string) => void;
  readonly fail: (error: unknown) => void;
}

export const BUNDLES = { group: 'kube-bind.io', resource: 'apiservicebindingbundles' };
const BINDINGS = { group: 'kube-bind.io', resource: 'apiservicebindings' };
const CRDS = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };
const NAMESPACES = { group: '', resource: 'namespaces' };
const TRY_AGAIN_MS = 1_000;
const LOOK_EVERY_MS = 5_000;
/** Longer than any obstacle between a provider and the wishes of its people. */
const HANDS_OUT_FOR_MS = 20 * 60_000;

/** A bundle, and each API of its provider. */
export interface BundleView {
  readonly name: string;
  readonly uid: string | undefined;
  readonly wanted: boolean;
  readonly apis: readonly BundledApi[];
}

export interface BundledApi {
  readonly name: string;
  /** Whether it shall be bound. */
  readonly isWanted: boolean;
  readonly isByHand: boolean;
  /** uid of the bundle that owns its binding; null: made by hand; undefined: no binding. */
  readonly owner: string | null | undefined;
  readonly isServed: boolean;
}

/**
 * Work of platform teams: register their cluster as a consumer, bind and unbind, accept changed schemas, hand out
 * credentials.
 */
export class Installation {
  readonly #parts: InstallationParts;
  readonly #bound: boolean[];
  /** Whether a bundle shall exist while the API is bound. */
  readonly #bundled: boolean[];
  /** The binding that a person is deleting now. */
  #deleting: string | undefined;
  readonly #commands: Commands;
  readonly #growing: GrowingClaims;
  /**
   * APIs that people have once bound or unbound by a command. They bind these by a command again: the provider has to
   * answer first.
   */
  readonly #byCommand = new Set<number>();
  /** APIs whose CRD a person has deleted. */
  readonly #withoutCrd = new Set<number>();
  readonly #sites: ReadonlyMap<string, ProviderSite>;
  /** Provider → the kubeconfig handed out last, in base64. */
  readonly #kubeconfigs = new Map<string, string>();
  /** Lost consumer clusters; their successor takes over the copies. */
  readonly #formerConsumers: string[] = [];
  /**
   * Provider → time until which a person compares its kubeconfig with the consumer's. After that, the konnector has to.
   */
  readonly #handsOutUntil = new Map<string, number>();

  /** Providers whose API's Secret holds another provider's kubeconfig, as put there by a person. */
  readonly #repointed = new Map<string, string>();

  constructor(parts: InstallationParts) {
    const { names, cluster } = parts;
    this.#parts = parts;
    this.#bound = names.bindings.map(() => true);
    this.#bundled = names.bindings.map(() => parts.settings.bundle !== 'None');
    this.#sites = new Map(
      names.bindings.map(({ provider }, binding) => [
        provider,
        new ProviderSite({
          ...parts,
          cluster: () => cluster(provider),
          binding,
          consumerIdentity: () => this.#consumerIdentity(),
        }),
      ]),
    );
    this.#growing = new GrowingClaims(parts);
    this.#commands = new Commands({
      time: parts.time,
      consumer: () => cluster(names.consumer),
      provider: (binding) => cluster(binding.provider),
      fail: parts.fail,
      kubeconfig: ({ provider }) => this.site(provider).kubeconfig(),
      offer: ({ provider }) => this.site(provider).offer(),
      tell: parts.tell,
      // Its last work may be unwanted by now.
      onEnd: (binding) => {
        if (!this.bound(names.bindings.indexOf(binding))) this.#applyBinding(names.bindings.indexOf(binding));
      },
    });
  }

  bound(binding: number): boolean {
    return this.#bound[binding] === true;
  }

  /** Whether users can have objects of it: it is bound, and no person has deleted its CRD. */
  usable(binding: number): boolean {
    return this.bound(binding) && !this.#withoutCrd.has(binding);
  }

  /** The consumer cluster is lost. Its administrator declares the next one its successor. */
  loseConsumer(): void {
    this.#formerConsumers.push(this.#consumerIdentity() ?? '');
  }

  site(provider: string): ProviderSite {
    return this.#sites.get(provider)!;
  }

  async setUp(): Promise<void> {
    for (const site of this.#sites.values()) await site.setUp();
    await this.setUpConsumer();
  }

  /** Applies the consumer's manifests; restores missing or outdated objects. */
  async setUpConsumer(): Promise<void> {
    const { names } = this.#parts;
    const consumer = this.#client(names.consumer);
    await installCRDs(consumer, consumerCRDs, { clock: this.#parts.time, random: () => 0.5 });
    for (const name of [fixedNames.konnectorNamespace, ...namespaces])
      await ensure(consumer, resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const { claims, grows = false } = this.#parts.settings;
    if (claims || grows)
      this.#whileUp(names.consumer, ({ objects }) => {
        for (const name of namespaces) makeUnclaimed(objects, UNCLAIMED.consumer, name);
      });
    await consumer.close();
    for (const [index, { provider }] of names.bindings.entries()) {
      this.handOut(provider);
      this.#applyBinding(index);
    }
  }

  /** The provider claims more than was agreed to, for a while. */
  growClaims(index: number, way: GrowthWay, forMs: number): void {
    this.#growing.grow(index, way, forMs);
  }

  unbind(index: number): void {
    this.#bound[index] = false;
    this.#commands.forget(this.#binding(index));
    this.#applyBinding(index);
  }

  bind(index: number): void {
    this.#bound[index] = true;
    // A new binding is for the provider of its first kubeconfig, so a person checks that kubeconfig.
    this.repointBack(index);
    if (this.#byCommand.has(index)) this.#typeBind(index);
    else this.#applyBinding(index);
  }

  unbindByCommand(index: number): void {
    this.#bound[index] = false;
    this.#byCommand.add(index);
    this.#commands.type('unbind', this.#binding(index));
  }

  /** A provider has lost all requests since its backup. */
  typeAgain(provider: string): void {
    for (const index of this.#byCommand)
      if (this.#binding(index).provider === provider) {
        if (this.bound(index)) this.#typeBind(index);
        else this.#commands.type('unbind', this.#binding(index));
      }
  }

  /**
   * `hawser bind` reuses a Secret that leads to the provider. So no other Secret may lead there by mistake: once
   * corrected, it would take the binding to another provider.
   */
  #typeBind(index: number): void {
    for (const each of this.#bound.keys()) this.repointBack(each);
    this.#commands.type('bind', this.#binding(index));
  }

  /** A person deletes the CRD of an API. Finalizers hold its remaining objects until {@link letGo}. */
  deleteCrd(index: number): boolean {
    const { objects, up } = this.#parts.cluster(this.#parts.names.consumer);
    if (!up || !this.usable(index) || objects.get(CRDS, this.#crdKey(index)) === undefined) return false;
    this.#withoutCrd.add(index);
    objects.delete(CRDS, this.#crdKey(index));
    return true;
  }

  /** A backup of the consumer has restored CRDs in deletion. */
  letGoAgain(): void {
    const { objects } = this.#parts.cluster(this.#parts.names.consumer);
    for (const index of this.#bound.keys()) {
      const { deletionTimestamp } = (objects.get(CRDS, this.#crdKey(index))?.['metadata'] ?? {}) as {
        readonly deletionTimestamp?: string;
      };
      if (deletionTimestamp === undefined || this.#withoutCrd.has(index)) continue;
      this.#withoutCrd.add(index);
      this.letGo(index, 'release');
    }
  }

  /** Lets go of its objects until the CRD is gone; or unbinds it, and binds it again. */
  letGo(index: number, way: 'release' | 'unbind'): void {
    if (way === 'unbind' && this.bound(index)) this.unbind(index);
    const look = (): void => {
      const { objects, up } = this.#parts.cluster(this.#parts.names.consumer);
      const crd = up ? objects.get(CRDS, this.#crdKey(index)) : undefined;
      const isGoing =
        (crd?.['metadata'] as { readonly deletionTimestamp?: string } | undefined)?.deletionTimestamp !== undefined;
      if (up && !isGoing) {
        this.#withoutCrd.delete(index);
        if (way === 'unbind') this.bind(index);
        return;
      }
      if (isGoing && way === 'release') this.#release(index);
      this.#parts.time.setTimeout(look, LOOK_EVERY_MS);
    };
    look();
  }

  #release(index: number): void {
    const { objects } = this.#parts.cluster(this.#parts.names.consumer);
    const { group, plural } = this.#binding(index);
    for (const object of objects.list({ group, resource: plural })) {
      const { annotations = {}, ...metadata } = object['metadata'] as { readonly annotations?: JsonObject };
      if (annotations['hawser.dev/release'] === undefined)
        objects.update(
          { group, resource: plural },
          {
            ...object,
            metadata: { ...metadata, annotations: { ...annotations, 'hawser.dev/release': 'the CRD goes' } },
          },
          { fieldManager: 'operator' },
        );
    }
  }

  #crdKey(index: number): { readonly namespace: string; readonly name: string } {
    const { group, plural } = this.#binding(index);
    return { namespace: '', name: `${plural}.${group}` };
  }

  /** The bundle goes; bindings made by hand stay. */
  unbundle(index: number): void {
    this.#bundled[index] = false;
    this.#applyBinding(index);
  }

  bundle(index: number): void {
    this.repointBack(index);
    this.#bundled[index] = true;
    this.#applyBinding(index);
  }

  /** After a backup: repeats what people have undone since then. */
  unbindAgain(): void {
    for (const index of this.#bound.keys()) this.#applyBinding(index);
  }

  /** Whether a person is deleting the binding of that name by hand now. */
  isDeleting(name: string): boolean {
    return this.#deleting === name || this.#commands.isUnbinding(name);
  }

  /** State of a bundle and of the APIs that it shall bind; undefined without a bundle. */
  bundleOf(index: number): BundleView | undefined {
    const {
      settings: { bundle: kind },
      names,
      cluster,
    } = this.#parts;
    if (kind === 'None') return undefined;
    const main = this.#binding(index);
    const extra = extraOf(main);
    const { objects } = cluster(names.consumer);
    const isOffered = this.site(main.provider).offersExtra;
    const isBundled = this.bound(index) && this.#bundled[index] === true;
    return {
      name: `all-of-${main.provider}`,
      uid: uidOf(
        objects.serves(BUNDLES) ? objects.get(BUNDLES, { namespace: '', name: `all-of-${main.provider}` }) : undefined,
      ),
      wanted: isBundled,
      apis: [
        { api: main, isWanted: this.bound(index), isByHand: kind === 'Beside' },
        { api: extra, isWanted: isBundled && isOffered, isByHand: false },
      ].map(({ api, ...rest }) => ({
        ...rest,
        name: api.name,
        owner: objects.serves(BINDINGS) ? ownerOf(objects.get(BINDINGS, { namespace: '', name: api.name })) : undefined,
        isServed: objects.serves({ group: api.group, resource: api.plural }),
      })),
    };
  }

  /** Gives the consumer the provider's kubeconfig, now and for a while whenever it differs. */
  handOut(provider: string): void {
    this.#repointed.delete(provider);
    this.#handsOutUntil.set(provider, this.#parts.time.monotonic() + HANDS_OUT_FOR_MS);
    this.#applyConsumerSecret(provider);
  }

  /**
   * A person puts the kubeconfig of another provider into the Secret of a binding. Only after the binding has recorded
   * its provider: before, the other one would become its provider.
   */
  repoint(index: number): boolean {
    const { names } = this.#parts;
    const { provider, name } = this.#binding(index);
    const another = names.providers.find((name) => name !== provider) ?? '';
    const kubeconfig = this.site(another).kubeconfig();
    const { objects, up } = this.#parts.cluster(names.consumer);
    const current = up ? objects.get(SECRETS, this.#secretKey(provider)) : undefined;
    if (kubeconfig === undefined || current === undefined || !this.usable(index) || this.#commands.areTyped)
      return false;
    const { metadata } = (objects.get(BINDINGS, { namespace: '', name }) ?? {}) as Partial<APIServiceBinding>;
    if (metadata?.annotations?.[hawserAnnotations.providerIdentity] === undefined) return false;
    this.#repointed.set(provider, another);
    this.#handsOutUntil.delete(provider);
    objects.update(
      SECRETS,
      { ...current, data: { [fixedNames.kubeconfigKey]: kubeconfig } },
      { fieldManager: 'somebody' },
    );
    return true;
  }

  /** Puts the provider's own kubeconfig back, if it is still wrong. */
  repointBack(index: number): void {
    const { provider } = this.#binding(index);
    if (this.#repointed.has(provider)) this.handOut(provider);
  }

  /** The provider whose kubeconfig a person has put into the Secret of that name, and wants there. */
  repointedTo(secret: string): string | undefined {
    const binding = this.#parts.names.bindings.find(({ provider }) => this.#secretKey(provider).name === secret);
    return binding === undefined ? undefined : this.#repointed.get(binding.provider);
  }

  #secretKey(provider: string): { readonly namespace: string; readonly name: string } {
    return { namespace: fixedNames.konnectorNamespace, name: `kubeconfig-${this.#of(provider).name}` };
  }

  /** Constant work of pipelines. */
  reapply(): void {
    this.#growing.reapply();
    for (const [provider, site] of this.#sites) {
      site.reapply();
      if (this.#parts.time.monotonic() < (this.#handsOutUntil.get(provider) ?? 0)) this.#applyConsumerSecret(provider);
      if (this.#formerConsumers.length > 0) this.#acceptFormerConsumers(provider);
    }
    for (const index of this.#bound.keys()) {
      this.#accept(index);
      if (this.#parts.settings.bundle !== 'None') this.#applyBinding(index);
    }
  }

  /** The consumer's operator accepts approved schemas that wait. */
  #accept(index: number): void {
    const { schemas, names } = this.#parts;
    const { objects, up } = this.#parts.cluster(names.consumer);
    const { name } = this.#binding(index);
    if (!up || schemas.undecided(index)) return;
    const binding = objects.get(BINDINGS, { namespace: '', name }) as (JsonObject & APIServiceBinding) | undefined;
    const hashes = binding === undefined ? [] : (heldSchemas(binding)?.hashes ?? []);
    const approved = (binding?.metadata.annotations?.[hawserAnnotations.schemaApproved] ?? '').split(',');
    if (hashes.every((hash) => approved.includes(hash))) return;
    schemas.accept(index);
    const consumer = this.#client(names.consumer);
    void approveHeldSchemas(consumer, name, new AbortController().signal)
      .catch((error: unknown) => {
        if (!isApiError(error)) throw error;
      })
      .finally(() => consumer.close());
  }

  #applyConsumerSecret(provider: string): void {
    const kubeconfig = this.site(provider).kubeconfig() ?? this.#kubeconfigs.get(provider);
    if (kubeconfig === undefined) return;
    this.#kubeconfigs.set(provider, kubeconfig);
    const key = this.#secretKey(provider);
    this.#whileUp(this.#parts.names.consumer, ({ objects }) => {
      if (this.#repointed.has(provider)) return;
      const data = { [fixedNames.kubeconfigKey]: this.#kubeconfigs.get(provider) ?? '' };
      const current = objects.get(SECRETS, key);
      if (current === undefined)
        objects.create(SECRETS, {
          apiVersion: 'v1',
          kind: 'Secret',
          type: 'Opaque',
          metadata: { ...key, labels: { [labels.providerKubeconfig]: 'true' } },
          data,
        });
      else if (
        (current['data'] as JsonObject | undefined)?.[fixedNames.kubeconfigKey] !== data[fixedNames.kubeconfigKey]
      )
        objects.update(SECRETS, { ...current, data });
    });
  }

  #acceptFormerConsumers(provider: string): void {
    const key = this.#secretKey(provider);
    const { objects, up } = this.#parts.cluster(this.#parts.names.consumer);
    const current = up ? (objects.get(SECRETS, key) as (JsonObject & KubeObject) | undefined) : undefined;
    const accepted = this.#formerConsumers.join(',');
    if (current === undefined || current.metadata.annotations?.[hawserAnnotations.formerConsumerIdentity] === accepted)
      return;
    objects.update(SECRETS, {
      ...current,
      metadata: {
        ...current.metadata,
        annotations: { ...current.metadata.annotations, [hawserAnnotations.formerConsumerIdentity]: accepted },
      },
    } as unknown as JsonObject);
  }

  #consumerIdentity(): string | undefined {
    return uidOf(
      this.#parts.cluster(this.#parts.names.consumer).objects.get(NAMESPACES, { namespace: '', name: 'kube-system' }),
    );
  }

  /** Binds all wanted APIs, by hand or in a bundle, and no others. */
  #applyBinding(index: number): void {
    const { name, provider } = this.#binding(index);
    const { bundle } = this.#parts.settings;
    this.#whileUp(this.#parts.names.consumer, ({ objects }) => {
      const spec = {
        kubeconfigSecretRef: {
          namespace: fixedNames.konnectorNamespace,
          name: `kubeconfig-${name}`,
          key: fixedNames.kubeconfigKey,
        },
      };
      const isBundled = this.bound(index) && this.#bundled[index] === true;
      const bundleKey = { namespace: '', name: `all-of-${provider}` };
      const hasBundle = bundle !== 'None' && objects.get(BUNDLES, bundleKey) !== undefined;
      if (hasBundle && !isBundled) objects.delete(BUNDLES, bundleKey);
      // Binds again what was lost with its cluster.
      const isBound = objects.get(BINDINGS, { namespace: '', name }) !== undefined;
      if (this.bound(index) && ((isBundled && !hasBundle) || (bundle !== 'Whole' && !isBound))) this.repointBack(index);
      if (bundle !== 'Whole') {
        const found = objects.get(BINDINGS, { namespace: '', name });
        const annotations = this.#growing.annotationsFor(index);
        if (found === undefined && this.bound(index))
          objects.create(BINDINGS, {
            apiVersion: 'kube-bind.io/v1alpha2',
            kind: 'APIServiceBinding',
            metadata: { name, ...(annotations === undefined ? {} : { annotations }) },
            spec,
          });
        else if (found !== undefined && !this.bound(index)) this.#delete(objects, name);
      }
      if (!hasBundle && isBundled)
        objects.create(BUNDLES, {
          apiVersion: 'kube-bind.io/v1alpha2',
          kind: 'APIServiceBindingBundle',
          metadata: { name: bundleKey.name, annotations: { [hawserAnnotations.acceptedClaims]: '*' } },
          spec,
        });
    });
  }

  #delete(objects: SimCluster['objects'], name: string): void {
    this.#deleting = name;
    try {
      objects.delete(BINDINGS, { namespace: '', name });
    } finally {
      this.#deleting = undefined;
    }
  }

  #whileUp(cluster: string, act: (cluster: SimCluster) => void): void {
    const current = this.#parts.cluster(cluster);
    try {
      if (current.up) {
        act(current);
        return;
      }
    } catch (error) {
      // A cluster during setup may lack prerequisites, such as a namespace.
      if (!(error instanceof StatusError)) throw error;
    }
    this.#parts.time.setTimeout(() => {
      this.#whileUp(cluster, act);
    }, TRY_AGAIN_MS);
  }

  #client(cluster: string): Client {
    const { administrator, direct } = this.#parts.cluster(cluster);
    return createClient({
      name: cluster,
      connection: administrator,
      dispatcher: direct,
      clock: this.#parts.time,
      random: () => 0.5,
    });
  }

  #binding(index: number): Binding {
    return this.#parts.names.bindings[index]!;
  }

  #of(provider: string): Binding {
    return this.#parts.names.bindings.find((binding) => binding.provider === provider)!;
  }
}

function uidOf(object: JsonObject | undefined): string | undefined {
  return (object?.['metadata'] as { readonly uid?: string } | undefined)?.uid;
}

/** uid of the bundle that owns a binding; null: none. */
export function ownerOf(binding: JsonObject | undefined): string | null | undefined {
  if (binding === undefined) return undefined;
  const { ownerReferences = [] } = binding['metadata'] as {
    readonly ownerReferences?: readonly { readonly kind: string; readonly uid: string }[];
  };
  return ownerReferences.find(({ kind }) => kind === 'APIServiceBindingBundle')?.uid ?? null;
}
