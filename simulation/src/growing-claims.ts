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

/** What a provider claims besides: every Secret, or a resource of which it has claimed nothing yet. */
const grown = {
  'all-secrets': { ...SECRETS, selector: everything },
  'config-maps': { ...CONFIG_MAPS, selector: everything },
} as const satisfies Readonly<Record<string, PermissionClaim>>;
export type GrowthWay = keyof typeof grown;
export const growthWays = Object.keys(grown) as readonly GrowthWay[];

/** Beside the objects on both sides: what no claim selects that was accepted. The names of Secrets, and of ConfigMaps. */
export const UNCLAIMED = { consumer: 'users-own', provider: 'operators-own' } as const;

/** A provider claims more only this long after it has seen that the consumer agreed: longer than any backup of the consumer is old, so that none brings back a binding that has agreed to nothing yet. */
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

/** Providers whose people have their exports claim more once consumers have bound them, and take that back later. Their API server is theirs: no rule of a CRD keeps them from it. */
export class GrowingClaims {
  readonly #parts: GrowingClaimsParts;
  /** By index of the binding: what is claimed besides now. Of those that are not in it, nothing ever was. */
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

  /** What people write on a binding that they make: of a provider that is known to claim more, they accept by name what they have always accepted. */
  annotationsFor(index: number): Readonly<Record<string, string>> | undefined {
    return this.#besides.has(index)
      ? { [hawserAnnotations.acceptedClaims]: this.#accepted(index).map(claimId).join(',') }
      : undefined;
  }

  /** Puts in order what a backup has brought back, and what could not be written. */
  reapply(): void {
    for (const index of this.#besides.keys()) this.#apply(index);
  }

  #binding(index: number): Binding {
    return this.#parts.names.bindings[index]!;
  }

  #accepted(index: number): readonly PermissionClaim[] {
    return this.#parts.settings.claims ? [claimOn(this.#binding(index))] : [];
  }

  /** uid of the consumer's binding, if it is recorded what that has agreed to. */
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
      // Somebody else was faster.
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
      for (const place of this.#places(objects, namespace)) makeUnclaimed(objects, UNCLAIMED.provider, place);
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

  /** The namespaces that the provider has for the consumer's. */
  #places(objects: SimCluster['objects'], home: string): readonly string[] {
    const assigned = objects
      .list(SERVICE_NAMESPACES)
      .map((one) => one as JsonObject & APIServiceNamespace)
      .filter(({ metadata }) => metadata.namespace === home);
    return assigned
      .flatMap(({ status }) => status?.namespace ?? [])
      .filter((name) => objects.get({ group: '', resource: 'namespaces' }, { namespace: '', name }) !== undefined);
  }
}

/** A Secret and a ConfigMap that stay where they are. */
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

/** Takes the rule out of the CRD that keeps claims as they are. */
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
