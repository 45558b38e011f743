import type { JsonObject } from '@hawser/json';
import { objectField, stringsField } from '../object/json.js';
import { isDeleting, metaOf } from '../object/meta.js';
import type { Controller, ServerHost } from '../parts.js';
import { StatusError } from '../status.js';
import { type Remaining, withConditions } from './namespace-conditions.js';
import { objectController } from './object-controller.js';
import { isResource, namespaces } from './resources.js';

const finalizer = 'kubernetes';

/** Empties namespaces that are being deleted, reports in their status what is left, and removes empty ones. */
export function namespaceController(host: ServerHost): Controller {
  return objectController(host, {
    name: 'namespace-controller',
    all: () =>
      host.objects
        .list(namespaces)
        .filter(isDeleting)
        .map((namespace) => metaOf(namespace).name ?? ''),
    concerned: ({ type, resource, key, object }) => {
      if (isResource(resource, namespaces)) return type !== 'DELETED' && isDeleting(object) ? [key.name] : [];
      if (key.namespace === '') return [];
      const namespace = host.objects.get(namespaces, { namespace: '', name: key.namespace });
      return namespace !== undefined && isDeleting(namespace) ? [key.namespace] : [];
    },
    work: (name) => {
      sync(host, name);
    },
  });
}

function sync(host: ServerHost, name: string): void {
  const namespace = host.objects.get(namespaces, { namespace: '', name });
  if (
    namespace === undefined ||
    !isDeleting(namespace) ||
    !stringsField(objectField(namespace, 'spec'), 'finalizers').includes(finalizer)
  )
    return;
  const remaining = deleteContent(host, name);
  let current: JsonObject | undefined = host.objects.get(namespaces, { namespace: '', name }) ?? namespace;
  const updated = withConditions(current, remaining, host.timestamp());
  if (updated !== current) current = host.objects.update(namespaces, updated, { subresource: 'status' });
  if (remaining.resources.size > 0 || remaining.errors.length > 0) return;
  const spec = objectField(current, 'spec') ?? {};
  host.objects.update(
    namespaces,
    {
      ...current,
      spec: { ...spec, finalizers: stringsField(spec, 'finalizers').filter((each) => each !== finalizer) },
    },
    { subresource: 'finalize' },
  );
}

/** Deletes everything in a namespace; objects with finalizers remain. */
function deleteContent(host: ServerHost, namespace: string): Remaining {
  const resources = new Map<string, number>();
  const finalizers = new Map<string, number>();
  const errors: string[] = [];
  for (const resource of host.objects.resources()) {
    if (!resource.namespaced) continue;
    for (const object of host.objects.list(resource, namespace)) {
      const { name = '', uid = '' } = metaOf(object);
      try {
        if (!isDeleting(object))
          host.objects.delete(resource, { namespace, name }, { uid, propagationPolicy: 'Background' });
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        if (error.code !== 404) errors.push(error.message);
      }
    }
    const left = host.objects.list(resource, namespace);
    if (left.length > 0) resources.set(`${resource.resource}.${resource.group}`, left.length);
    for (const each of left.flatMap((object) => metaOf(object).finalizers ?? []))
      finalizers.set(each, (finalizers.get(each) ?? 0) + 1);
  }
  return { resources, finalizers, errors };
}
