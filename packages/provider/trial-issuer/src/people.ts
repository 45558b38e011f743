/** One who can sign in without a password. */
export interface TrialPerson {
  /** The claim `sub`: the user in RBAC. */
  readonly subject: string;
  readonly name: string;
  /** The claim `groups`. */
  readonly groups: readonly string[];
}

/** Two people in two groups, to see how rights differ. The groups are those of the Go backend's one user (spec/kube-bind-backend.md §14.8). */
export const people: readonly TrialPerson[] = [
  { subject: 'ada', name: 'Ada', groups: ['engineering'] },
  { subject: 'grace', name: 'Grace', groups: ['devops'] },
];
