import { type Client, type ObjectKey, type Resource, isNotFound } from '@hawser/client';
import type { Terminal } from '@hawser/commands';
import { resourceGroupName } from '@hawser/kube-bind';

/** What is to be tried again, and by whom. */
export interface Retry {
  readonly resource: Resource;
  readonly key: ObjectKey;
  /** In words. */
  readonly what: string;
  /** The command that shows what became of it. */
  readonly why: string;
  readonly who: 'konnector' | 'agent';
  /** The cluster that it is in, in words. */
  readonly where: string;
  /** In which the running program looks for the time. */
  readonly annotation: string;
}

/** Writes the time into the annotation, or says what would be written. Resolves to the exit code. */
export async function askForRetry(
  client: Client,
  { resource, key, what, why, who, where, annotation }: Retry,
  { at, dryRun }: { readonly at: string; readonly dryRun: boolean },
  { out, err, signal }: Terminal,
): Promise<number> {
  try {
    await client.patch(
      resource,
      key,
      { type: 'merge', patch: { metadata: { annotations: { [annotation]: at } } } },
      { dryRun, signal },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
    err(`There is no ${what} on the ${where}.`);
    return 1;
  }
  out(
    dryRun
      ? `This would be written: kubectl annotate ${resource.group === '' ? resource.resource : resourceGroupName(resource)} ${key.name}${key.namespace === undefined ? '' : ` -n ${key.namespace}`} --overwrite ${annotation}=${at}`
      : `The ${who} tries ${what} again now. What became of it: ${why}`,
  );
  return 0;
}
