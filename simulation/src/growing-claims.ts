import { StatusError } from '@hawser/apiserver';
import type { JsonObject, JsonValue } from '@hawser/json';
import {
  type APIServiceExport,
  type APIServiceNamespace,
  type PermissionClaim,
  claimId,
  consentRecordOf,
  hawserAnnotations,
} from '@hawser/kube-bind';
import type { KubeObject } from '@hawser/client';
import type { Binding, Names } from './names.js';
import { clusterNamespaceOf } from './provider-site.js';
import { SECRETS, claimOn, privateSecret } from './secret-sample.js';
import type { Settings } from './settings.js';
import type { SimCluster } from './sim-cluster.js';
import type { VirtualTime } from './virtual-time.js';

export const CONFIG_MAPS = { group: '', resource: 'configmaps' } as const;
const everything: PermissionClaim['selector'] = { labelSelector: {} };

/** Additional claims of a provider: every Secret, or a resource that it has not claimed before. */
const grown = {
  'all-secrets': { ...SECRETS, selector: everything },
  'config-maps': { ...CONFIG_MAPS, selector: everything },
} as const satisfies Readonly<Record<string, PermissionClaim>>;
export type GrowthWay = keyof typeof grown;
export const growthWays = Object.keys(grown) as readonly GrowthWay[];

/** Objects on both sides that no accepted claim selects. These are the names of Secrets and ConfigMaps. */
export const UNCLAIMED = { consumer: 'users-own', provider: 'operators-own' } as const;

/**
 * Wait of a provider between the consumer's agreement and further claims. It is longer than the age of any backup of
 * the consumer: no backup then restores a binding without an agreement.
 */
export const WAITS_MS = 310_000;

export interface GrowingClaimsParts {
  readonly time: VirtualTime;
  readonly names: Names;
  readonly settings: Pick<Settings, 'claims'>;
  readonly cluster: (name: string) => SimCluster;
}

const BINDINGS = { group: 'kube-bind.io', resource: 'apiservicebindings' };
const EXPORTS = { group: 'kube-bind.io', resource: 'apiserviceexports' };
const SERVICE_NAMESPACES = { group: 'kube-bind.io', resource: 'apiservicenamespaces' };
const CRDS = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };

/**
 * Providers whose people own their exports claim more once consumers have bound them, and take that back later. Their
 * API server is theirs: no rule of a CRD prevents it.
 */
export class GrowingClaims {
  readonly #parts: GrowingClaimsParts;
  /** Binding index → current additional claim. A missing index never had one. */
  readonly #besides = new Map<number, GrowthWay | undefined>();

  constructor(parts: GrowingClaimsParts) {
    this.#parts = parts;
  }

  /** For `forMs` from now on, {@link WAITS_MS} included. */
  grow(index: number, way: GrowthWay, forMs: number): void {
    const { time } = this.#parts;
    const agreed = this.#agreed(index);
    if (agreed === undefined || this.#besides.get(index) !== undefined) return;
    this.#besides.set(index, undefined);
    time.setTimeout(() => {
      if (this.#agreed(index) !== agreed || this.#besides.get(index) !== undefined) return;
      this.#besides.set(index, way);
      this.#apply(index);
      time.setTimeout(
        () => {
          this.#besides.set(index, undefined);
          this.#apply(index);
        },
        Math.max(0, forMs - WAITS_MS),
      );
    }, WAITS_MS);
  }

  /**
   * Annotations that people write on a new binding: for a provider known to claim more, they accept the original claims
   * by name.
   */
  annotationsFor(index: number): Readonly<Record<string, string>> | undefined {
    return this.#besides.has(index)
      ? { [hawserAnnotations.acceptedClaims]: this.#accepted(index).map(claimId).join(',') }
      : undefined;
  }

  /** Corrects restored states, and repeats failed writes. */
  reapply(): void {
    for (const index of this.#besides.keys()) this.#apply(index);
  }

  #binding(index: number): Binding {
    return this.#parts.names.bindings[index]!;
  }

  #accepted(index: number): readonly PermissionClaim[] {
    return this.#parts.settings.claims ? [claimOn(this.#binding(index))] : [];
  }

  /** uid of the consumer's binding, if its agreement is recorded. */
  #agreed(index: number): string | undefined {
    const { names, cluster } = this.#parts;
    const { objects, up } = cluster(names.consumer);
    const binding =
      up && objects.serves(BINDINGS)
        ? (objects.get(BINDINGS, { namespace: '', name: this.#binding(index).name }) as
            (JsonObject & KubeObject) | undefined)
        : undefined;
    return binding === undefined ||
      binding.metadata.deletionTimestamp !== undefined ||
      consentRecordOf(binding) === undefined
      ? undefined
      : binding.metadata.uid;
  }

  #apply(index: number): void {
    const cluster = this.#parts.cluster(this.#binding(index).provider);
    if (!cluster.up || !cluster.serves(EXPORTS)) return;
    try {
      this.#write(index, cluster.objects);
    } catch (error) {
      // Another writer was faster.
      if (!(error instanceof StatusError)) throw error;
    }
  }

  #write(index: number, objects: SimCluster['objects']): void {
    const namespace = clusterNamespaceOf(this.#parts.names.consumers[0]);
    const way = this.#besides.get(index);
    const found = objects.get(EXPORTS, { namespace, name: this.#binding(index).name }) as
      (JsonObject & APIServiceExport) | undefined;
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) return;
    if (way !== undefined)
      for (const serviceNamespace of this.#serviceNamespaces(objects, namespace))
        makeUnclaimed(objects, UNCLAIMED.provider, serviceNamespace);
    const wanted = [...this.#accepted(index), ...(way === undefined ? [] : [grown[way]])];
    const { permissionClaims = [], ...spec } = found.spec;
    if (permissionClaims.map(claimId).join() === wanted.map(claimId).join()) return;
    letClaimsChange(objects);
    objects.update(
      EXPORTS,
      {
        ...found,
        spec: { ...spec, ...(wanted.length === 0 ? {} : { permissionClaims: wanted }) },
      } as unknown as JsonObject,
      { fieldManager: 'provider' },
    );
  }

  /** The provider's namespaces for those of the consumer. */
  #serviceNamespaces(objects: SimCluster['objects'], home: string): readonly string[] {
    const assigned = objects
      .list(SERVICE_NAMESPACES)
      .map((one) => one as JsonObject & APIServiceNamespace)
      .filter(({ metadata }) => metadata.namespace === home);
    return assigned
      .flatMap(({ status }) => status?.namespace ?? [])
      .filter((name) => objects.get({ group: '', resource: 'namespaces' }, { namespace: '', name }) !== undefined);
  }
}

/** Makes a Secret and a ConfigMap that stay where they are. */
export function makeUnclaimed(objects: SimCluster['objects'], name: string, namespace: string): void {
  if (objects.get(SECRETS, { namespace, name }) === undefined) objects.create(SECRETS, privateSecret(name, namespace));
  if (objects.get(CONFIG_MAPS, { namespace, name }) === undefined)
    objects.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace },
      data: { value: '1' },
    });
}

/** Removes the CRD's rule against changes of claims. */
function letClaimsChange(objects: SimCluster['objects']): void {
  const crd = objects.get(CRDS, { namespace: '', name: `${EXPORTS.resource}.${EXPORTS.group}` });
  if (crd === undefined) return;
  const changed = JSON.parse(
    JSON.stringify(crd, (key, value: JsonValue) => (key === 'permissionClaims' ? withoutRules(value) : value)),
  ) as JsonObject;
  objects.update(CRDS, changed, { fieldManager: 'provider' });
}

function withoutRules(schema: JsonValue): JsonValue {
  return Object.fromEntries(Object.entries(schema as JsonObject).filter(([key]) => key !== 'x-kubernetes-validations'));
}
