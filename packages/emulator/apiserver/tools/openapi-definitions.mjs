// Generates src/registry/builtin/definitions.ts: types of the served built-in kinds, from the OpenAPI documents of a
// Kubernetes release, without descriptions. Usage: node tools/openapi-definitions.mjs <kubernetes>/api/openapi-spec/v3
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
const documents = {
  api__v1: ['Namespace', 'Secret', 'ConfigMap', 'ServiceAccount', 'Event'],
  'apis__coordination.k8s.io__v1': ['Lease'],
  'apis__rbac.authorization.k8s.io__v1': ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'],
  'apis__apiextensions.k8s.io__v1': ['CustomResourceDefinition'],
  'apis__events.k8s.io__v1': ['Event'],
  'apis__authentication.k8s.io__v1': ['TokenReview', 'TokenRequest', 'SelfSubjectReview'],
  'apis__authorization.k8s.io__v1': [
    'SubjectAccessReview',
    'SelfSubjectAccessReview',
    'LocalSubjectAccessReview',
    'SelfSubjectRulesReview',
  ],
  apis__apps__v1: ['Scale'],
};
const extra = ['io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions'];
const kept = new Set([
  'type',
  'format',
  'properties',
  'items',
  'additionalProperties',
  'required',
  'default',
  '$ref',
  'nullable',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-int-or-string',
  'x-kubernetes-group-version-kind',
]);
const definitions = {};

function reduce(schema, all) {
  if (schema.allOf?.length === 1) {
    const { allOf, ...rest } = schema;
    return reduce({ ...allOf[0], ...rest }, all);
  }
  const out = {};
  for (const [key, value] of Object.entries(schema)) {
    if (!kept.has(key)) continue;
    if (key === 'properties')
      out.properties = Object.fromEntries(
        Object.entries(value).map(([name, property]) => [name, reduce(property, all)]),
      );
    else if (key === 'items' || (key === 'additionalProperties' && typeof value === 'object'))
      out[key] = reduce(value, all);
    else if (key === '$ref') {
      const name = value.slice('#/components/schemas/'.length);
      collect(name, all);
      out.$ref = name;
    } else if (key === 'x-kubernetes-group-version-kind') {
      if (value.length === 1) out[key] = value;
    } else if (key === 'default' && typeof value === 'object' && value !== null && Object.keys(value).length === 0)
      continue;
    else out[key] = value;
  }
  return out;
}

function collect(name, all) {
  if (definitions[name] !== undefined) return;
  definitions[name] = {};
  definitions[name] = reduce(all[name], all);
}

for (const [file, kinds] of Object.entries(documents)) {
  const all = JSON.parse(readFileSync(join(folder, `${file}_openapi.json`), 'utf8')).components.schemas;
  for (const name of Object.keys(all)) {
    const kind = name.split('.').at(-1);
    const gvks = all[name]['x-kubernetes-group-version-kind'] ?? [];
    if ((kinds.includes(kind) && gvks.length === 1) || extra.includes(name)) collect(name, all);
  }
}
const lines = Object.keys(definitions)
  .sort()
  .map((name) => `  '${name}': ${JSON.stringify(definitions[name])},`);
writeFileSync(
  join(import.meta.dirname, '../src/registry/builtin/definitions.ts'),
  `import type { OpenApiSchema } from './openapi-schema.js';

/** Types of the built-in kinds, from the OpenAPI documents of Kubernetes 1.36.3 by \`tools/openapi-definitions.mjs\`. Without descriptions. */
export const definitions: Readonly<Record<string, OpenApiSchema>> = {
${lines.join('\n')}
};
`,
);
