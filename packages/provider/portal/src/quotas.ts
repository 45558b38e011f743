import type { Person } from './person.js';

/** Quota of a group's members. A person in several groups has the highest of each. */
export interface Quota {
  readonly group: string;
  readonly clusters?: number | undefined;
  readonly bindings?: number | undefined;
}

export interface QuotaOptions {
  /** Clusters per person, unless a group has its own quota. Default 20. */
  readonly clustersPerPerson?: number | undefined;
  /** Bindings per person over all these clusters, unless a group has its own quota. Default 200. */
  readonly bindingsPerPerson?: number | undefined;
  readonly quotas?: readonly Quota[] | undefined;
}

/** Computes a person's quota, by subject and by group. Pure. */
export function quotaOf(
  { groups }: Pick<Person, 'groups'>,
  what: 'clusters' | 'bindings',
  { clustersPerPerson = 20, bindingsPerPerson = 200, quotas = [] }: QuotaOptions,
): number {
  const own = quotas.filter(({ group }) => groups.includes(group)).flatMap((quota) => quota[what] ?? []);
  if (own.length > 0) return Math.max(...own);
  return what === 'clusters' ? clustersPerPerson : bindingsPerPerson;
}
