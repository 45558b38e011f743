import type { JsonObject } from '@hawser/json';
import { apiVersionOf } from '../object/meta.js';
import type { ResourceInfo, SubresourceInfo } from '../parts.js';
import { meta, ref } from './machinery-schemas.js';
import { gvkOf, modelName } from './openapi-models.js';

/** Paths of one resource with their operations; enough for clients that look for kinds, parameters and schemas. */
export function openApiPaths(resource: ResourceInfo): readonly (readonly [string, JsonObject])[] {
  const root =
    resource.group === '' ? `/api/${resource.version}` : `/apis/${apiVersionOf(resource.group, resource.version)}`;
  const collection = `${root}/${resource.namespaced ? 'namespaces/{namespace}/' : ''}${resource.resource}`;
  const scope = resource.namespaced ? [pathParameter('namespace')] : [];
  const object = ref(modelName(resource, resource.kind));
  const list = ref(modelName(resource, resource.listKind));
  const has = (verb: string): boolean => resource.verbs.includes(verb);
  const of = (action: string, answer: JsonObject, more: JsonObject = {}): JsonObject =>
    operation(action, gvkOf(resource, resource.kind), answer, more);
  const onAll = methods([
    ['get', has('list'), of('list', list, { parameters: listParameters })],
    ['post', has('create'), of('post', object, { parameters: writeParameters, requestBody: body(['*/*'], object) })],
    ['delete', has('deletecollection'), of('deletecollection', ref(meta('Status')), { parameters: listParameters })],
  ]);
  const onOne = methods([
    ['get', has('get'), of('get', object)],
    ['put', has('update'), of('put', object, { parameters: writeParameters, requestBody: body(['*/*'], object) })],
    [
      'patch',
      has('patch'),
      of('patch', object, {
        parameters: [...writeParameters, force],
        requestBody: body(patchTypes(resource), ref(meta('Patch'))),
      }),
    ],
    [
      'delete',
      has('delete'),
      of('delete', ref(meta('Status')), {
        parameters: deleteParameters,
        requestBody: body(['*/*'], ref(meta('DeleteOptions'))),
      }),
    ],
  ]);
  const paths: [string, JsonObject][] = [];
  if (onAll !== undefined) paths.push([collection, { ...onAll, parameters: scope }]);
  if (resource.namespaced && has('list'))
    paths.push([`${root}/${resource.resource}`, { get: of('list', list), parameters: listParameters }]);
  if (onOne !== undefined)
    paths.push([`${collection}/{name}`, { ...onOne, parameters: [pathParameter('name'), ...scope] }]);
  for (const subresource of resource.subresources)
    paths.push([
      `${collection}/{name}/${subresource.name}`,
      { ...onSubresource(resource, subresource), parameters: [pathParameter('name'), ...scope] },
    ]);
  return paths;
}

function onSubresource(resource: ResourceInfo, { group, version, kind, verbs }: SubresourceInfo): JsonObject {
  const isOwn = group === resource.group && version === resource.version;
  const schema = isOwn
    ? ref(modelName(resource, kind))
    : kind === 'Scale'
      ? ref('io.k8s.api.autoscaling.v1.Scale')
      : { type: 'object' };
  // Scales of custom resources appear as the custom kind.
  const gvk = resource.builtIn ? { group, kind, version } : gvkOf(resource, resource.kind);
  const of = (action: string, more: JsonObject = {}): JsonObject => operation(action, gvk, schema, more);
  return (
    methods([
      ['get', verbs.includes('get'), of('get')],
      ['put', verbs.includes('update'), of('put', { parameters: writeParameters, requestBody: body(['*/*'], schema) })],
      [
        'patch',
        verbs.includes('patch'),
        of('patch', {
          parameters: [...writeParameters, force],
          requestBody: body(patchTypes(resource), ref(meta('Patch'))),
        }),
      ],
      [
        'post',
        verbs.includes('create'),
        of('post', { parameters: writeParameters, requestBody: body(['*/*'], schema) }),
      ],
    ]) ?? {}
  );
}

function methods(entries: readonly (readonly [string, boolean, JsonObject])[]): JsonObject | undefined {
  const served = entries.filter(([, isServed]) => isServed).map(([method, , each]) => [method, each] as const);
  return served.length === 0 ? undefined : Object.fromEntries(served);
}

function operation(action: string, gvk: JsonObject, answer: JsonObject, more: JsonObject): JsonObject {
  const responses = {
    200: { description: 'OK', content: { 'application/json': { schema: answer } } },
    401: { description: 'Unauthorized' },
  };
  return { ...more, responses, 'x-kubernetes-action': action, 'x-kubernetes-group-version-kind': gvk };
}

function body(types: readonly string[], schema: JsonObject): JsonObject {
  return { content: Object.fromEntries(types.map((type) => [type, { schema }])), required: true };
}

function patchTypes({ builtIn }: ResourceInfo): readonly string[] {
  const all = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json'];
  return builtIn ? [...all, 'application/strategic-merge-patch+json'] : all;
}

const parameter = (name: string, type: string): JsonObject => ({
  name,
  in: 'query',
  schema: { type, uniqueItems: true },
});
const pathParameter = (name: string): JsonObject => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', uniqueItems: true },
});

const writeParameters = [
  parameter('dryRun', 'string'),
  parameter('fieldManager', 'string'),
  parameter('fieldValidation', 'string'),
];
const force = parameter('force', 'boolean');
const deleteParameters = [
  parameter('dryRun', 'string'),
  parameter('gracePeriodSeconds', 'integer'),
  parameter('propagationPolicy', 'string'),
];
const listParameters = [
  parameter('allowWatchBookmarks', 'boolean'),
  parameter('continue', 'string'),
  parameter('fieldSelector', 'string'),
  parameter('labelSelector', 'string'),
  parameter('limit', 'integer'),
  parameter('resourceVersion', 'string'),
  parameter('resourceVersionMatch', 'string'),
  parameter('sendInitialEvents', 'boolean'),
  parameter('timeoutSeconds', 'integer'),
  parameter('watch', 'boolean'),
];
