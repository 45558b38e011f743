import type { UserInfo } from '../parts.js';

/** Well-known names of Kubernetes (apiserver `authentication/user`). */
export const anonymousName = 'system:anonymous';
export const authenticatedGroup = 'system:authenticated';
export const unauthenticatedGroup = 'system:unauthenticated';
export const mastersGroup = 'system:masters';
export const nodesGroup = 'system:nodes';

/** Adds the group of all authenticated users. */
export function authenticated(user: UserInfo): UserInfo {
  if (user.name === anonymousName || user.groups.includes(authenticatedGroup)) return user;
  return { ...user, groups: [...user.groups, authenticatedGroup] };
}

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

const prefix = 'system:serviceaccount:';
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

export function serviceAccountUsername({ namespace, name }: ServiceAccountName): string {
  return `${prefix}${namespace}:${name}`;
}

/** The ServiceAccount of a user name; `undefined` for any other name. */
export function parseServiceAccountUsername(username: string): ServiceAccountName | undefined {
  if (!username.startsWith(prefix)) return undefined;
  const [namespace = '', name = '', ...rest] = username.slice(prefix.length).split(':');
  return rest.length === 0 && label.test(namespace) && subdomain.test(name) ? { namespace, name } : undefined;
}

export function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}
