import type { GroupResource } from '@hawser/apiserver';

export const isResource = (a: GroupResource, b: GroupResource): boolean =>
  a.resource === b.resource && a.group === b.group;
