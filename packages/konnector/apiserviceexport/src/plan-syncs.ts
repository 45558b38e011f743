import type { Problem } from '@hawser/controller';
import type { APIServiceBinding, APIServiceExport, BoundSchema, CustomResourceDefinition } from '@hawser/kube-bind';
import type { Isolation } from '@hawser/konnector-sync';
import { holdsObjects, isOwnedByBinding, resourceGroupName, servedVersion, unbindingUnder } from '@hawser/kube-bind';

import type { ProviderScope } from './provider-scope.js';

/** Known facts of one exported resource. */
export interface ResourceSnapshot {
  /** `databases.example.com`: the name of BoundSchema and CRD. */
  readonly name: string;
  readonly schema:
    | { readonly kind: 'found'; readonly schema: BoundSchema }
    | { readonly kind: 'missing' }
    | { readonly kind: 'unreadable'; readonly message: string };
  /** The consumer's CRD of that name. */
  readonly crd: CustomResourceDefinition | undefined;
  /** How the provider serves the resource now. */
  readonly providerScope: ProviderScope;
}

export interface ExportSnapshot {
  readonly export: APIServiceExport;
  /** The consumer's binding of the same name, if this connection serves it. */
  readonly binding: APIServiceBinding | undefined;
  readonly resources: readonly ResourceSnapshot[];
}

/** Everything that a running sync depends on. A sync runs as long as this stays equal. */
export interface SyncConfig {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly crdName: string;
  readonly isolation: Isolation;
  readonly informerScope: 'Cluster' | 'Namespaced';
  readonly statusSubresource: boolean;
  readonly bindingName: string;
  readonly bindingUid: string;
  readonly exportName: string;
  readonly exportUid: string;
  /** Present during unbinding under a policy that processes its objects: each of them is reconciled again. */
  readonly unbinding?: 'Delete' | 'Block';
}

/** The plan for the sync of one resource. */
export type SyncPlan =
  | { readonly kind: 'run'; readonly name: string; readonly config: SyncConfig }
  /** Leave it unchanged: facts needed for the decision cannot be read now. */
  | { readonly kind: 'keep'; readonly name: string; readonly message: string }
  | {
      readonly kind: 'stop';
      readonly name: string;
      readonly reason: StopReason;
      readonly message: string;
      /** Who must act. Absent if another condition says it, or no action is needed. */
      readonly actor?: Problem['actor'];
    };

export type StopReason =
  | 'NotBound'
  | 'BoundSchemaMissing'
  | 'NoServedVersion'
  | 'CustomResourceDefinitionMissing'
  | 'ForeignCustomResourceDefinition'
  | 'CustomResourceDefinitionNotEstablished'
  | 'CustomResourceDefinitionTerminating'
  | 'UnknownIsolation'
  /** Isolation, consumer scope and provider scope do not fit together. */
  | 'NoPlaceForCopies';

/** Plans the syncs of an export. Pure. */
export function planSyncs(snapshot: ExportSnapshot): readonly SyncPlan[] {
  return snapshot.resources.map((resource) => planSync(snapshot, resource));
}

function planSync(
  { export: apiExport, binding }: ExportSnapshot,
  { name, schema, crd, providerScope }: ResourceSnapshot,
): SyncPlan {
  const stop = (reason: StopReason, message: string, actor?: Problem['actor']): SyncPlan => ({
    kind: 'stop',
    name,
    reason,
    message,
    ...(actor === undefined ? {} : { actor }),
  });
  if (binding === undefined || !holdsObjects(binding.metadata))
    return stop('NotBound', `No APIServiceBinding "${apiExport.metadata.name}" of this connection binds it.`);
  if (schema.kind === 'unreadable') return { kind: 'keep', name, message: schema.message };
  if (schema.kind === 'missing' || schema.schema.spec === undefined)
    return stop('BoundSchemaMissing', `The provider has no BoundSchema "${name}".`);
  const { spec } = schema.schema;
  const version = servedVersion(spec);
  if (version === undefined)
    return stop(
      'NoServedVersion',
      `No version of BoundSchema "${name}" is served, so nothing is synced. The provider has to serve one.`,
      'provider',
    );
  if (crd === undefined)
    return stop('CustomResourceDefinitionMissing', `The CustomResourceDefinition "${name}" is not installed yet.`);
  if (!isOwnedByBinding(crd, binding))
    return stop(
      'ForeignCustomResourceDefinition',
      `The CustomResourceDefinition "${name}" does not belong to this binding; its objects are left alone.`,
    );
  const isolation = isolationOf(spec.scope, apiExport.spec.isolation);
  const unbinding = unbindingUnder(binding.metadata);
  // While a CRD is deleted, a sync holds or releases the finalizers of its objects, wherever their copies are.
  if (crd.metadata.deletionTimestamp === undefined) {
    if (!isEstablished(crd)) return notEstablished(name, crd);
    if (isolation === undefined)
      return stop(
        'UnknownIsolation',
        `The export asks for isolation "${apiExport.spec.isolation}", which is not known here. Nothing is synced, so that nothing ends up in the wrong place. The provider has to offer the export with another one.`,
        'provider',
      );
    if (!scopesFit(isolation, providerScope))
      return stop('NoPlaceForCopies', scopeProblemMessage(apiExport, spec.scope, providerScope), 'provider');
  } else if (isolation === undefined)
    return stop('CustomResourceDefinitionTerminating', `The CustomResourceDefinition "${name}" is being deleted.`);
  return {
    kind: 'run',
    name,
    config: {
      group: spec.group,
      version: version.name,
      plural: spec.names.plural,
      crdName: name,
      isolation,
      informerScope: spec.informerScope,
      statusSubresource: version.subresources?.status !== undefined,
      bindingName: binding.metadata.name,
      bindingUid: binding.metadata.uid ?? '',
      exportName: apiExport.metadata.name,
      exportUid: apiExport.metadata.uid ?? '',
      ...(unbinding === undefined ? {} : { unbinding }),
    },
  };
}

/** Copies under `None` and `Prefixed` are cluster-scoped, all others namespaced (`spec/kube-bind-api.md §12.3`). */
function scopesFit(isolation: Isolation, providerScope: ProviderScope): boolean {
  switch (isolation) {
    case 'None':
    case 'Prefixed':
      return providerScope !== 'Namespaced';
    case 'Namespaced':
    case 'ServiceNamespace':
      return providerScope !== 'Cluster';
    // Belongs to the other generation of kube-bind: no export has it.
    case 'Identity':
      return true;
  }
}

function scopeProblemMessage(
  { metadata, spec: { isolation } }: APIServiceExport,
  scope: string,
  providerScope: ProviderScope,
): string {
  const here = scope === 'Namespaced' ? 'namespaced' : 'cluster-scoped';
  const there = providerScope === 'Namespaced' ? 'namespaced' : 'cluster-scoped';
  const remedy =
    scope === 'Namespaced'
      ? 'make its CRD namespaced again, or offer it anew as it is now'
      : providerScope === 'Cluster'
        ? 'offer it with isolation Prefixed or None, or make its CRD namespaced'
        : 'offer it with isolation Namespaced, or make its CRD cluster-scoped';
  return `The resource is ${here} on the consumer and ${there} on the provider: under isolation ${isolation} of APIServiceExport "${metadata.name}" there is no place for copies, and nothing is synced. The provider has to ${remedy}. It is looked at again by itself.`;
}

/** A new CRD is established in a moment; one whose names are taken is not. */
function notEstablished(name: string, crd: CustomResourceDefinition): SyncPlan {
  const reason = 'CustomResourceDefinitionNotEstablished';
  const serverMessage = (crd.status?.conditions ?? []).find(
    ({ type, status }) => type === 'NamesAccepted' && status === 'False',
  )?.message;
  if (serverMessage === undefined || serverMessage === '')
    return { kind: 'stop', name, reason, message: `The CustomResourceDefinition "${name}" is not established yet.` };
  const message = `The API server of the consumer does not establish the CustomResourceDefinition, so nothing is synced. It says: ${serverMessage}. Delete the other CustomResourceDefinition, or this binding.`;
  return { kind: 'stop', name, reason, message, actor: 'consumer' };
}

/** Namespaced resources always use service namespaces. Unknown never means no isolation (`spec/konnector.md §7.5`). */
function isolationOf(scope: string, isolation: string): Isolation | undefined {
  if (scope === 'Namespaced') return 'ServiceNamespace';
  switch (isolation) {
    case 'None':
    case 'Prefixed':
    case 'Namespaced':
      return isolation;
    default:
      return undefined;
  }
}

function isEstablished(crd: CustomResourceDefinition): boolean {
  return crd.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;
}

/** Names of BoundSchemas and CRDs of an export, in its order, without duplicates. */
export function resourceNames(apiExport: APIServiceExport): readonly string[] {
  return [...new Set(apiExport.spec.resources.map((resource) => resourceGroupName(resource)))];
}
