import type { PublishedKinds } from '@hawser/syncagent-sync';

/** Name of the CRD on the service cluster, if it exists. */
export function definitionName({
  service: {
    resource: { group, resource },
  },
}: PublishedKinds): string {
  return `${resource}.${group}`;
}
