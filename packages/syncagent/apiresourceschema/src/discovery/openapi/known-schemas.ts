import type { OpenAPINode } from './models.js';

// spec/api-syncagent.md §8.1. Types whose definitions say less, or more, than a CRD can.

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const apiextensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.';
const integerOrString = { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true };
const anything = { 'x-kubernetes-preserve-unknown-fields': true };

/** Definition name → its schema in a CRD. */
export const knownSchemas: ReadonlyMap<string, OpenAPINode> = new Map<string, OpenAPINode>([
  ['io.k8s.api.core.v1.Protocol', { type: 'string', default: 'TCP' }],
  [`${meta}ObjectMeta`, { type: 'object', ...anything }],
  [`${meta}Time`, { type: 'string', format: 'date-time' }],
  [`${meta}MicroTime`, { type: 'string', format: 'date-time' }],
  [`${meta}Duration`, { type: 'string' }],
  [`${meta}Fields`, { type: 'object', additionalProperties: true }],
  [`${meta}unstructured.Unstructured`, { type: 'object' }],
  [
    'io.k8s.apimachinery.pkg.api.resource.Quantity',
    {
      pattern: String.raw`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`,
      ...integerOrString,
    },
  ],
  ['io.k8s.apimachinery.pkg.runtime.RawExtension', { type: 'object' }],
  ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', integerOrString],
  [`${apiextensions}v1.JSON`, anything],
  [`${apiextensions}v1beta1.JSON`, anything],
  [`${apiextensions}v1.JSONSchemaProps`, {}],
]);

/** Defaults missing in definitions, by definition and field. */
export const knownDefaults: ReadonlyMap<string, string> = new Map([
  ['io.k8s.api.core.v1.ContainerPort.protocol', 'TCP'],
  ['io.k8s.api.core.v1.ServicePort.protocol', 'TCP'],
]);
