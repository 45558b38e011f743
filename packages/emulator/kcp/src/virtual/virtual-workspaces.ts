import {
  type Answer,
  type ApiRequest,
  type Endpoint,
  type RequestInfo,
  type ResourceInfo,
  type ResourceType,
  type ServedVersion,
  type ServerHost,
  StatusError,
  type UserInfo,
  createDiscovery,
  forbidden,
  handleResource,
  impersonate,
  metaOf,
  notFound,
  notImplemented,
  objectField,
  plainText,
  requestInfoOf,
  withMeta,
} from '@hawser/apiserver';
import { type JsonObject, parse, stringify } from '@hawser/json';
import { bindingsIn, boundResourcesOf, exportHash } from '../bindings.js';
import { allowsVerb, claimsOf } from '../claim-labels.js';
import { resourceOfClaim } from '../kinds/claims.js';
import { EXPORTS } from '../kinds/types.js';
import type { LogicalCluster } from '../logical-cluster.js';
import { isResource } from '../resource.js';
import type { Shard } from '../shard.js';
import type { World } from '../world.js';
import { type ExportedResource, discoveryOf, exportedResources } from './exported-api.js';
import { virtualPathOf } from './path.js';
import { denied, notServed, unresolved } from './refusals.js';

/** A request inside a virtual workspace. */
interface Visit {
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly user: UserInfo;
  readonly shard: Shard;
  /** Hash of the export. */
  readonly hash: string;
  readonly resources: readonly ExportedResource[];
  readonly warnings: string[];
  /** A fault: answers requests for any version from this revision. */
  readonly staleRevision: number | undefined;
}

interface Found extends ExportedResource {
  readonly version: ServedVersion;
}

/** Virtual workspaces of all exports, on all shards: they show a provider every workspace that binds its export. */
export class VirtualWorkspaces {
  readonly #world: World;
  readonly #hashes = new Map<string, string>();
  readonly #discovery = new Map<
    string,
    { readonly resources: readonly ExportedResource[]; readonly endpoints: readonly Endpoint[] }
  >();

  constructor(world: World) {
    this.#world = world;
  }

  /** `path` is the request's without the shard's part. Throws StatusError. */
  answer(request: ApiRequest, path: string, shard: Shard, warnings: string[], staleRevision?: number): Answer {
    const named = virtualPathOf(path);
    const provider = named === undefined ? undefined : this.#world.find(named.provider);
    const export_ =
      named === undefined || provider?.name !== named.provider
        ? undefined
        : provider.objects.get(EXPORTS, { namespace: '', name: named.export });
    const asking = (provider ?? this.#world.require('root')).server.authenticate(request);
    if (named === undefined && isOtherKind(path))
      throw notImplemented('another virtual workspace than that of an APIExport');
    // The export does not exist: kcp fails while it determines the served resources.
    if (named !== undefined && (provider === undefined || export_ === undefined))
      return plainText(
        500,
        `Internal Server Error: ${JSON.stringify(request.path)}: API export not found: apiexport.apis.kcp.io ${JSON.stringify(named.export)} not found\n`,
      );
    if (named === undefined || provider === undefined || export_ === undefined)
      throw unresolved(request.method, request.path, asking);
    const info = requestInfoOf({ method: request.method, path: named.rest });
    const user = impersonate(request, asking, info, (attributes) => provider.server.authorize(attributes));
    const content = {
      user,
      verb: info.verb,
      isResourceRequest: true,
      path: '',
      namespace: '',
      apiGroup: EXPORTS.group,
      apiVersion: 'v1alpha1',
      resource: EXPORTS.resource,
      subresource: 'content',
      name: named.export,
    };
    if (!provider.server.authorize(content).allowed) throw denied(info, user);
    const hash = this.#hashOf(provider.name, named.export);
    const resources = exportedResources(this.#world, provider, export_, hash);
    const visit: Visit = {
      request: { ...request, path: named.rest },
      info,
      user,
      shard,
      hash,
      resources,
      warnings,
      staleRevision,
    };
    if (!info.isResourceRequest) return this.#discover(visit, `${provider.name}/${named.export}`);
    return named.target === '*' ? this.#throughAll(visit) : this.#throughOne(visit, named.target);
  }

  /** Requests to the server itself: health, version. */
  rootAnswer(request: ApiRequest, info: RequestInfo): Answer {
    return firstAnswer(createDiscovery(this.#world.require('root').server.host), request, info);
  }

  #hashOf(cluster: string, name: string): string {
    const key = `${cluster}/${name}`;
    const hash = this.#hashes.get(key) ?? exportHash(cluster, name);
    this.#hashes.set(key, hash);
    return hash;
  }

  #discover({ request, info, resources }: Visit, key: string): Answer {
    let known = this.#discovery.get(key);
    if (known === undefined || !isSame(known.resources, resources)) {
      const infos = resources.flatMap(discoveryOf);
      known = { resources, endpoints: createDiscovery(seeing(this.#world.require('root').server.host, infos)) };
      this.#discovery.set(key, known);
    }
    return firstAnswer(known.endpoints, request, info);
  }

  /** Lists and watches over all workspaces of the shard; the wildcard allows nothing else. */
  #throughAll(visit: Visit): Answer {
    const { info, shard, request, user, warnings, staleRevision } = visit;
    const found = findResource(visit);
    if (found === undefined) return plainText(404, '404 page not found\n');
    const isCollection =
      (info.verb === 'list' || info.verb === 'watch') && !/^\/(?:api|apis\/[^/]+)\/[^/]+\/watch\//u.test(info.path);
    if (!isCollection || info.subresource !== '') throw notServed();
    if (found.type.namespaced && info.namespace !== '')
      throw new StatusError(
        400,
        '',
        `cross-cluster LIST and WATCH are required to be cross-namespace, not scoped to namespace ${info.namespace}`,
      );
    if (found.kind === 'exported' && !this.#isBound(visit, found.type)) throw notServed();
    const { handlers } = this.#world.require('root').server;
    return handleResource({
      host: { ...handlers, store: shard.store, watches: shard.watches },
      request,
      info: selecting(info, found),
      user,
      type: found.type,
      version: found.version,
      warnings,
      staleRevision,
      prefix: '',
    });
  }

  /** Whether a workspace on the shard has bound a resource of the export: nothing is served before. */
  #isBound({ hash, shard }: Visit, type: ResourceType): boolean {
    for (const key of this.#world.bindingsOf(hash)) {
      const cluster = this.#world.find(key.cluster);
      if (cluster?.shard === shard && cluster.bound.types().some((each) => each.bucket === type.bucket)) return true;
    }
    return false;
  }

  #throughOne(visit: Visit, target: string): Answer {
    const { info, request, user, warnings, staleRevision } = visit;
    const found = findResource(visit);
    const cluster = this.#world.find(target);
    if (
      found === undefined ||
      cluster?.name !== target ||
      cluster.shard !== visit.shard ||
      !this.#isAllowed(visit, cluster, found)
    )
      throw denied(info, user);
    const { handlers } = cluster.server;
    const served = handlers.registry.served(info.apiGroup, info.apiVersion, info.resource);
    if (served === undefined) throw notServed();
    const resource = { group: info.apiGroup, resource: info.resource };
    if (info.subresource !== '' && info.subresource !== 'status') throw notFound(resource, info.name);
    if (served.type.namespaced && info.namespace === '' && info.verb !== 'list' && info.verb !== 'watch')
      throw notServed();
    if (found.label !== undefined && info.name !== '' && !['list', 'watch', 'create'].includes(info.verb)) {
      const entry = handlers.storage.entry(served.type, info.namespace, info.name);
      if (entry !== undefined && metaOf(entry.object).labels?.[found.label.key] !== found.label.value)
        throw info.verb === 'delete'
          ? forbidden(resource, info.name, 'object does not match required labels')
          : notFound(resource, info.name);
    }
    const type = served.type.custom ? served.type : { ...served.type, unstructured: true };
    const answer = handleResource({
      host: handlers,
      request: found.kind === 'claimed' && info.verb === 'create' ? this.#labelled(visit, cluster, found) : request,
      info: selecting(info, found),
      user,
      type,
      version: served.version,
      warnings,
      staleRevision,
    });
    // An apply that creates answers like one that changes.
    return info.verb === 'patch' && answer.status === 201 ? { ...answer, status: 200 } : answer;
  }

  /** An object that a provider creates through a claim by labels gets these labels. */
  #labelled({ hash, request }: Visit, cluster: LogicalCluster, found: ExportedResource): ApiRequest {
    const accepted = bindingsIn(cluster, hash)
      .flatMap((binding) => claimsOf(this.#world, cluster, binding))
      .find(({ claim }) => isResource(resourceOfClaim(claim), found.type));
    const labels = objectField(objectField(accepted?.claim, 'selector'), 'matchLabels');
    if (labels === undefined) return request;
    try {
      const object = parse(request.body ?? '') as JsonObject;
      return {
        ...request,
        body: stringify(
          withMeta(object, { labels: { ...metaOf(object).labels, ...(labels as Readonly<Record<string, string>>) } }),
        ),
      };
    } catch {
      // The reader will report the problem.
      return request;
    }
  }

  /** Whether a binding of the workspace allows the provider's request. */
  #isAllowed({ hash, info }: Visit, cluster: LogicalCluster, found: ExportedResource): boolean {
    const bindings = bindingsIn(cluster, hash);
    switch (found.kind) {
      case 'bindings':
        return bindings.length > 0 && ['get', 'list', 'watch'].includes(info.verb);
      case 'exported':
        return bindings.some((binding) =>
          boundResourcesOf(binding).some(
            (bound) => bound['group'] === found.type.group && bound['resource'] === found.type.resource,
          ),
        );
      case 'claimed':
        return bindings.some((binding) =>
          claimsOf(this.#world, cluster, binding).some((accepted) => {
            const resource = resourceOfClaim(accepted.claim);
            const isEvents = resource.resource === 'events' && found.type.resource === 'events';
            return (isEvents || isResource(resource, found.type)) && allowsVerb(accepted, info.verb);
          }),
        );
    }
  }
}

function firstAnswer(endpoints: readonly Endpoint[], request: ApiRequest, info: RequestInfo): Answer {
  for (const endpoint of endpoints) {
    const answer = endpoint.handle(request, info);
    if (answer !== undefined) return { kind: 'whole', ...answer };
  }
  return plainText(404, '404 page not found\n');
}

/** The same server with other resources. */
function seeing(host: ServerHost, infos: readonly ResourceInfo[]): ServerHost {
  return {
    clock: host.clock,
    random: host.random,
    kubernetesVersion: host.kubernetesVersion,
    objects: host.objects,
    catalog: { resources: () => infos, find: () => undefined, onChange: () => ({ [Symbol.dispose]: () => undefined }) },
    authorityPem: () => host.authorityPem(),
    serverUrl: () => host.serverUrl(),
    authorize: (attributes) => host.authorize(attributes),
    newUid: () => host.newUid(),
    timestamp: () => host.timestamp(),
    defer: (task, delayMs) => host.defer(task, delayMs),
    report: (error) => {
      host.report(error);
    },
  };
}

/** kcp serves more than exports below `/services`. */
const isOtherKind = (path: string): boolean =>
  /^\/services\/(?:initializingworkspaces|terminatingworkspaces|replication)\//u.test(path);

function findResource({ resources, info }: Visit): Found | undefined {
  for (const resource of resources) {
    const version = resource.type.versions.find(
      (each) => each.served && each.group === info.apiGroup && each.version === info.apiVersion,
    );
    if (resource.type.resource === info.resource && version !== undefined) return { ...resource, version };
  }
  return undefined;
}

/** Adds a claim's selector. */
function selecting(info: RequestInfo, { label }: ExportedResource): RequestInfo {
  if (label === undefined) return info;
  const query = new URLSearchParams(info.query);
  const before = query.get('labelSelector') ?? '';
  const own = `${label.key}=${label.value}`;
  query.set('labelSelector', before === '' ? own : `${before},${own}`);
  return { ...info, query };
}

function isSame(a: readonly ExportedResource[], b: readonly ExportedResource[]): boolean {
  return a.length === b.length && a.every(({ type }, index) => type.versions === b[index]?.type.versions);
}
