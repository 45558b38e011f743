import { type Client, type KubeObject, type ListOptions, type Resource, isNotFound, listAll } from '@hawser/client';

/** Lists all objects of a resource; none if the cluster does not serve it. */
export async function listServed<T extends KubeObject>(
  client: Client,
  resource: Resource,
  options: ListOptions,
): Promise<readonly T[]> {
  try {
    return await listAll<T>(client, resource, options);
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

/** Runs `each` on all items, some at a time; throws the first error after all have been tried. */
export async function forEach<T>(items: readonly T[], each: (item: T) => Promise<void>, atOnce = 16): Promise<void> {
  const errors: unknown[] = [];
  for (let at = 0; at < items.length; at += atOnce) {
    const outcomes = await Promise.allSettled(items.slice(at, at + atOnce).map(each));
    for (const outcome of outcomes) if (outcome.status === 'rejected') errors.push(outcome.reason);
  }
  if (errors.length > 0) throw errors[0];
}
