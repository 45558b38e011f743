import {
  type GroupResource,
  type ResourceInfo,
  type ResourceType,
  infosOf,
  objectField,
  objectsField,
  stringField,
} from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import { claimHash, claimLabel } from '../bindings.js';
import { resourceOfClaim } from '../kinds/claims.js';
import { BINDINGS, SCHEMAS } from '../kinds/types.js';
import type { LogicalCluster } from '../logical-cluster.js';
import { EXPORT } from '../names.js';
import { isResource } from '../resource.js';
import type { World } from '../world.js';

/** One resource that a virtual workspace serves. */
export interface ExportedResource {
  readonly kind: 'exported' | 'claimed' | 'bindings';
  readonly type: ResourceType;
  /** Hides objects without this label. */
  readonly label: { readonly key: string; readonly value: string } | undefined;
}

const READ = ['get', 'list', 'watch'];

/** Resources that an export's virtual workspace serves now: its own, claimed ones, and its bindings. */
export function exportedResources(
  world: World,
  provider: LogicalCluster,
  export_: JsonObject,
  hash: string,
): readonly ExportedResource[] {
  const identityHash = stringField(objectField(export_, 'status'), 'identityHash');
  const found: ExportedResource[] = [];
  for (const resource of objectsField(objectField(export_, 'spec'), 'resources')) {
    const schema = provider.objects.get(SCHEMAS, { namespace: '', name: stringField(resource, 'schema') });
    if (schema !== undefined)
      found.push({ kind: 'exported', type: world.schemaTypes.typeOf(schema, identityHash), label: undefined });
  }
  const isServed = (resource: GroupResource): boolean => found.some(({ type }) => isResource(type, resource));
  const bindings = provider.server.handlers.registry.typeOf(BINDINGS.group, BINDINGS.resource);
  if (bindings !== undefined) found.push({ kind: 'bindings', type: bindings, label: { key: EXPORT, value: hash } });
  for (const claim of objectsField(objectField(export_, 'spec'), 'permissionClaims')) {
    const resource = resourceOfClaim(claim);
    const identity = stringField(claim, 'identityHash');
    const type = identity === '' ? builtIn(provider, resource) : boundType(world, hash, resource, identity);
    // The export's own resource wins.
    if (type !== undefined && !isServed(resource))
      found.push({
        kind: 'claimed',
        type: { ...type, unstructured: true },
        label: { key: claimLabel(hash), value: claimHash(claim) },
      });
  }
  return found;
}

/** Events are one resource in two groups. */
function builtIn({ server }: LogicalCluster, { group, resource }: GroupResource): ResourceType | undefined {
  return server.handlers.registry.typeOf(group === 'events.k8s.io' && resource === 'events' ? '' : group, resource);
}

/** A resource of another export, as bound by a consumer. */
function boundType(world: World, hash: string, resource: GroupResource, identity: string): ResourceType | undefined {
  for (const key of world.bindingsOf(hash)) {
    const type = world
      .find(key.cluster)
      ?.bound.types()
      .find((each) => isResource(each, resource) && each.bucket.endsWith(`:${identity}`));
    if (type !== undefined) return type;
  }
  return undefined;
}

/** Discovery of a virtual workspace: no short names for foreign resources, and no subresources but status. */
export function discoveryOf({ kind, type }: ExportedResource): readonly ResourceInfo[] {
  return infosOf(type).map((info) => ({
    ...info,
    builtIn: true,
    ...(kind === 'exported' ? {} : { shortNames: [], categories: [] }),
    ...(kind === 'bindings'
      ? { verbs: READ, subresources: [] }
      : { verbs: ALL, subresources: info.subresources.filter(({ name }) => name === 'status') }),
  }));
}

const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
