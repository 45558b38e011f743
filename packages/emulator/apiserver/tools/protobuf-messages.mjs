// Generates src/http/protobuf-messages.ts: field numbers of the built-in kinds' protobuf messages, from the
// generated.proto files of a Kubernetes release. Usage: node tools/protobuf-messages.mjs <k8s.io/api>
// <k8s.io/apimachinery>
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [api, machinery] = process.argv.slice(2);
const packages = {
  ...Object.fromEntries(
    ['core', 'rbac', 'coordination', 'events', 'authentication', 'authorization', 'autoscaling'].map((name) => [
      `k8s.io.api.${name}.v1`,
      join(api, name, 'v1'),
    ]),
  ),
  'k8s.io.apimachinery.pkg.apis.meta.v1': join(machinery, 'pkg/apis/meta/v1'),
};
const kinds = {
  v1: ['core', 'Namespace', 'Secret', 'ConfigMap', 'ServiceAccount', 'Event'],
  'coordination.k8s.io/v1': ['coordination', 'Lease'],
  'events.k8s.io/v1': ['events', 'Event'],
  'autoscaling/v1': ['autoscaling', 'Scale'],
  'rbac.authorization.k8s.io/v1': ['rbac', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'],
  'authentication.k8s.io/v1': ['authentication', 'TokenReview', 'TokenRequest', 'SelfSubjectReview'],
  'authorization.k8s.io/v1': [
    'authorization',
    'SubjectAccessReview',
    'SelfSubjectAccessReview',
    'LocalSubjectAccessReview',
    'SelfSubjectRulesReview',
  ],
};
const scalars = ['string', 'bool', 'int32', 'int64', 'bytes', 'double', 'uint32'];
const messages = {};

for (const [name, folder] of Object.entries(packages)) {
  const source = readFileSync(join(folder, 'generated.proto'), 'utf8').replace(/\/\/.*/g, '');
  const resolve = (type) => (type.startsWith('.') ? type.slice(1) : scalars.includes(type) ? type : `${name}.${type}`);
  for (const [, message, body] of source.matchAll(/message (\w+) \{([\s\S]*?)\n\}/g)) {
    const fields = {};
    for (const [, label, , value, plain, field, number] of body.matchAll(
      /(optional|repeated|required)?\s*(map<\w+, ([\w.]+)>|([\w.]+)) (\w+) = (\d+);/g,
    )) {
      const type = value === undefined ? resolve(plain) : resolve(value);
      fields[number] = {
        name: field === 'uID' ? 'uid' : field,
        prefix: value !== undefined ? '%' : label === 'repeated' ? '*' : '',
        type,
      };
    }
    messages[`${name}.${message}`] = fields;
  }
}

const short = (name) => (scalars.includes(name) ? name : `${name.split('.').at(-3)}.${name.split('.').at(-1)}`);
const roots = Object.entries(kinds).flatMap(([apiVersion, [name, ...all]]) =>
  all.map((kind) => [`${apiVersion}/${kind}`, `k8s.io.api.${name}.v1.${kind}`]),
);
for (const apiVersion of ['meta.k8s.io/v1', 'v1'])
  roots.push([`${apiVersion}/DeleteOptions`, 'k8s.io.apimachinery.pkg.apis.meta.v1.DeleteOptions']);
const needed = new Set();
const collect = (name) => {
  if (needed.has(name) || messages[name] === undefined) return;
  needed.add(name);
  for (const field of Object.values(messages[name])) collect(field.type);
};
for (const [, name] of roots) collect(name);

const lines = [...needed]
  .sort((a, b) => (short(a) < short(b) ? -1 : 1))
  .map((name) => {
    const fields = Object.entries(messages[name]).map(
      ([number, { name: field, prefix, type }]) => `${number}: ['${field}', '${prefix}${short(type)}']`,
    );
    return `  '${short(name)}': ${fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`},`;
  });
writeFileSync(
  join(import.meta.dirname, '../src/http/protobuf-messages.ts'),
  `/**
 * Field numbers of the protobuf messages of the built-in kinds, from the \`generated.proto\` files of Kubernetes 1.36.3, by \`tools/protobuf-messages.mjs\`.
 * \`*\` before a type: a list; \`%\`: a map of strings to it.
 */
export const messages: Readonly<Record<string, Readonly<Record<number, readonly [name: string, type: string]>>>> = {
${lines.join('\n')}
};

/** The message of a kind, by \`apiVersion/kind\`. */
export const messageOf: Readonly<Record<string, string>> = {
${roots.map(([kind, name]) => `  '${kind}': '${short(name)}',`).join('\n')}
};
`,
);
