import type { KubeObject } from '@hawser/client';
import type { BindableResourcesRequest } from '@hawser/kube-bind';
import { type Person, identityOf } from './person.js';

/** To whom a consumer is tied: on its request, or in Klutch on its namespace. An operator moves it by writing them. */
export const ownerAnnotations = {
  issuer: 'hawser.dev/owner-issuer',
  subject: 'hawser.dev/owner-subject',
  /** Set by an operator: members of this group share it. */
  group: 'hawser.dev/owner-group',
} as const;

/** The person to whom a request, or the namespace of a consumer of Klutch, is tied, as `<issuer>/<subject>`; empty for nobody. */
export function ownerOf({ metadata: { annotations = {} } }: Pick<KubeObject, 'metadata'>): string {
  const { [ownerAnnotations.issuer]: issuer, [ownerAnnotations.subject]: subject } = annotations;
  return issuer === undefined || subject === undefined ? '' : identityOf({ issuer, subject });
}

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
