import { controllerOf, type OwnerReference } from '@hawser/client';
import {
  apiVersion,
  type Binding,
  type Connection,
  conditionFalse,
  conditionTrue,
  conditionTypes,
  conditionUnknown,
  type ExportedAPI,
  getCondition,
  labels,
  malformation,
  type NewCondition,
} from '@hawser/core-kbind';
import { compareBytes } from '@hawser/json';

/** The change that the ClusterBinding of `autoBind` needs. */
export type AutoBindingChange =
  | { readonly kind: 'create'; readonly binding: Binding }
  | {
      readonly kind: 'patch';
      readonly binding: Binding;
      readonly spec: Pick<Binding['spec'], 'apis' | 'connectionRef'>;
    };

/** The change and the condition of `autoBind`. */
export interface AutoBinding {
  readonly change: AutoBindingChange | undefined;
  readonly conditions: readonly NewCondition[];
}

/**
 * Whether `autoBind` of this Connection made the ClusterBinding. A person's own is never written
 * (spec/kbind-v2.md §27.2, K13).
 */
export function isOfAutoBind(binding: Binding, connection: Connection): boolean {
  const controller = controllerOf(binding);
  return (
    binding.metadata.labels?.[labels.managed] === 'true' &&
    controller?.kind === 'Connection' &&
    controller.uid === connection.metadata.uid
  );
}

/**
 * Decides the ClusterBinding of the Connection's name for all offered APIs (spec/kbind-v2.md §9.1). Pure.
 * It only grows: a withdrawn API stays in it. Unbinding is a person's decision, and the withdrawal may be an accident
 * of the provider.
 */
export function decideAutoBinding(
  connection: Connection,
  found: Binding | undefined,
  exported: readonly ExportedAPI[],
): AutoBinding {
  const isReported = getCondition(connection.status?.conditions, conditionTypes.autoBound) !== undefined;
  const { name } = connection.metadata;
  const single = (condition: NewCondition): readonly NewCondition[] => [condition];
  const notBound = (reason: string, message: string): AutoBinding => ({
    change: undefined,
    conditions: single(conditionFalse(conditionTypes.autoBound, reason, message)),
  });
  if (connection.spec.autoBind !== true) {
    if (!isReported) return nothing;
    // Unknown, because a person chose this. Commands report False as trouble.
    const words = 'spec.autoBind is off. A ClusterBinding that it made stays.';
    return { change: undefined, conditions: single(conditionUnknown(conditionTypes.autoBound, 'SwitchedOff', words)) };
  }
  if (found?.metadata.deletionTimestamp !== undefined)
    return notBound('Pending', `ClusterBinding ${name} is being deleted. It is made anew when it is gone.`);
  if (found !== undefined && (!isOfAutoBind(found, connection) || malformation('ClusterBinding', found) !== undefined))
    return notBound(
      'ForeignClusterBinding',
      `spec.autoBind did not make ClusterBinding ${name}; it is left as it is. Delete or rename that one, or switch autoBind off.`,
    );
  const names = [...new Set([...(found?.spec.apis ?? []), ...exported].map((api) => api.name))].sort(compareBytes);
  const spec = { connectionRef: { name }, apis: names.map((api) => ({ name: api })) };
  const conditions = single(conditionTrue(conditionTypes.autoBound, 'AsExpected'));
  if (found === undefined)
    return names.length === 0
      ? notBound('Pending', 'The provider offers nothing yet.')
      : { change: { kind: 'create', binding: bindingOf(connection, spec) }, conditions };
  const known = new Set(found.spec.apis.map((api) => api.name));
  const isComplete = found.spec.connectionRef.name === name && names.every((api) => known.has(api));
  return { change: isComplete ? undefined : { kind: 'patch', binding: found, spec }, conditions };
}

const nothing: AutoBinding = { change: undefined, conditions: [] };

function bindingOf({ metadata: { name, uid = '' } }: Connection, spec: Binding['spec']): Binding {
  const owner: OwnerReference = {
    apiVersion,
    kind: 'Connection',
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  const metadata = { name, labels: { [labels.managed]: 'true' }, ownerReferences: [owner] };
  return { apiVersion, kind: 'ClusterBinding', metadata, spec };
}
