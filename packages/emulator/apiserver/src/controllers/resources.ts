import type { ObjectKey } from '../parts.js';
import type { GroupResource } from '../status.js';

export const namespaces: GroupResource = { group: '', resource: 'namespaces' };
export const configMaps: GroupResource = { group: '', resource: 'configmaps' };
export const serviceAccounts: GroupResource = { group: '', resource: 'serviceaccounts' };
export const clusterRoles: GroupResource = { group: 'rbac.authorization.k8s.io', resource: 'clusterroles' };

export function isResource(a: GroupResource, b: GroupResource): boolean {
  return a.group === b.group && a.resource === b.resource;
}

/** One text per object and resource. No part of a name has a space. */
export function textOfKey({ namespace, name }: ObjectKey): string {
  return `${namespace} ${name}`;
}

export function keyOfText(text: string): ObjectKey {
  const [namespace = '', name = ''] = text.split(' ');
  return { namespace, name };
}
