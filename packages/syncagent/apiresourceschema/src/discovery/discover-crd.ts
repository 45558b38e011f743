import { isNotFound } from '@hawser/client';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';
import { cleanCRD } from './clean-crd.js';
import { findResource, type GroupKind, type Reader, type ServedResource } from './find-resource.js';
import { type Models, modelsOf } from './openapi/models.js';
import { synthesisedCRD } from './synthesise.js';

export interface DiscoverOptions {
  readonly signal?: AbortSignal | undefined;
  /** The CRD of a kind, where the caller has all of them at hand, as from an informer: then nothing is asked for a type that has one. */
  readonly installed?: ((wanted: GroupKind) => CustomResourceDefinition | undefined) | undefined;
}

/**
 * The CRD of a kind, cleaned up: the installed one, or else one that is made of what discovery and OpenAPI say, for types that are built in or aggregated (spec/api-syncagent.md §8). Only the API
 * group of the kind is asked; one that is broken elsewhere does not matter.
 * @throws {DiscoveryError} if there is no such type, or none that can be described; and an `ApiError` for what the API server answers otherwise.
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
  // No CRD can be of the core API.
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
