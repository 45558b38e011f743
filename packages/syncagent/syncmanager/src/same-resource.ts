import type { PublishedKinds } from '@hawser/syncagent-sync';

/** Whether both are one resource in kcp, in any version. */
export function isSameResource(
  { kcp: { resource: a } }: PublishedKinds,
  { kcp: { resource: b } }: PublishedKinds,
): boolean {
  return a.group === b.group && a.resource === b.resource;
}
