import type { JsonObject } from '@hawser/json';
import type { ResourceInfo } from '../parts.js';
import { kindSchema, listSchema, modelName } from './openapi-models.js';
import { openApiPaths } from './openapi-paths.js';
import { machinerySchemas, referenced } from './machinery-schemas.js';

/** The OpenAPI 3 document of one group version. */
export function openApiDocument(resources: readonly ResourceInfo[], kubernetesVersion: string): JsonObject {
  const isCustom = resources.some(({ builtIn }) => !builtIn);
  const own: Record<string, JsonObject> = {};
  for (const resource of resources) {
    own[modelName(resource, resource.kind)] = kindSchema(resource);
    if (resource.verbs.includes('list')) own[modelName(resource, resource.listKind)] = listSchema(resource);
  }
  const paths = Object.fromEntries(resources.flatMap(openApiPaths).sort(([a], [b]) => (a < b ? -1 : 1)));
  const schemas = { ...own, ...referenced({ paths, own }, machinerySchemas) };
  return {
    openapi: '3.0.0',
    info: isCustom
      ? { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' }
      : { title: 'Kubernetes', version: `v${kubernetesVersion}` },
    paths,
    components: { schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))) },
  };
}
