import type { KubeObject } from '@hawser/client';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type ClusterBinding,
  type Dialect,
  malformation,
} from '@hawser/kube-bind';

/** What the provider knows of one consumer. */
export interface ConsumerFacts {
  readonly dialect: Dialect['name'];
  /** The cluster namespace. */
  readonly namespace: string;
  readonly cluster: { readonly identity: string; readonly prettyName: string };
  /** Of the person who has brought it in, as `<issuer>/<subject>`; empty: it was brought in otherwise. */
  readonly owner: string;
  readonly namespaceObject: KubeObject | undefined;
  readonly clusterBinding: ClusterBinding | undefined;
  /** The Secret with its kubeconfig, without what is in it; undefined: it was not read, or is not there. */
  readonly credential?: Pick<KubeObject, 'metadata'> | undefined;
}

/** What the provider knows of one binding. One of request and export is there. */
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
  /** When the oldest of those that were counted was made, RFC 3339. */
  readonly oldest: string | undefined;
}

/** Pairs requests with the exports that they have led to, which have their names. */
export function bindingsOf(
  consumer: ConsumerFacts,
  requests: readonly APIServiceExportRequest[],
  exports: readonly APIServiceExport[],
): readonly BindingFacts[] {
  const asked = new Map(requests.map((request) => [request.metadata.name, request]));
  // One that cannot be read must not keep the others from being shown.
  const granted = new Map(
    exports.filter((one) => malformation('APIServiceExport', one) === undefined).map((one) => [one.metadata.name, one]),
  );
  return [...new Set([...asked.keys(), ...granted.keys()])]
    .sort()
    .map((name) => ({ consumer, name, request: asked.get(name), export: granted.get(name) }));
}
