import { ownerAnnotations } from '@hawser/consumer-states';
import type { BindableResourcesRequest } from '@hawser/kube-bind';
import type { Person } from './person.js';

/** Relation of a person to the consumer of a cluster. */
export type Standing = 'nobodys' | 'owner' | 'member' | 'stranger';

/**
 * Decides the relation. The first person to bind a cluster owns it: a cluster identity is no secret, so it alone opens
 * nothing (spec/kube-bind-backend.md §19.2, 18). The portal did not make a request without an owner, and no person can
 * claim it: an operator names its owner.
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
