import { type Client, type KubeObject, listPages, type ObjectKey, objectKey, type Resource } from '@hawser/client';
import { type CustomResourceDefinition, type Dialect, storedResource } from '@hawser/kube-bind';
import { belongingOf, type CopyNamespace } from './belonging.js';

/** Why a copy may not be deleted; undefined: it is proven to be this consumer's. */
export type Obstacle = 'foreign' | 'unnamed' | 'unidentified' | 'severalConsumers';

/** A copy of one consumer, as just read from the API server. */
export interface Copy {
  readonly resource: Resource;
  readonly key: ObjectKey;
  /** Readable, and constant for the lifetime of the copy. */
  readonly id: string;
  readonly uid: string;
  readonly resourceVersion: string | undefined;
  /** It is being deleted. */
  readonly isGoing: boolean;
  readonly identity: string | undefined;
  readonly obstacle: Obstacle | undefined;
  /** Undefined: it is cluster-scoped. */
  readonly copyNamespace: CopyNamespace | undefined;
}

export interface SurveyOf {
  readonly clusterNamespace: string;
  readonly copyNamespaces: readonly CopyNamespace[];
  readonly crd: CustomResourceDefinition;
  /** As for `belongingOf`. */
  readonly prefix: string;
}

/** Reads the copies of one consumer, metadata only. @throws {ApiError} of a list that fails */
export async function survey(
  client: Client,
  dialect: Dialect,
  { clusterNamespace, copyNamespaces, crd, prefix }: SurveyOf,
  signal: AbortSignal,
): Promise<readonly Copy[]> {
  const resource = storedResource(crd.spec);
  if (resource === undefined) return [];
  const copies: Copy[] = [];
  for (const copyNamespace of crd.spec.scope === 'Cluster' ? [undefined] : copyNamespaces) {
    for await (const page of listPages<KubeObject>(client, resource, {
      ...(copyNamespace === undefined ? {} : { namespace: copyNamespace.namespace }),
      representation: 'metadata',
      signal,
    })) {
      for (const object of page) {
        const belonging = belongingOf(dialect, clusterNamespace, copyNamespace, prefix, object);
        if (belonging.kind === 'none') continue;
        const { namespace, name, uid = '', resourceVersion, deletionTimestamp } = object.metadata;
        copies.push({
          resource,
          copyNamespace,
          key: namespace === undefined ? { name } : { namespace, name },
          id: `${crd.metadata.name} ${objectKey(object)}`,
          uid,
          resourceVersion,
          isGoing: deletionTimestamp !== undefined,
          identity: belonging.kind === 'own' ? belonging.identity : undefined,
          obstacle: belonging.kind === 'foreign' ? 'foreign' : belonging.isNamed ? undefined : 'unnamed',
        });
      }
    }
  }
  return copies;
}

/**
 * Marks copies that are not proven to be of exactly this consumer. A copy without its consumer cluster (a Go
 * konnector's) is never proven. No copy is if two clusters use one cluster namespace. Pure.
 */
export function withProof(copies: readonly Copy[]): readonly Copy[] {
  const identities = new Set(copies.flatMap(({ identity = '' }) => (identity === '' ? [] : [identity])));
  return copies.map((copy): Copy => {
    if (copy.obstacle !== undefined) return copy;
    if ((copy.identity ?? '') === '') return { ...copy, obstacle: 'unidentified' };
    return identities.size > 1 ? { ...copy, obstacle: 'severalConsumers' } : copy;
  });
}
