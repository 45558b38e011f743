import {
  type ApiServerOptions,
  type ResourceType,
  type UserInfo,
  createPersonalServer,
  metaOf,
  notFound,
} from '@hawser/apiserver';
import type { Clock, Random } from '@hawser/clock';
import type { JsonObject } from '@hawser/json';
import { type BindingKey, exportOf } from './bindings.js';
import { BoundTypes, SchemaTypes } from './bound-types.js';
import { EXPORTS, WORKSPACES, kcpTypes } from './kinds/types.js';
import type { LogicalCluster } from './logical-cluster.js';
import { authorizeInWorkspace, workspacePolicy } from './policy.js';
import type { ShardEndpoint } from './controllers/slices.js';
import { Shard } from './shard.js';
import type { AdmissionPlugin } from '@hawser/apiserver';
import { clusterOfKey } from './store/cluster-store.js';

export interface WorldOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly shards: readonly string[];
  readonly tokens: Readonly<Record<string, UserInfo>>;
  readonly adminToken: string;
  readonly history: number | undefined;
  readonly server: Pick<ApiServerOptions, 'kubernetesVersion'>;
  report(error: unknown): void;
}

const BINDING_BUCKET = 'apis.kcp.io/apibindings';
const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

/** All logical clusters, on all shards, and their bindings. */
export class World {
  #shards: readonly Shard[];
  readonly schemaTypes = new SchemaTypes();
  /** Called before a write in any workspace is stored. Set once, before the first workspace exists. */
  admission: ((cluster: LogicalCluster) => AdmissionPlugin) | undefined;
  /** Content of slices, if other than the URL of each shard. */
  endpoints: ((shards: readonly ShardEndpoint[]) => readonly JsonObject[]) | undefined;
  readonly #options: WorldOptions;
  readonly #types: readonly ResourceType[] = kcpTypes();
  readonly #clusters = new Map<string, LogicalCluster>();
  readonly #byPath = new Map<string, LogicalCluster>();
  /** Names of clusters on their way to another shard. */
  readonly #moving = new Set<string>();
  /** By hash of the export, then by shard, cluster and name. */
  readonly #bindings = new Map<string, Map<string, BindingKey>>();
  #url = 'https://kcp.default.svc';
  #authorityPem = '';

  constructor(options: WorldOptions) {
    this.#options = options;
    this.#shards = options.shards.map((name) => new Shard(name, options.history));
    for (const shard of this.shards) this.#follow(shard);
  }

  /** Workspaces are on the first one by default. */
  get shards(): readonly Shard[] {
    return this.#shards;
  }

  addShard(name: string): Shard {
    const shard = new Shard(name, this.#options.history);
    this.#shards = [...this.#shards, shard];
    this.#follow(shard);
    return shard;
  }

  /** As if its machine were lost: its workspaces are gone, without notice. */
  removeShard(shard: Shard): void {
    this.#shards = this.#shards.filter((each) => each !== shard);
    for (const cluster of [...this.#clusters.values()]) {
      if (cluster.shard !== shard) continue;
      this.#clusters.delete(cluster.name);
      this.#byPath.delete(cluster.path);
      cluster.server.stop('abrupt');
    }
    for (const bindings of this.#bindings.values())
      for (const [key, { cluster }] of bindings) if (!this.#clusters.has(cluster)) bindings.delete(key);
  }

  get url(): string {
    return this.#url;
  }

  clusters(): Iterable<LogicalCluster> {
    return this.#clusters.values();
  }

  /** By name or by path. */
  find(reference: string): LogicalCluster | undefined {
    return this.#clusters.get(reference) ?? this.#byPath.get(reference);
  }

  /** Throws the clients' 404. */
  require(reference: string): LogicalCluster {
    const cluster = this.find(reference);
    if (cluster === undefined) throw notFound(WORKSPACES, reference);
    return cluster;
  }

  /** An export by path (or name) of its workspace; an empty path means that of `from`. */
  findExport(
    from: LogicalCluster,
    path: string,
    name: string,
  ): { readonly cluster: LogicalCluster; readonly object: JsonObject } | undefined {
    const cluster = path === '' ? from : this.find(path);
    const object = cluster?.objects.get(EXPORTS, { namespace: '', name });
    return cluster === undefined || object === undefined ? undefined : { cluster, object };
  }

  /** Bindings to an export, by its hash. */
  bindingsOf(export_: string): Iterable<BindingKey> {
    return this.#bindings.get(export_)?.values() ?? [];
  }

  isMoving(cluster: string): boolean {
    return this.#moving.has(cluster);
  }

  setMoving(cluster: string, moving: boolean): void {
    if (moving) this.#moving.add(cluster);
    else this.#moving.delete(cluster);
  }

  newName(): string {
    return Array.from({ length: 16 }, () => ALPHABET[Math.floor(this.#options.random() * ALPHABET.length)] ?? '0').join(
      '',
    );
  }

  /** The server of a logical cluster, over its shard's part. A moved cluster gets a new one. */
  create(name: string, path: string, shard: Shard): LogicalCluster {
    const bound = new BoundTypes();
    // The server creates its namespaces before its cluster exists.
    const asked: { plugin?: AdmissionPlugin | undefined } = {};
    const admission: AdmissionPlugin = {
      mutate: (write) => asked.plugin?.mutate?.(write) ?? write.object,
      validate: (write) => asked.plugin?.validate?.(write),
    };
    const { clock, random, tokens, adminToken, server: given } = this.#options;
    const server = createPersonalServer(
      shard.clusterStore(name),
      {
        ...given,
        clock,
        random,
        tokens,
        adminToken,
        report: (error) => {
          this.#options.report(error);
        },
      },
      {
        builtIn: this.#types,
        types: bound,
        admission,
        policy: workspacePolicy,
        authorize: authorizeInWorkspace,
        namespaces: ['default'],
        isUnimplemented,
      },
    );
    const cluster: LogicalCluster = { name, path, shard, server, objects: server.objects, bound };
    asked.plugin = this.admission?.(cluster);
    server.setLocation({ url: this.#url, authorityPem: this.#authorityPem });
    this.#clusters.set(name, cluster);
    this.#byPath.set(path, cluster);
    return cluster;
  }

  /** Removes a logical cluster with everything in it. */
  remove(cluster: LogicalCluster): void {
    this.#clusters.delete(cluster.name);
    this.#byPath.delete(cluster.path);
    cluster.server.stop();
    const { store } = cluster.shard;
    for (const bucket of store.buckets())
      for (const entry of [...store.range(bucket, `${cluster.name}/`)]) store.delete(bucket, entry.key);
  }

  setLocation(location: { readonly url: string; readonly authorityPem: string }): void {
    this.#url = location.url;
    this.#authorityPem = location.authorityPem;
    for (const cluster of this.#clusters.values()) cluster.server.setLocation(location);
  }

  #follow({ name, store }: Shard): void {
    store.subscribe(({ type, entry }) => {
      if (entry.bucket !== BINDING_BUCKET) return;
      const export_ = exportOf(entry.object);
      // A workspace that moves exists twice for a moment.
      const id = `${name}/${entry.key}`;
      if (type !== 'DELETED') {
        const known = this.#bindings.get(export_) ?? new Map<string, BindingKey>();
        this.#bindings.set(
          export_,
          known.set(id, { cluster: clusterOfKey(entry.key), name: metaOf(entry.object).name ?? '' }),
        );
      } else if (this.#bindings.get(export_)?.delete(id) === true && this.#bindings.get(export_)?.size === 0) {
        this.#bindings.delete(export_);
      }
    });
  }
}

/** Resources that kcp serves in every workspace and this server does not. */
const UNIMPLEMENTED: Readonly<Record<string, readonly string[]>> = {
  '': ['resourcequotas'],
  'certificates.k8s.io': ['certificatesigningrequests'],
  'admissionregistration.k8s.io': [
    'mutatingwebhookconfigurations',
    'validatingwebhookconfigurations',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
  ],
  'apis.kcp.io': ['apiconversions', 'apiexportpolicies'],
  'cache.kcp.io': ['cachedobjects', 'cachedresources', 'cachedresourceendpointslices'],
  'core.kcp.io': ['shards'],
  'tenancy.kcp.io': ['workspacetypes', 'workspaceauthenticationconfigurations'],
  'topology.kcp.io': ['partitions', 'partitionsets'],
};

function isUnimplemented({
  isResourceRequest,
  apiGroup,
  resource,
}: {
  readonly isResourceRequest: boolean;
  readonly apiGroup: string;
  readonly resource: string;
}): boolean {
  return isResourceRequest && (UNIMPLEMENTED[apiGroup] ?? []).includes(resource);
}
