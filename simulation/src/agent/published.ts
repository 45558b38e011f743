/** The service owner's publication: an API whose objects have a Secret each. */
export const crontabs = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'crontabs.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', listKind: 'CronTabList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  workspace: { type: 'string' },
                  object: { type: 'integer' },
                  value: { type: 'integer' },
                  secretName: { type: 'string' },
                },
              },
              status: { type: 'object', properties: { value: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
};

/** The same with later fields. */
export function withFields(fields: number): typeof crontabs {
  const copy = structuredClone(crontabs);
  const [version] = copy.spec.versions;
  const extras = Object.fromEntries(Array.from({ length: fields }, (_, at) => [`extra${at}`, { type: 'integer' }]));
  Object.assign(version?.schema.openAPIV3Schema.properties.spec.properties ?? {}, extras);
  return copy;
}

export const published = {
  apiVersion: 'syncagent.kcp.io/v1alpha1',
  kind: 'PublishedResource',
  metadata: { name: 'crontabs' },
  spec: {
    resource: { apiGroup: 'example.com', kind: 'CronTab', version: 'v1' },
    related: [
      {
        identifier: 'connection',
        origin: 'service',
        kind: 'Secret',
        cleanup: true,
        object: { reference: { path: 'spec.secretName' } },
        watch: { bySelector: {} },
      },
    ],
  },
};
