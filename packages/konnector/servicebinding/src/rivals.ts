import type { APIServiceBinding } from '@hawser/kube-bind';

/** A binding and the resources (`<resource>.<group>`) that it wants, as far as known. */
export interface Claimant {
  readonly binding: APIServiceBinding;
  readonly wants: (resourceName: string) => boolean;
}

/**
 * The name of the oldest other binding that wants `resourceName` and is older than `binding`: by creation time, then by
 * name. Terminating bindings do not count.
 */
export function olderRival(
  binding: APIServiceBinding,
  resourceName: string,
  all: readonly Claimant[],
): string | undefined {
  let oldest: APIServiceBinding | undefined;
  for (const { binding: other, wants } of all) {
    if (other.metadata.name === binding.metadata.name || other.metadata.deletionTimestamp !== undefined) continue;
    if (!isOlder(other, oldest ?? binding) || !wants(resourceName)) continue;
    oldest = other;
  }
  return oldest?.metadata.name;
}

function isOlder(a: APIServiceBinding, b: APIServiceBinding): boolean {
  const [timeA, timeB] = [
    Date.parse(a.metadata.creationTimestamp ?? ''),
    Date.parse(b.metadata.creationTimestamp ?? ''),
  ];
  return timeA === timeB ? a.metadata.name < b.metadata.name : timeA < timeB;
}
