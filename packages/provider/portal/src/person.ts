/** Who has signed in, as the identity provider says. */
export interface Person {
  readonly issuer: string;
  /** Stable with that issuer; the user name in Kubernetes RBAC, behind the prefix that is configured. */
  readonly subject: string;
  readonly groups: readonly string[];
  /** For people to read; proves nothing. */
  readonly name: string | undefined;
}

/** The identity of a person in objects and answers: `<issuer>/<subject>` (spec/kube-bind-backend.md §7). */
export function identityOf({ issuer, subject }: Pick<Person, 'issuer' | 'subject'>): string {
  return `${issuer}/${subject}`;
}
