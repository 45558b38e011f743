import type { KubeObject } from '@hawser/client';

/**
 * Owner of a consumer: on its request, or in Klutch on its namespace. An operator transfers a consumer by changing
 * them.
 */
export const ownerAnnotations = {
  issuer: 'hawser.dev/owner-issuer',
  subject: 'hawser.dev/owner-subject',
  /** Set by an operator: members of this group share the consumer. */
  group: 'hawser.dev/owner-group',
} as const;

/** The owner of a request, or of a Klutch consumer's namespace, as `<issuer>/<subject>`; empty: none. */
export function ownerOf({ metadata: { annotations = {} } }: Pick<KubeObject, 'metadata'>): string {
  const { [ownerAnnotations.issuer]: issuer, [ownerAnnotations.subject]: subject } = annotations;
  return issuer === undefined || subject === undefined ? '' : `${issuer}/${subject}`;
}
