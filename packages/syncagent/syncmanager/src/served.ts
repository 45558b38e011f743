import { type Client, type Resource, isNotFound } from '@hawser/client';

/**
 * Whether a virtual workspace serves a resource. Rejects without an answer: this does not mean no
 * (`spec/api-syncagent.md §17`, 16).
 */
export async function isServed(
  wildcard: Client,
  { group, version, resource }: Resource,
  signal: AbortSignal,
): Promise<boolean> {
  let answer: unknown;
  try {
    answer = await wildcard.raw('GET', group === '' ? `/api/${version}` : `/apis/${group}/${version}`, undefined, {
      signal,
    });
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
  const { resources } = (answer ?? {}) as { readonly resources?: unknown };
  return (
    Array.isArray(resources) &&
    resources.some((entry: unknown) => (entry as { readonly name?: unknown } | null)?.name === resource)
  );
}
