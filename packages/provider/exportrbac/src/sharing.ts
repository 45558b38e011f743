import { type Condition, conditionTypes, type GroupResource, resourceGroupName } from '@hawser/kube-bind';

/**
 * Access to each other's objects that an export's rights give consumers. It cannot be prevented while they have the API
 * in this form. Closed.
 */
export type Sharing =
  /** Isolation None: names and namespaces are the consumers', so equal names are one object. */
  | { readonly kind: 'names'; readonly resource: GroupResource }
  /** Isolation None behind a gateway: consumers compete for names, and see only their own objects. */
  | { readonly kind: 'taken'; readonly resource: GroupResource }
  /** Konnectors list and watch in the whole cluster. */
  | { readonly kind: 'sight'; readonly resource: GroupResource };

/** Reasons of the condition `ObjectsShared`. */
type SharedReason = 'NamesShared' | 'ObjectsVisible';

/** The condition `ObjectsShared`; undefined if nothing is shared: False would count in konnectors' summaries. */
export function sharedCondition(
  sharing: readonly Sharing[],
): (Pick<Condition, 'type' | 'status' | 'message'> & { readonly reason: SharedReason }) | undefined {
  if (sharing.length === 0) return undefined;
  const reason: SharedReason = sharing.some(({ kind }) => kind !== 'sight') ? 'NamesShared' : 'ObjectsVisible';
  return { type: conditionTypes.objectsShared, status: 'True', reason, message: sharing.map(messageOf).join(' ') };
}

function messageOf({ kind, resource }: Sharing): string {
  const name = resourceGroupName(resource);
  switch (kind) {
    case 'names':
      return `Under isolation None consumers share the names of ${name}: each sees the objects of others that lie where its own do, takes names that others may want, and reads and changes claimed objects in namespaces of the same name. Who is not to see others' objects needs isolation Prefixed.`;
    case 'taken':
      return `Under isolation None consumers share the names of ${name}: a consumer cannot use a name that another has taken, and gets no claimed objects in a namespace that another has too. Consumers that must not get into each other's way need isolation Prefixed.`;
    case 'sight':
      return `Every consumer that has ${name} can list and watch it in the whole cluster (--shared-cluster-scope): it sees the objects of all, and changes its own alone. What others are not to see must not stand in these objects.`;
  }
}
