import { type Client, type KubeObject, listPages, type ObjectKey, objectKey, type Resource } from '@hawser/client';
import { type CustomResourceDefinition, type Dialect, storedResource } from '@hawser/kube-bind';
import { belongingOf, type Place } from './belonging.js';

/** What stands between a copy and its deletion; undefined: it is proven to be this consumer's. */
export type Obstacle = 'foreign' | 'unnamed' | 'unidentified' | 'severalConsumers';

/** A copy of one consumer, as the API server has just shown it. */
export interface Copy {
  readonly resource: Resource;
  readonly key: ObjectKey;
  /** For a person, and the same for as long as the copy exists. */
  readonly id: string;
  readonly uid: string;
  readonly resourceVersion: string | undefined;
  /** It is being deleted. */
  readonly isGoing: boolean;
  readonly identity: string | undefined;
  readonly obstacle: Obstacle | undefined;
  /** Undefined: it is cluster-scoped. */
  readonly place: Place | undefined;
}

export interface SurveyOf {
  readonly clusterNamespace: string;
  readonly places: readonly Place[];
  readonly crd: CustomResourceDefinition;
  /** As for `belongingOf`. */
  readonly prefix: string;
}

/** Reads the copies of one consumer, metadata alone. @throws {ApiError} of a list that fails */
export async function survey(
  client: Client,
  dialect: Dialect,
  { clusterNamespace, places, crd, prefix }: SurveyOf,
  signal: AbortSignal,
): Promise<readonly Copy[]> {
  const resource = storedResource(crd.spec);
  if (resource === undefined) return [];
  const copies: Copy[] = [];
  for (const place of crd.spec.scope === 'Cluster' ? [undefined] : places) {
    for await (const page of listPages<KubeObject>(client, resource, {
      ...(place === undefined ? {} : { namespace: place.namespace }),
      representation: 'metadata',
      signal,
    })) {
      for (const object of page) {
        const belonging = belongingOf(dialect, clusterNamespace, place, prefix, object);
        if (belonging.kind === 'none') continue;
        const { namespace, name, uid = '', resourceVersion, deletionTimestamp } = object.metadata;
        copies.push({
          resource,
          place,
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
 * Which of the copies are proven to be of exactly this consumer: a copy that does not say of which consumer cluster it is (those of a Go konnector do not) never is, and none is where two clusters use one
 * cluster namespace. Pure.
 */
export function withProof(copies: readonly Copy[]): readonly Copy[] {
  const identities = new Set(copies.flatMap(({ identity = '' }) => (identity === '' ? [] : [identity])));
  return copies.map((copy): Copy => {
    if (copy.obstacle !== undefined) return copy;
    if ((copy.identity ?? '') === '') return { ...copy, obstacle: 'unidentified' };
    return identities.size > 1 ? { ...copy, obstacle: 'severalConsumers' } : copy;
  });
}
