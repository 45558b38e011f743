import type { CustomResourceDefinition } from '@hawser/kube-bind';
import type { Finding, Standing } from '@hawser/preview';

import type { PlannedWrite } from './preview-client.js';
import type { ShardOwner } from './shard-owners.js';

/** How one object of a bound API stands. */
export interface ObjectReport {
  readonly kind: string;
  /** `namespace/name`, or `name`. */
  readonly object: string;
  readonly standing: Standing;
  /** Place of its copy, now or later; `namespace/name`, or `name`. */
  readonly copy?: string | undefined;
  /** Why it is not in step, or a remark about one that is. */
  readonly finding?: Finding | undefined;
  readonly writes: readonly PlannedWrite[];
}

/** How one resource of an export stands. */
export interface ResourceReport {
  /** `databases.example.com`. */
  readonly name: string;
  readonly names: CustomResourceDefinition['spec']['names'] | undefined;
  /** Undefined: not known. */
  readonly namespaced?: boolean | undefined;
  readonly version?: string | undefined;
  readonly isolation?: string | undefined;
  readonly standing: Standing;
  /** Why none of its objects is synced. */
  readonly finding?: Finding | undefined;
  readonly objects: readonly ObjectReport[];
}

/** How one permission claim stands. */
export interface ClaimReport {
  readonly group: string;
  readonly resource: string;
  readonly standing: Standing;
  /** Why it is held. */
  readonly reason?: string | undefined;
}

/** Kinds that bind APIs, and the Connections of `core.kbind.io`. */
export type BindingKind = 'APIServiceBinding' | 'Connection' | 'ClusterBinding' | 'Binding';

/** How a binding stands, or a Connection, which has no resources of its own. */
export interface BindingReport {
  readonly kind: BindingKind;
  /** For a Binding, `namespace/name`. */
  readonly name: string;
  readonly standing: Standing;
  readonly findings: readonly Finding[];
  /** `isSilent`: the provider did not answer, so its last contact and its objects are unknown. */
  readonly connection?:
    | {
        /** Name of the Connection; undefined: kube-bind has none. */
        readonly name?: string | undefined;
        /** Empty: not known. */
        readonly server: string;
        /** Undefined: in `core.kbind.io`, a consumer has none. */
        readonly clusterNamespace?: string | undefined;
        readonly lastHeartbeat?: string | undefined;
        readonly alive: boolean;
        readonly isSilent?: boolean | undefined;
      }
    | undefined;
  /** `namespace/name` of the kubeconfig's Secret. */
  readonly secret?: string | undefined;
  readonly export?: { readonly name: string; readonly isolation: string } | undefined;
  /** The konnector that serves it, if several share the work. */
  readonly owner?: ShardOwner | undefined;
  readonly resources: readonly ResourceReport[];
  readonly claims: readonly ClaimReport[];
  /**
   * The objects that its claims select, by resource, if requested. An object of several bindings of a connection is
   * with the first of them.
   */
  readonly claimed: readonly ResourceReport[];
  /** Writes to CRDs, and to the binding's own status. */
  readonly writes: readonly PlannedWrite[];
}

/** All parts of a binding that have objects. */
export function withObjects({
  resources,
  claimed,
}: Pick<BindingReport, 'resources' | 'claimed'>): readonly ResourceReport[] {
  return [...resources, ...claimed];
}

/** `APIServiceBinding databases`. */
export function titleOf({ kind, name }: Pick<BindingReport, 'kind' | 'name'>): string {
  return `${kind} ${name}`;
}

/** Target of a connection, after its server. */
export function consumerOf({ name, clusterNamespace }: NonNullable<BindingReport['connection']>): string {
  return name === undefined ? `cluster namespace ${clusterNamespace ?? ''}` : `Connection ${name}`;
}
