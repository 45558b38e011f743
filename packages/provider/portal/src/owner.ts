import { ownerAnnotations } from '@hawser/consumer-states';
import type { BindableResourcesRequest } from '@hawser/kube-bind';
import type { Person } from './person.js';

/** How a person stands to the consumer of a cluster. */
export type Standing = 'nobodys' | 'owner' | 'member' | 'stranger';

/**
 * Whoever binds a cluster first is its owner: the identity of a cluster is not a secret, so it alone opens nothing (spec/kube-bind-backend.md §19.2, 18). A request without an owner was not made by the
 * portal, and is nobody's to claim: an operator says whose it is.
 */
export function standingOf(person: Person, request: BindableResourcesRequest | undefined): Standing {
  if (request === undefined) return 'nobodys';
  const { annotations = {} } = request.metadata;
  const issuer = annotations[ownerAnnotations.issuer];
  if (issuer !== person.issuer) return 'stranger';
  if (annotations[ownerAnnotations.subject] === person.subject) return 'owner';
  const group = annotations[ownerAnnotations.group] ?? '';
  return group !== '' && person.groups.includes(group) ? 'member' : 'stranger';
}
