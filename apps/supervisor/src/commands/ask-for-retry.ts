import { type Client, type ObjectKey, type Resource, isNotFound } from '@hawser/client';
import type { Terminal } from '@hawser/commands';
import { resourceGroupName } from '@hawser/kube-bind';

/** What to retry, and how to follow it. */
export interface Retry {
  readonly resource: Resource;
  readonly key: ObjectKey;
  /** For messages. */
  readonly what: string;
  /** The command that shows the outcome. */
  readonly why: string;
  readonly who: 'konnector' | 'agent';
  /** Its cluster, for messages. */
  readonly where: string;
  /** The annotation that the running program reads. */
  readonly annotation: string;
}

/** Writes the time into the annotation, or says what it would write. Resolves to the exit code. */
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
