import { acceptedClaims } from '@hawser/claimedresources';
import { type Client, isForbidden, isNotFound, type KubeObject, listAll, type Resource } from '@hawser/client';
import { type Binding, type Connection, type RelatedResource, resources as coreKbind } from '@hawser/core-kbind';
import type { RelatedKind, Side } from '@hawser/kbind-binding';
import { type APIServiceBinding, type PermissionClaim, resources } from '@hawser/kube-bind';

import type { ClaimTerms } from './claim-pairs.js';
import type { MigrationSides } from './observe.js';
import { pinnedUid } from './pair-swap.js';
import { relatedOfClaim } from './related-of-claim.js';

/** Metadata of the objects of one claimed resource. */
export interface ClaimedObjects extends Readonly<Record<Side, readonly KubeObject[]>> {
  readonly kind: RelatedKind;
  /** False: the kubeconfig may list the provider's objects only in some namespaces, so others may be missing. */
  readonly isWhole: boolean;
}

/** What both sides have of the claims of one binding, and of the related resources of its ClusterBinding. */
export interface ClaimsObserved {
  /** Claims that the konnector serves for the binding. */
  readonly accepted: readonly PermissionClaim[];
  /** Accepted claims of the other APIServiceBindings, by name. */
  readonly others: ReadonlyMap<string, readonly PermissionClaim[]>;
  readonly objects: readonly ClaimedObjects[];
  readonly terms: ClaimTerms;
}

/** What is known when a binding has neither claims nor related resources. */
export const noClaims: ClaimsObserved = {
  accepted: [],
  others: new Map(),
  objects: [],
  terms: {
    bindingUid: '',
    bindingUids: new Set(),
    clusterUid: '',
    identities: { consumer: undefined, provider: undefined },
  },
};

/** The rules that say the same as claims, as far as any do. */
export function rulesOf(claims: readonly PermissionClaim[]): readonly RelatedResource[] {
  return claims.map(relatedOfClaim).flatMap((one) => (one.kind === 'same' ? one.rules : []));
}

/** What {@link observeMigration} has read before. */
export interface KnownBefore {
  readonly binding: APIServiceBinding | undefined;
  readonly clusterBinding: Binding | undefined;
  readonly connections: readonly Connection[];
  readonly clusterNamespaceUid: string | undefined;
  /** Namespaces that the provider has assigned. */
  readonly namespaces: readonly string[];
}

/**
 * Reads the claimed objects of both sides, metadata only; nothing for a binding without claims. Writes nothing.
 * @throws ApiError if a read fails
 */
export async function observeClaims(sides: MigrationSides, known: KnownBefore): Promise<ClaimsObserved> {
  const { consumer, signal } = sides;
  const { binding, clusterBinding } = known;
  const accepted = binding === undefined ? [] : acceptedClaims(binding);
  const rules = [...rulesOf(accepted), ...(clusterBinding?.spec.relatedResources ?? [])];
  if (accepted.length + rules.length === 0) return noClaims;
  const bindings = await listAll<APIServiceBinding>(consumer, resources.apiServiceBindings, { signal });
  const kinds = [...new Set(rules.map(({ resource }) => resource))];
  return {
    accepted,
    others: new Map(
      bindings
        .filter(({ metadata }) => metadata.uid !== binding?.metadata.uid)
        .map((other) => [other.metadata.name, acceptedClaims(other)]),
    ),
    objects: await Promise.all(kinds.map((kind) => readClaimed(sides, kind, known.namespaces))),
    terms: await claimTermsOf(sides, known),
  };
}

/** Lists the objects of a resource on both sides. @throws ApiError if a read fails */
async function readClaimed(
  { consumer, provider, connected, signal }: MigrationSides,
  kind: RelatedKind,
  namespaces: readonly string[],
): Promise<ClaimedObjects> {
  const resource: Resource = { group: '', version: 'v1', resource: kind };
  const list = (client: Client, namespace?: string): Promise<readonly KubeObject[]> =>
    listAll<KubeObject>(client, resource, { namespace, representation: 'metadata', signal });
  const all = await list(connected).catch((error: unknown) => {
    if (isForbidden(error)) return undefined;
    throw error;
  });
  const objects: KubeObject[] = [...(all ?? [])];
  if (all === undefined) for (const namespace of namespaces) objects.push(...(await list(provider, namespace)));
  return { kind, consumer: await list(consumer), provider: objects, isWhole: all !== undefined };
}

async function claimTermsOf(
  { consumer, signal }: MigrationSides,
  { clusterBinding, connections, clusterNamespaceUid }: KnownBefore,
): Promise<ClaimTerms> {
  const bindings = await Promise.all(
    [coreKbind.clusterBindings, coreKbind.bindings].map((resource) =>
      listAll<KubeObject>(consumer, resource, { representation: 'metadata', signal }).catch((error: unknown) => {
        if (isNotFound(error)) return [];
        throw error;
      }),
    ),
  );
  const { metadata } = await consumer.get<KubeObject>(resources.namespaces, { name: 'kube-system' }, { signal });
  return {
    bindingUid: clusterBinding?.metadata.uid ?? '',
    bindingUids: new Set(bindings.flat().map((one) => one.metadata.uid ?? '')),
    clusterUid: pinnedUid(connections) || (metadata.uid ?? ''),
    identities: { consumer: metadata.uid, provider: clusterNamespaceUid },
  };
}
