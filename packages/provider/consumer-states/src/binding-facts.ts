import type { KubeObject } from '@hawser/client';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type ClusterBinding,
  type Dialect,
  malformation,
} from '@hawser/kube-bind';

/** The provider's knowledge of one consumer. */
export interface ConsumerFacts {
  readonly dialect: Dialect['name'];
  /** The cluster namespace. */
  readonly namespace: string;
  readonly cluster: { readonly identity: string; readonly prettyName: string };
  /** The person who onboarded it, as `<issuer>/<subject>`; empty: onboarded in another way. */
  readonly owner: string;
  readonly namespaceObject: KubeObject | undefined;
  readonly clusterBinding: ClusterBinding | undefined;
  /** The Secret with its kubeconfig, without the content; undefined: not read, or missing. */
  readonly credential?: Pick<KubeObject, 'metadata'> | undefined;
}

/** The provider's knowledge of one binding. It has a request or an export. */
export interface BindingFacts {
  readonly consumer: ConsumerFacts;
  readonly name: string;
  readonly request: APIServiceExportRequest | undefined;
  readonly export: APIServiceExport | undefined;
}

/** The copies of a binding on the provider. */
export interface Copies {
  readonly count: number;
  /** There are more than were counted. */
  readonly more: boolean;
  /** Creation time of the oldest counted copy, RFC 3339. */
  readonly oldest: string | undefined;
}

/** Pairs requests with their exports, which have the same names. */
export function bindingsOf(
  consumer: ConsumerFacts,
  requests: readonly APIServiceExportRequest[],
  exports: readonly APIServiceExport[],
): readonly BindingFacts[] {
  const asked = new Map(requests.map((request) => [request.metadata.name, request]));
  // An unreadable one must not hide the others.
  const granted = new Map(
    exports.filter((one) => malformation('APIServiceExport', one) === undefined).map((one) => [one.metadata.name, one]),
  );
  return [...new Set([...asked.keys(), ...granted.keys()])]
    .sort()
    .map((name) => ({ consumer, name, request: asked.get(name), export: granted.get(name) }));
}
