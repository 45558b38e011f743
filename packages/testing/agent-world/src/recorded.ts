import type { Objects } from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import type { StoredObject } from '@hawser/testenv';

const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' };

/**
 * Loads recorded objects into an in-process server, each with its status, namespaces first. Existing objects stay as
 * they are; leaves out Events and Leases.
 */
export function loadObjects(server: Objects, recorded: readonly StoredObject[]): void {
  const of = (wanted: boolean): readonly StoredObject[] =>
    recorded.filter(
      ({ resource }) =>
        (resource.resource === NAMESPACES.resource) === wanted && !['events', 'leases'].includes(resource.resource),
    );
  for (const one of [...of(true), ...of(false)]) load(server, one);
}

/**
 * Every object of a server with its version, by resource and name, but for `except`: equal results mean no write in
 * between.
 */
export function versionsOf(server: Objects, except: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(
    server
      .resources()
      .filter(({ resource }) => !except.includes(resource))
      .flatMap((resource) =>
        server.list(resource).map(({ metadata }) => {
          const {
            namespace = '',
            name,
            resourceVersion,
          } = metadata as { namespace?: string; name: string; resourceVersion: string };
          return [`${resource.resource}.${resource.group} ${namespace}/${name}`, resourceVersion];
        }),
      ),
  );
}

/** The writer of an object's content, as the object states it. */
function writerOf({ metadata }: JsonObject): { readonly fieldManager?: string } {
  const { managedFields = [] } = metadata as {
    managedFields?: readonly { manager: string; subresource?: string; fieldsV1?: object }[];
  };
  const main = managedFields.filter(({ subresource = '' }) => subresource === '');
  const fieldManager = (
    main.find(({ fieldsV1 = {} }) => Object.keys(fieldsV1).some((field) => field !== 'f:metadata')) ?? main[0]
  )?.manager;
  return fieldManager === undefined ? {} : { fieldManager };
}

function load(server: Objects, { resource, object }: StoredObject): void {
  const { namespace, name } = object['metadata'] as { namespace?: string; name: string };
  if (server.get(resource, { namespace: namespace ?? '', name }) !== undefined) return;
  if (namespace !== undefined)
    load(server, {
      resource: NAMESPACES,
      object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    });
  const created = server.create(
    resource,
    { ...object, metadata: { ...(object['metadata'] as JsonObject), resourceVersion: undefined } },
    writerOf(object),
  );
  if (object['status'] !== undefined && resource.group !== 'apiextensions.k8s.io')
    server.update(resource, { ...created, status: object['status'] }, { subresource: 'status' });
}
