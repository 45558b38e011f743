import type { BindableResourcesRequest, Dialect } from '@hawser/kube-bind';
import { ownerOf } from '@hawser/consumer-states';
import type { ConsumerCluster, Consumers } from '../consumers.js';
import type { Person } from '../person.js';

/** A consumer that a person has brought in, or shares. */
export interface OwnCluster {
  readonly dialect: Dialect['name'];
  /** The cluster namespace. */
  readonly namespace: string;
  readonly cluster: ConsumerCluster;
  /** `<issuer>/<subject>` */
  readonly owner: string;
}

/** Finds the consumers of people in one dialect. */
export interface OwnClusters {
  /** Oldest first. @throws {ApiError} */
  of(person: Person, signal: AbortSignal): Promise<readonly OwnCluster[]>;
  /** The consumer of that cluster namespace; undefined: not this person's. @throws {ApiError} */
  one(person: Person, namespace: string, signal: AbortSignal): Promise<OwnCluster | undefined>;
}

/** kube-bind's consumers: a request names each owner. */
export function kubeBindClusters(consumers: Pick<Consumers, 'of' | 'one'>): OwnClusters {
  return {
    of: async (person, signal) => (await consumers.of(person, signal)).flatMap((request) => clusterOf(request) ?? []),
    one: async (person, namespace, signal) => {
      const request = await consumers.one(person, namespace, signal);
      return request === undefined ? undefined : clusterOf(request);
    },
  };
}

function clusterOf(request: BindableResourcesRequest): OwnCluster | undefined {
  const namespace = request.status?.namespace;
  if (namespace === undefined) return undefined;
  const { identity = '', prettyName = identity } = request.spec.clusterIdentity;
  return { dialect: 'kube-bind', namespace, cluster: { identity, prettyName }, owner: ownerOf(request) };
}
