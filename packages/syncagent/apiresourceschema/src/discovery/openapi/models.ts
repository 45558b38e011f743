import { type Client, isNotFound } from '@hawser/client';
import { isRecord } from '@hawser/crd';

/** A node of an OpenAPI document. */
export type OpenAPINode = Readonly<Record<string, unknown>>;

/** The definitions of an OpenAPI document by name, with references in one form. */
export type Models = ReadonlyMap<string, OpenAPINode>;

/**
 * Loads the definitions of one version of a group: from OpenAPI v3, with one document per version, or else v2, with one
 * for the whole cluster. Both give the same CRDs.
 */
export async function modelsOf(
  client: Pick<Client, 'raw'>,
  group: string,
  version: string,
  signal: AbortSignal | undefined,
): Promise<Models> {
  const path =
    group === ''
      ? `/openapi/v3/api/${version}`
      : `/openapi/v3/apis/${encodeURIComponent(group)}/${encodeURIComponent(version)}`;
  try {
    return modelsOfDocument(await client.raw('GET', path, undefined, { signal }));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return modelsOfDocument(await client.raw('GET', '/openapi/v2', undefined, { signal }));
  }
}

/** The definitions of a document of either version. */
export function modelsOfDocument(document: unknown): Models {
  const components = isRecord(document) ? document['components'] : undefined;
  const definitions =
    (isRecord(components) ? components['schemas'] : undefined) ??
    (isRecord(document) ? document['definitions'] : undefined);
  return new Map(
    Object.entries(isRecord(definitions) ? definitions : {}).flatMap(([name, node]) =>
      isRecord(node) ? [[name, node] as const] : [],
    ),
  );
}

/** The name of the definition of a kind. */
export function modelNameOf(models: Models, group: string, version: string, kind: string): string | undefined {
  for (const [name, node] of models) {
    const kinds = node['x-kubernetes-group-version-kind'];
    if (
      Array.isArray(kinds) &&
      kinds.some((one) => isRecord(one) && one['group'] === group && one['version'] === version && one['kind'] === kind)
    )
      return name;
  }
  return undefined;
}

/**
 * The name of the definition that a node refers to. In v3 a reference with a description or a default is in an `allOf`,
 * because a reference has no siblings.
 */
export function referenceOf(node: OpenAPINode): string | undefined {
  const { $ref, allOf } = node;
  if (typeof $ref === 'string')
    return /^#\/(?:definitions|components\/schemas)\/(?<name>.+)$/u.exec($ref)?.groups?.['name'];
  const only: unknown = Array.isArray(allOf) && allOf.length === 1 ? allOf[0] : undefined;
  return isRecord(only) && node['type'] === undefined && node['properties'] === undefined
    ? referenceOf(only)
    : undefined;
}
