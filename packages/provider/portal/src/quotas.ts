import type { Person } from './person.js';

/** What members of a group may have. A person who is in several has the highest of each. */
export interface Quota {
  readonly group: string;
  readonly clusters?: number | undefined;
  readonly bindings?: number | undefined;
}

export interface QuotaOptions {
  /** Clusters that one person may bring in, unless a group says otherwise. Default 20. */
  readonly clustersPerPerson?: number | undefined;
  /** Bindings of these clusters together, unless a group says otherwise. Default 200. */
  readonly bindingsPerPerson?: number | undefined;
  readonly quotas?: readonly Quota[] | undefined;
}

/** How much a person may have, by subject and by group. Pure. */
export function quotaOf(
  { groups }: Pick<Person, 'groups'>,
  what: 'clusters' | 'bindings',
  { clustersPerPerson = 20, bindingsPerPerson = 200, quotas = [] }: QuotaOptions,
): number {
  const own = quotas.filter(({ group }) => groups.includes(group)).flatMap((quota) => quota[what] ?? []);
  if (own.length > 0) return Math.max(...own);
  return what === 'clusters' ? clustersPerPerson : bindingsPerPerson;
}
