import type { KubeObject } from '@hawser/client';

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
  return issuer === undefined || subject === undefined ? '' : `${issuer}/${subject}`;
}
