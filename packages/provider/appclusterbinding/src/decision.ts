import type { KubeObject, Resource } from '@hawser/client';
import { resources as klutch } from '@hawser/klutch';
import { type NewCondition, resources as core } from '@hawser/kube-bind';
import type { Deployment } from './observed.js';
import { type ConditionType, conditionTypes } from './problem.js';

/** Kinds created for an AppClusterBinding. */
export const children = {
  rootNamespace: { resource: core.namespaces, condition: conditionTypes.rootNamespaceReady },
  serviceNamespace: { resource: core.namespaces, condition: conditionTypes.cleanedUp },
  record: { resource: klutch.apiServiceNamespaces, condition: conditionTypes.cleanedUp },
  account: { resource: core.serviceAccounts, condition: conditionTypes.rootNamespaceReady },
  mirror: { resource: core.secrets, condition: conditionTypes.rootNamespaceReady },
  clusterBinding: { resource: klutch.clusterBindings, condition: conditionTypes.rootNamespaceReady },
  roleBinding: { resource: core.roleBindings, condition: conditionTypes.rootNamespaceReady },
  clusterRoleBinding: { resource: core.clusterRoleBindings, condition: conditionTypes.rootNamespaceReady },
  clusterRole: { resource: core.clusterRoles, condition: conditionTypes.cleanedUp },
  binding: { resource: klutch.apiServiceBindings, condition: conditionTypes.apisBound },
  request: { resource: klutch.apiServiceExportRequests, condition: conditionTypes.apisBound },
  export: { resource: klutch.apiServiceExports, condition: conditionTypes.apisBound },
  deployment: {
    resource: { group: 'apps', version: 'v1', resource: 'deployments' },
    condition: conditionTypes.konnectorDeployed,
  },
  note: { resource: core.configMaps, condition: conditionTypes.cleanedUp },
} as const satisfies Record<string, { readonly resource: Resource; readonly condition: ConditionType }>;
export type ChildKind = keyof typeof children;

/** One step. Closed; only `act` carries it out. */
export type Action =
  | { readonly type: 'setFinalizers'; readonly finalizers: readonly string[] }
  | { readonly type: 'create'; readonly child: ChildKind; readonly object: KubeObject }
  /** A merge patch. */
  | {
      readonly type: 'patch';
      readonly child: ChildKind;
      readonly object: KubeObject;
      readonly patch: Readonly<Record<string, unknown>>;
    }
  | { readonly type: 'deploy'; readonly object: Deployment; readonly found: Deployment | undefined }
  | { readonly type: 'delete'; readonly child: ChildKind; readonly object: KubeObject }
  /** An answered request whose export is gone: if a live read proves that, the request is deleted and recreated. */
  | { readonly type: 'deleteAnswered'; readonly object: KubeObject; readonly exportName: string };

export interface Decision {
  /** In this order; then everything is observed again. */
  readonly actions: readonly Action[];
  /** Other conditions stay. */
  readonly conditions: readonly NewCondition[];
  /** Condition types to remove. */
  readonly without: readonly ConditionType[];
}
