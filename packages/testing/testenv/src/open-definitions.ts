import { type StoredObject, isCustom, qualified } from './stored-object.js';

/**
 * CustomResourceDefinitions, with status subresource and an open schema, for the custom resources among `objects`
 * without a definition. Load them together with the objects to serve these.
 */
export function openDefinitions(objects: readonly StoredObject[]): StoredObject[] {
  const defined = new Set(
    objects
      .filter(({ resource }) => resource.resource === 'customresourcedefinitions')
      .map(({ object }) => (object['metadata'] as { name?: string }).name),
  );
  const definitions = new Map<string, StoredObject>();
  for (const { resource, object } of objects) {
    const name = qualified(resource);
    if (!isCustom(resource) || defined.has(name) || definitions.has(name)) continue;
    const namespaced = (object['metadata'] as { namespace?: string }).namespace !== undefined;
    definitions.set(
      name,
      definition(name, resource.group, resource.version, resource.resource, object['kind'] as string, namespaced),
    );
  }
  return [...definitions.values()];
}

function definition(
  name: string,
  group: string,
  version: string,
  plural: string,
  kind: string,
  namespaced: boolean,
): StoredObject {
  return {
    resource: { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' },
    object: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      // Set here: these objects go straight into etcd, past the server that would set them.
      metadata: { name, uid: crypto.randomUUID(), creationTimestamp: '2026-01-01T00:00:00Z', generation: 1 },
      spec: {
        group,
        names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
        scope: namespaced ? 'Namespaced' : 'Cluster',
        conversion: { strategy: 'None' },
        versions: [
          {
            name: version,
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
      status: { storedVersions: [version], conditions: [], acceptedNames: { kind: '', plural: '' } },
    },
  };
}
