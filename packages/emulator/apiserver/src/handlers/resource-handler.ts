import { type JsonObject, stringify } from '@hawser/json';
import { textOfStored } from '../object/json.js';
import { keyOf, metaOf, timestampOf, withMeta } from '../object/meta.js';
import { isPrint } from '../object/validate-meta.js';
import type { Subresource } from '../registry/resource-type.js';
import type { DeleteOutcome, WriteRequest } from '../registry/write-request.js';
import type { Entry } from '../store/change.js';
import { badRequest, conflict, methodNotSupported, notFound, timeoutTooLargeResourceVersion } from '../status.js';
import type { Answer } from './answer.js';
import { checkBodySize, decodeBody } from './body.js';
import { type ResourceRequest, header, namespaceOf } from './context.js';
import { deleteOptionsOf } from './delete-options.js';
import { listObjects, parseRevisionOrFail } from './list.js';
import { negotiate } from './media-type.js';
import { type WriteOptions, listOptions, writeOptions } from './options.js';
import { appliedConfiguration, checkIdentity, patchTypeOf, patched } from './patch.js';
import { Representer, tableOptions } from './represent.js';
import { scaleForUpdate, scaleOf, scaleVersion, withScale } from './scale.js';
import { ResourceWatch } from './watch.js';
import { stringifyYaml } from './yaml.js';

/** Handles a request for a served resource or subresource. Throws StatusError. */
export function handleResource(request: ResourceRequest): Answer {
  const { info, version, type } = request;
  const subresource = info.subresource === '' ? undefined : version.subresources.get(info.subresource);
  const resource = { group: version.group, resource: type.resource };
  if (info.subresource !== '' && subresource === undefined) throw notFound(resource, info.name);
  if (subresource !== undefined && !subresource.verbs.includes(info.verb))
    throw methodNotSupported(resource, info.verb);
  switch (info.verb) {
    case 'get':
      return getObject(request, subresource);
    case 'list':
      return list(request);
    case 'watch':
      return watch(request);
    case 'create':
      return create(request);
    case 'update':
      return update(request, subresource);
    case 'patch':
      return patch(request, subresource);
    case 'delete':
      return deleteOne(request);
    case 'deletecollection':
      return deleteCollection(request);
    default:
      throw methodNotSupported(resource, info.verb);
  }
}

function representer(request: ResourceRequest): Representer {
  const { representation } = negotiate(header(request.request, 'accept'));
  const table =
    representation.kind === 'table'
      ? tableOptions(request.info.query)
      : { includeObject: 'Metadata' as const, headers: true };
  return new Representer(request.type, request.version, representation, table, () => request.host.clock.now());
}

function answer(request: ResourceRequest, status: number, body: JsonObject): Answer {
  const { format, pretty } = negotiate(header(request.request, 'accept'));
  if (format === 'yaml')
    return { kind: 'whole', status, headers: { 'content-type': 'application/yaml' }, body: stringifyYaml(body) };
  const text =
    pretty || isPretty(request) ? JSON.stringify(JSON.parse(stringify(body)), undefined, 2) : `${textOfStored(body)}\n`;
  return { kind: 'whole', status, headers: { 'content-type': 'application/json' }, body: text };
}

const isPretty = ({ info }: ResourceRequest): boolean =>
  ['true', '1', 't'].includes((info.query.get('pretty') ?? '').toLowerCase());

function getObject(request: ResourceRequest, subresource: Subresource | undefined): Answer {
  const { host, type, version, info } = request;
  const represented = representer(request);
  const wanted = parseRevisionOrFail(info.query.get('resourceVersion') ?? '');
  if (wanted > host.store.revision) throw timeoutTooLargeResourceVersion(wanted, host.store.revision);
  const entry = entryOf(request);
  if (entry === undefined) throw notFound({ group: version.group, resource: type.resource }, info.name);
  const object = version.codec.fromStorage(entry.object);
  return answer(
    request,
    200,
    subresource?.kind === 'scale' ? scaleOf(object, subresource.paths) : represented.object(object),
  );
}

function entryOf({ host, type, info, staleRevision }: ResourceRequest): Entry | undefined {
  const namespace = type.namespaced ? info.namespace : '';
  if (
    staleRevision === undefined ||
    info.query.get('resourceVersion') !== '0' ||
    staleRevision < host.store.compactedRevision
  )
    return host.storage.entry(type, namespace, info.name);
  const key = keyOf(namespace, info.name);
  for (const entry of host.store.rangeAt(type.bucket, Math.min(staleRevision, host.store.revision), key))
    if (entry.key === key) return entry;
  return undefined;
}

function list(request: ResourceRequest): Answer {
  const represented = representer(request);
  const options = selectedByName(
    request,
    listOptions(request.info.query, false, (label) => request.version.fields.convert(label)),
  );
  const { objects, meta } = listObjects(request, options);
  return answer(request, 200, represented.list(objects, meta));
}

function watch(request: ResourceRequest): Answer {
  const represented = representer(request);
  const options = selectedByName(
    request,
    listOptions(request.info.query, true, (label) => request.version.fields.convert(label)),
  );
  const stream = new ResourceWatch(request, options, represented);
  return { kind: 'stream', status: 200, headers: { 'content-type': 'application/json' }, stream };
}

/** A name in the path of a watch acts as a selector. */
function selectedByName<T extends { readonly fields: { exact(field: string): string | undefined } }>(
  request: ResourceRequest,
  options: T,
): T {
  const { name } = request.info;
  const selected = options.fields.exact('metadata.name');
  if (name !== '' && selected !== undefined && selected !== name)
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  return options;
}

function writeRequest(
  request: ResourceRequest,
  options: WriteOptions,
  subresource: Subresource | undefined,
): WriteRequest {
  const { host, type, version, info, user, warnings } = request;
  const part = subresource?.kind === 'object' ? subresource : version;
  return {
    type,
    version,
    strategy: part.strategy,
    ownership: part.ownership,
    subresource: info.subresource,
    namespace: namespaceOf(request),
    dryRun: options.dryRun,
    manager: options.fieldManager === '' ? managerOf(header(request.request, 'user-agent')) : options.fieldManager,
    user,
    warn: (text) => {
      warnings.push(text);
    },
    authorizeCreate(name) {
      const attributes = {
        user,
        verb: 'create',
        isResourceRequest: true,
        path: info.path,
        namespace: info.namespace,
        apiGroup: info.apiGroup,
        apiVersion: info.apiVersion,
        resource: info.resource,
        subresource: info.subresource,
        name,
      };
      const decision = host.authorize(attributes);
      if (!decision.allowed) throw host.forbidden(attributes, decision.reason);
    },
  };
}

/** The user agent up to its first slash. */
function managerOf(userAgent: string): string {
  let manager = '';
  for (const char of userAgent.split('/')[0] ?? '') {
    if (!isPrint(char)) continue;
    if (Buffer.byteLength(manager + char) > 128) break;
    manager += char;
  }
  return manager;
}

function create(request: ResourceRequest): Answer {
  const represented = representer(request);
  const options = writeOptions(request.info.query, 'CreateOptions');
  const body = decodeBody(request, request.version, options.fieldValidation);
  return answer(
    request,
    201,
    represented.object(request.host.storage.create(writeRequest(request, options, undefined), body)),
  );
}

function update(request: ResourceRequest, subresource: Subresource | undefined): Answer {
  const { host, info, type } = request;
  const represented = representer(request);
  const options = writeOptions(info.query, 'UpdateOptions');
  const write = writeRequest(request, options, subresource);
  const namespace = namespaceOf(request);
  if (subresource?.kind === 'scale') {
    const scale = decodeBody(request, scaleVersion(request.version), options.fieldValidation);
    checkName(scale, info.name, namespace);
    const { object } = host.storage.update(
      write,
      info.name,
      (old) => scaled(request, write, subresource, old ?? {}, () => scale),
      false,
      metaOf(scale).uid,
    );
    return answer(request, 200, scaleOf(object, subresource.paths));
  }
  const body = decodeBody(request, request.version, options.fieldValidation);
  if (type.namespaced && (metaOf(body).namespace ?? namespace) !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  checkName(body, info.name, namespace);
  const { object, created } = host.storage.update(
    write,
    info.name,
    (old) => owned(write, old, body, request),
    false,
    metaOf(body).uid,
  );
  return answer(request, created ? 201 : 200, represented.object(object));
}

/** The object after `change` of its scale. */
function scaled(
  request: ResourceRequest,
  write: WriteRequest,
  subresource: Subresource & { readonly kind: 'scale' },
  object: JsonObject,
  change: (scale: JsonObject) => JsonObject,
): JsonObject {
  const { paths, ownership } = subresource;
  const live = ownership.owned(object, scaleForUpdate(object, paths));
  const next = change(live);
  return withMeta(withScale(object, next, paths), {
    managedFields: ownership.update(object, live, next, { manager: write.manager, now: nowOf(request) }),
  });
}

function owned(
  write: WriteRequest,
  old: JsonObject | undefined,
  next: JsonObject,
  request: ResourceRequest,
): JsonObject {
  return write.ownership.update(old, next, { manager: write.manager, now: nowOf(request) });
}

const nowOf = ({ host }: ResourceRequest): string => timestampOf(host.clock.now());

function checkName(object: JsonObject, name: string, namespace: string): void {
  const meta = metaOf(object);
  if ((meta.name ?? '') === '')
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  checkIdentity(object, name, namespace);
}

function patch(request: ResourceRequest, subresource: Subresource | undefined): Answer {
  const { host, info, version, type } = request;
  const kind = patchTypeOf(request);
  const represented = representer(request);
  checkBodySize(request.request.body ?? '');
  const options = writeOptions(info.query, 'PatchOptions', kind === 'apply');
  const write = writeRequest(request, options, subresource);
  const namespace = namespaceOf(request);
  const produce = (old: JsonObject | undefined): JsonObject => {
    if (subresource?.kind === 'scale') {
      return scaled(request, write, subresource, old ?? {}, (scale) =>
        kind === 'apply'
          ? subresource.ownership.apply(scale, appliedConfiguration(request.request.body ?? ''), {
              manager: write.manager,
              now: nowOf(request),
              force: options.force,
            })
          : patched(request, scaleVersion(version), kind, scale, options),
      );
    }
    const next =
      kind === 'apply'
        ? applied(request, write, old, options)
        : owned(write, old, patchedObject(request, kind, old, options), request);
    if (old === undefined && (metaOf(next).uid ?? '') !== '') {
      const uid = metaOf(next).uid ?? '';
      throw conflict(
        { group: version.group, resource: type.resource },
        info.name,
        `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
      );
    }
    if (!['', namespace].includes(metaOf(next).namespace ?? ''))
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    checkIdentity(next, info.name, namespace);
    return next;
  };
  if (kind !== 'apply' && host.storage.entry(type, namespace, info.name) === undefined)
    throw notFound({ group: version.group, resource: type.resource }, info.name);
  const { object, created } = host.storage.update(write, info.name, produce, kind === 'apply');
  return answer(
    request,
    created ? 201 : 200,
    subresource?.kind === 'scale' ? scaleOf(object, subresource.paths) : represented.object(object),
  );
}

function patchedObject(
  request: ResourceRequest,
  kind: 'json' | 'merge' | 'strategic',
  old: JsonObject | undefined,
  options: WriteOptions,
): JsonObject {
  return patched(request, request.version, kind, old ?? {}, options);
}

function applied(
  request: ResourceRequest,
  write: WriteRequest,
  old: JsonObject | undefined,
  options: WriteOptions,
): JsonObject {
  const config = appliedConfiguration(request.request.body ?? '');
  const merged = write.ownership.apply(old, config, {
    manager: write.manager,
    now: nowOf(request),
    force: options.force,
  });
  const { object } = request.version.codec.decode(merged, { keepNulls: true });
  return withMeta(object, { managedFields: metaOf(merged).managedFields });
}

function deleteOne(request: ResourceRequest): Answer {
  const { host, type, info, version } = request;
  const represented = representer(request);
  const options = deleteOptionsOf(request.request.body ?? '', header(request.request, 'content-type'), info.query);
  const outcome = host.storage.delete({ type, version, namespace: namespaceOf(request), ...options }, info.name);
  const status = outcome.kind === 'pending' && options.orphanDependents === false ? 202 : 200;
  return answer(request, status, deletedBody(request, represented, outcome));
}

function deletedBody({ type, version }: ResourceRequest, represented: Representer, outcome: DeleteOutcome): JsonObject {
  const { object } = outcome;
  if (outcome.kind === 'pending' || type.returnsDeletedObject) return represented.object(object);
  const details = {
    name: metaOf(object).name,
    ...(version.group === '' ? {} : { group: version.group }),
    kind: type.resource,
    uid: metaOf(object).uid,
  };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

function deleteCollection(request: ResourceRequest): Answer {
  const { host, type, info, version } = request;
  const represented = representer(request);
  const selection = listOptions(info.query, false, (label) => version.fields.convert(label));
  const options = deleteOptionsOf(request.request.body ?? '', header(request.request, 'content-type'), info.query);
  const { objects, meta } = listObjects(request, selection);
  for (const object of objects) {
    const { name = '', namespace = '' } = metaOf(object);
    if (host.storage.entry(type, namespace, name) !== undefined)
      host.storage.delete({ type, version, namespace, ...options }, name);
  }
  return answer(request, 200, represented.list(objects, meta));
}
