import { StatusError } from '@hawser/apiserver';
import { type KubeObject, createClient, isApiError } from '@hawser/client';
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
import type { Slot } from './model.js';
import { type Binding, type Names, namespaces } from './names.js';
import { objectOf, sampleOf } from './sample.js';
import { SECRETS } from './secret-sample.js';
import type { SeededRandom } from './seeded-random.js';
import type { Settings } from './settings.js';
import type { SimCluster } from './sim-cluster.js';
import type { VirtualTime } from './virtual-time.js';

export const TWIN = 'twin';
export const TWINS_MACHINE = 'konnector-twin';
/** Number of objects of the shared API that users of both clusters want. */
export const SHARED = 2;

/**
 * A second cluster with the same kubeconfig would claim and bundle the same, and roll-out steps know consumers, not
 * clusters.
 */
export function hasTwin({ twins, claims, bundle, rollout }: Settings): boolean {
  return twins === true && !claims && bundle === 'None' && rollout.length === 0;
}

export interface TwinParts {
  readonly time: VirtualTime;
  readonly names: Names;
  readonly random: SeededRandom;
  readonly schemas: ApiSchemas;
  readonly cluster: SimCluster;
  readonly provider: () => SimCluster;
  readonly kubeconfig: () => string | undefined;
  /** Objects that users of the consumer have from the beginning to the end, if they could make them. */
  readonly slots: readonly Slot[];
  readonly fail: (error: unknown) => void;
}

const BINDINGS = { group: 'kube-bind.io', resource: 'apiservicebindings' };
/** A copy of that age is in every backup. */
const STANDS_FOR_MS = 330_000;
/** Higher than any value of the consumer's users. */
const FIRST_VALUE = 500_000;

/**
 * Another consumer cluster that got the same kubeconfig from a person. Its users want objects with names of the
 * consumer's users, and delete them.
 */
export class Twin {
  readonly #parts: TwinParts;
  #value = FIRST_VALUE;
  #isSetUp = false;
  #wants = true;
  #isBound = true;

  constructor(parts: TwinParts) {
    this.#parts = parts;
    void this.#setUp().catch(parts.fail);
  }

  get cluster(): SimCluster {
    return this.#parts.cluster;
  }

  get slots(): readonly Slot[] {
    return this.#parts.slots;
  }

  get binding(): Binding {
    return this.#parts.names.bindings[0]!;
  }

  /** Occasional work of people and pipelines. */
  reapply(): void {
    if (!this.#isSetUp) return;
    try {
      this.#applyBinding();
      for (const slot of this.#parts.slots) this.#act(slot);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
    }
  }

  /** Its users make all that they can. Returns the names. */
  makeAll(): readonly string[] {
    return this.#parts.slots
      .filter((slot) => this.#current(slot) !== undefined || this.#create(slot))
      .map(({ name }) => name);
  }

  /** Its users withdraw all wishes. */
  clear(): void {
    this.#wants = false;
    for (const slot of this.#parts.slots) this.#delete(slot);
  }

  /** Objects that its users deleted and that still exist. */
  left(): readonly string[] {
    return this.#wants
      ? []
      : this.#parts.slots.filter((slot) => this.#current(slot) !== undefined).map(({ name }) => `${name} of ${TWIN}`);
  }

  unbind(): void {
    this.#isBound = false;
    const { objects } = this.cluster;
    if (objects.get(BINDINGS, { namespace: '', name: this.binding.name }) !== undefined)
      objects.delete(BINDINGS, { namespace: '', name: this.binding.name });
  }

  isReported(name: string): boolean {
    return this.cluster.objects
      .list({ group: '', resource: 'events' })
      .some(
        ({ type, involvedObject }) =>
          type === 'Warning' && (involvedObject as { readonly name?: string }).name === name,
      );
  }

  async #setUp(): Promise<void> {
    const { time } = this.#parts;
    const { administrator, direct, name } = this.cluster;
    const client = createClient({
      name,
      connection: administrator,
      dispatcher: direct,
      clock: time,
      random: () => 0.5,
    });
    await installCRDs(client, consumerCRDs, { clock: time, random: () => 0.5 });
    for (const namespace of [fixedNames.konnectorNamespace, ...namespaces])
      await ensure(client, resources.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      });
    await client.close();
    this.#isSetUp = true;
  }

  #applyBinding(): void {
    const { name } = this.binding;
    const { objects } = this.cluster;
    const kubeconfig = this.#parts.kubeconfig();
    if (kubeconfig === undefined || !this.#isBound) return;
    const key = { namespace: fixedNames.konnectorNamespace, name: `kubeconfig-${name}` };
    if (objects.get(SECRETS, key) === undefined)
      objects.create(SECRETS, {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'Opaque',
        metadata: { ...key, labels: { [labels.providerKubeconfig]: 'true' } },
        data: { [fixedNames.kubeconfigKey]: kubeconfig },
      });
    else if ((objects.get(SECRETS, key)?.['data'] as JsonObject | undefined)?.[fixedNames.kubeconfigKey] !== kubeconfig)
      objects.update(SECRETS, { ...objects.get(SECRETS, key), data: { [fixedNames.kubeconfigKey]: kubeconfig } });
    const binding = objects.get(BINDINGS, { namespace: '', name }) as (JsonObject & APIServiceBinding) | undefined;
    if (binding === undefined) {
      objects.create(BINDINGS, {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'APIServiceBinding',
        metadata: { name },
        spec: { kubeconfigSecretRef: { ...key, key: fixedNames.kubeconfigKey } },
      });
    } else {
      this.#accept(binding);
    }
  }

  /** Accepts what the provider has approved. */
  #accept(binding: APIServiceBinding): void {
    const { time, schemas } = this.#parts;
    const approved = (binding.metadata.annotations?.[hawserAnnotations.schemaApproved] ?? '').split(',');
    if (schemas.undecided(0) || (heldSchemas(binding)?.hashes ?? []).every((hash) => approved.includes(hash))) return;
    const { administrator, direct, name } = this.cluster;
    const client = createClient({
      name,
      connection: administrator,
      dispatcher: direct,
      clock: time,
      random: () => 0.5,
    });
    void approveHeldSchemas(client, binding.metadata.name, new AbortController().signal)
      .catch((error: unknown) => {
        if (!isApiError(error)) this.#parts.fail(error);
      })
      .finally(() => client.close());
  }

  #act(slot: Slot): void {
    const { random } = this.#parts;
    const dice = random.next();
    const current = this.#current(slot);
    if (!this.#wants) this.#delete(slot);
    else if (current === undefined && dice < 0.1) this.#create(slot);
    else if (current !== undefined && dice < 0.1) this.#delete(slot);
    else if (current !== undefined && dice < 0.2 && !sampleOf(current).terminating)
      this.cluster.objects.update(
        this.#resource,
        { ...current, spec: { ...(current['spec'] as JsonObject), value: ++this.#value } },
        { fieldManager: 'user' },
      );
  }

  /** Only after the consumer has had its copy for long: the first one is in the right. */
  #create(slot: Slot): boolean {
    const { time, provider } = this.#parts;
    const { up, objects } = provider();
    if (!up || !this.cluster.serves(this.#resource) || !objects.serves(this.#resource)) return false;
    const copy = objects.list(this.#resource).find((one) => sampleOf(one).object === slot.object);
    if (
      copy === undefined ||
      sampleOf(copy).terminating ||
      time.now() - Date.parse((copy as unknown as KubeObject).metadata.creationTimestamp ?? '') < STANDS_FOR_MS
    )
      return false;
    try {
      this.cluster.objects.create(this.#resource, objectOf(slot, this.binding, ++this.#value), {
        fieldManager: 'user',
      });
      return true;
    } catch (error) {
      if (error instanceof StatusError) return false;
      throw error;
    }
  }

  #delete(slot: Slot): void {
    const current = this.#current(slot);
    if (current !== undefined && !sampleOf(current).terminating) this.cluster.objects.delete(this.#resource, slot);
  }

  #current(slot: Slot): JsonObject | undefined {
    return this.cluster.serves(this.#resource) ? this.cluster.objects.get(this.#resource, slot) : undefined;
  }

  get #resource(): { readonly group: string; readonly resource: string } {
    return { group: this.binding.group, resource: this.binding.plural };
  }
}
