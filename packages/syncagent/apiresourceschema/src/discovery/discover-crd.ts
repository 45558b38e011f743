import { isNotFound } from '@hawser/client';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';
import { cleanCRD } from './clean-crd.js';
import { findResource, type GroupKind, type Reader, type ServedResource } from './find-resource.js';
import { type Models, modelsOf } from './openapi/models.js';
import { synthesisedCRD } from './synthesise.js';

export interface DiscoverOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * The CRD of a kind, for callers that have all of them, from an informer: saves the requests for types with a CRD.
   */
  readonly installed?: ((wanted: GroupKind) => CustomResourceDefinition | undefined) | undefined;
}

/**
 * Finds the CRD of a kind, cleaned up: the installed one, or one synthesised from discovery and OpenAPI for built-in
 * and aggregated types (spec/api-syncagent.md §8). Requests only the kind's API group, so broken other groups do not
 * matter.
 * @throws {DiscoveryError} if there is no such type, or none that can be described; and an `ApiError` for what the API
 * server answers otherwise.
 */
export async function discoverCRD(
  client: Reader,
  wanted: GroupKind,
  { signal, installed }: DiscoverOptions = {},
): Promise<CustomResourceDefinition> {
  const known = installed?.(wanted);
  if (known !== undefined) return cleanCRD(known);
  const resource = await findResource(client, wanted, { signal });
  const crd = await installedCRD(client, resource, signal);
  if (crd !== undefined) return cleanCRD(crd);
  const models = await Promise.all(
    [...resource.versions.keys()].map(async (version): Promise<[string, Models]> => [
      version,
      await modelsOf(client, resource.group, version, signal),
    ]),
  );
  return synthesisedCRD(resource, new Map(models));
}

async function installedCRD(
  client: Reader,
  { group, plural }: ServedResource,
  signal: AbortSignal | undefined,
): Promise<CustomResourceDefinition | undefined> {
  // The core API has no CRDs.
  if (group === '') return undefined;
  try {
    return await client.get<CustomResourceDefinition>(
      customResourceDefinitions,
      { name: `${plural}.${group}` },
      { signal },
    );
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
