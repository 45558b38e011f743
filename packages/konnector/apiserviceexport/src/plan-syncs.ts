import type { APIServiceBinding, APIServiceExport, BoundSchema, CustomResourceDefinition } from '@hawser/kube-bind';
import type { Isolation } from '@hawser/konnector-sync';
import { resourceGroupName } from '@hawser/kube-bind';

/** What is known of one exported resource. */
export interface ResourceSnapshot {
  /** `databases.example.com`: the name of BoundSchema and CRD. */
  readonly name: string;
  readonly schema: { readonly kind: 'found'; readonly schema: BoundSchema } | { readonly kind: 'missing' } | { readonly kind: 'unreadable'; readonly message: string };
  /** The consumer's CRD of that name. */
  readonly crd: CustomResourceDefinition | undefined;
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
}

/** What shall be with the sync of one resource. */
export type SyncPlan =
  | { readonly kind: 'run'; readonly name: string; readonly config: SyncConfig }
  /** Leave it as it is: what is needed to decide cannot be read now. */
  | { readonly kind: 'keep'; readonly name: string; readonly message: string }
  | { readonly kind: 'stop'; readonly name: string; readonly reason: StopReason; readonly message: string };

export type StopReason = 'NotBound' | 'BoundSchemaMissing' | 'NoServedVersion' | 'CustomResourceDefinitionMissing' | 'ForeignCustomResourceDefinition' | 'CustomResourceDefinitionNotEstablished' | 'CustomResourceDefinitionTerminating' | 'UnknownIsolation';

/** Which syncs an export needs. Pure. */
export function planSyncs(snapshot: ExportSnapshot): readonly SyncPlan[] {
  return snapshot.resources.map((resource) => planSync(snapshot, resource));
}

function planSync({ export: apiExport, binding }: ExportSnapshot, { name, schema, crd }: ResourceSnapshot): SyncPlan {
  const stop = (reason: StopReason, message: string): SyncPlan => ({ kind: 'stop', name, reason, message });
  if (binding === undefined || binding.metadata.deletionTimestamp !== undefined) return stop('NotBound', `No APIServiceBinding "${apiExport.metadata.name}" of this connection binds it.`);
  if (schema.kind === 'unreadable') return { kind: 'keep', name, message: schema.message };
  if (schema.kind === 'missing' || schema.schema.spec === undefined) return stop('BoundSchemaMissing', `The provider has no BoundSchema "${name}".`);
  const { spec } = schema.schema;
  const version = spec.versions.find(({ served }) => served);
  if (version === undefined) return stop('NoServedVersion', `No version of BoundSchema "${name}" is served.`);
  if (crd === undefined) return stop('CustomResourceDefinitionMissing', `The CustomResourceDefinition "${name}" is not installed yet.`);
  if (!ownsCrd(crd, binding)) return stop('ForeignCustomResourceDefinition', `The CustomResourceDefinition "${name}" does not belong to this binding; its objects are left alone.`);
  if (crd.metadata.deletionTimestamp !== undefined) {
    // Its objects still need somebody who holds or releases their finalizers.
    const isolation = isolationOf(spec.scope, apiExport.spec.isolation);
    if (isolation === undefined) return stop('CustomResourceDefinitionTerminating', `The CustomResourceDefinition "${name}" is being deleted.`);
  } else if (!isEstablished(crd)) {
    return stop('CustomResourceDefinitionNotEstablished', `The CustomResourceDefinition "${name}" is not established yet.`);
  }
  const isolation = isolationOf(spec.scope, apiExport.spec.isolation);
  if (isolation === undefined) return stop('UnknownIsolation', `The export asks for isolation "${apiExport.spec.isolation}", which is not known here. Nothing is synced, so that nothing ends up in the wrong place.`);
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
    },
  };
}

/** Namespaced resources always live in service namespaces; an unknown word is not a reason to fall back to no isolation (`spec/konnector.md §7.5`). */
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

/** By name and uid of the binding (`spec/kube-bind-api.md §8.4`). */
export function ownsCrd(crd: Pick<CustomResourceDefinition, 'metadata'>, binding: { readonly metadata: { readonly name: string; readonly uid?: string | undefined } }): boolean {
  return (crd.metadata.ownerReferences ?? []).some(
    (owner) => owner.apiVersion.split('/')[0] === 'kube-bind.io' && owner.kind === 'APIServiceBinding' && owner.name === binding.metadata.name && owner.uid === binding.metadata.uid,
  );
}

/** Names of BoundSchemas and CRDs of an export, in its order, without repetition. */
export function resourceNames(apiExport: APIServiceExport): readonly string[] {
  return [...new Set(apiExport.spec.resources.map((resource) => resourceGroupName(resource)))];
}
