/** A signed-in person, according to the identity provider. */
export interface Person {
  readonly issuer: string;
  /** Stable with that issuer; with the configured prefix, the user name in Kubernetes RBAC. */
  readonly subject: string;
  readonly groups: readonly string[];
  /** For display; proves nothing. */
  readonly name: string | undefined;
}

/** A person's identity in objects and answers: `<issuer>/<subject>` (spec/kube-bind-backend.md §7). */
export function identityOf({ issuer, subject }: Pick<Person, 'issuer' | 'subject'>): string {
  return `${issuer}/${subject}`;
}
