import { type Change, type ResourceType, StatusError, metaOf, quote } from '@hawser/apiserver';
import type { Clock } from '@hawser/clock';
import { exportHash } from '../bindings.js';
import { BINDINGS, EXPORTS } from '../kinds/types.js';
import type { LogicalCluster } from '../logical-cluster.js';
import type { Shard } from '../shard.js';
import { clusterOfKey } from '../store/cluster-store.js';
import type { World } from '../world.js';
import { exportedResources } from '../virtual/exported-api.js';
import { syncBinding } from './bindings.js';
import { syncClaims } from './claims.js';
import type { ControllerHost, WorkKey } from './controller.js';
import { syncExport } from './exports.js';
import { syncLogicalCluster } from './logical-clusters.js';
import { syncSlice } from './slices.js';
import { Work } from './work.js';
import { syncWorkspace } from './workspaces.js';

/** All of kcp's own work: maps a change to the keys it affects. */
export class Controllers implements ControllerHost {
  readonly world: World;
  readonly #clock: Clock;
  readonly #work: Work<WorkKey>;
  readonly #subscriptions: Disposable[] = [];
  /** Last exported resources of each export, to end watches of resources that changed. */
  readonly #exported = new Map<string, readonly ResourceType[]>();
  /** Slices by their export, in any workspace. */
  readonly #slices = new Map<string, WorkKey>();

  constructor(world: World, clock: Clock, report: (error: unknown) => void) {
    this.world = world;
    this.#clock = clock;
    this.#work = new Work(
      clock,
      (key) => {
        this.#sync(key);
      },
      report,
    );
    for (const shard of world.shards) this.follow(shard);
  }

  follow(shard: Shard): void {
    this.#subscriptions.push(
      shard.store.subscribe((change) => {
        this.#onChange(shard, change);
      }),
    );
  }

  /** Call after something that no change reports. */
  lookAgain(): void {
    this.#enqueueSlices();
  }

  timestamp(): string {
    return `${new Date(this.#clock.now()).toISOString().slice(0, 19)}Z`;
  }

  enqueue(key: WorkKey): void {
    this.#work.add(`${key.kind}|${key.cluster}|${key.name}`, key);
  }

  stop(): void {
    this.#work.stop();
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
  }

  #onChange(shard: Shard, { type, entry }: Change): void {
    const cluster = clusterOfKey(entry.key);
    const name = metaOf(entry.object).name ?? '';
    switch (entry.bucket) {
      case 'tenancy.kcp.io/workspaces':
        this.enqueue({ kind: 'workspace', cluster, name });
        break;
      case 'core.kcp.io/logicalclusters':
        this.enqueue({ kind: 'logicalcluster', cluster, name: '' });
        break;
      case 'apis.kcp.io/apiexports':
        this.enqueue({ kind: 'export', cluster, name });
        this.#enqueueSlices();
        break;
      case 'apis.kcp.io/apiresourceschemas':
        for (const each of this.world.find(cluster)?.objects.list(EXPORTS) ?? [])
          this.enqueue({ kind: 'export', cluster, name: metaOf(each).name ?? '' });
        break;
      case 'apis.kcp.io/apibindings':
        this.enqueue({ kind: 'binding', cluster, name });
        this.enqueue({ kind: 'claims', cluster, name: '' });
        // Its resources are free for another binding.
        if (type === 'DELETED')
          for (const each of this.world.find(cluster)?.objects.list(BINDINGS) ?? [])
            this.enqueue({ kind: 'binding', cluster, name: metaOf(each).name ?? '' });
        // A new or removed binding may add the first endpoint of a shard or remove the last.
        this.#enqueueSlices();
        break;
      case 'apis.kcp.io/apiexportendpointslices': {
        const key: WorkKey = { kind: 'slice', cluster, name };
        // A workspace that moves exists twice for a moment.
        const id = `${shard.name}/${entry.key}`;
        if (type === 'DELETED') this.#slices.delete(id);
        else this.#slices.set(id, key);
        this.enqueue(key);
        break;
      }
      default:
        break;
    }
    // The last object that a deletion waits for.
    if (type === 'DELETED') this.#enqueueDeleting(cluster);
  }

  #enqueueSlices(): void {
    for (const key of this.#slices.values()) this.enqueue(key);
  }

  #enqueueDeleting(name: string): void {
    const cluster = this.world.find(name);
    if (cluster === undefined) return;
    for (const binding of cluster.objects.list(BINDINGS)) {
      if (metaOf(binding).deletionTimestamp !== undefined)
        this.enqueue({ kind: 'binding', cluster: name, name: metaOf(binding).name ?? '' });
    }
    this.enqueue({ kind: 'logicalcluster', cluster: name, name: '' });
  }

  #sync({ kind, cluster: name, name: object }: WorkKey): void {
    const cluster = this.world.find(name);
    if (cluster === undefined) return;
    switch (kind) {
      case 'workspace':
        syncWorkspace(this, cluster, object);
        break;
      case 'logicalcluster':
        syncLogicalCluster(this, cluster);
        break;
      case 'export':
        syncExport(this, cluster, object);
        this.#followExport(cluster, object);
        break;
      case 'binding':
        syncBinding(this, cluster, object);
        break;
      case 'claims':
        syncClaims(this, cluster);
        break;
      case 'slice':
        syncSlice(this, cluster, object);
        break;
    }
  }

  /** Updates bindings after their export; ends watches of resources whose form changed. */
  #followExport(cluster: LogicalCluster, name: string): void {
    const hash = exportHash(cluster.name, name);
    const export_ = cluster.objects.get(EXPORTS, { namespace: '', name });
    const types =
      export_ === undefined
        ? []
        : exportedResources(this.world, cluster, export_, hash)
            .filter(({ kind }) => kind === 'exported')
            .map(({ type }) => type);
    for (const type of this.#exported.get(hash) ?? []) {
      if (!types.includes(type)) for (const shard of this.world.shards) endWatches(shard, type);
    }
    this.#exported.set(hash, types);
    for (const key of this.world.bindingsOf(hash)) this.enqueue({ kind: 'binding', ...key });
  }
}

/** A virtual workspace that gets another schema breaks its old watches with a clumsy error (seen with kcp 0.32.3). */
function endWatches({ watches }: Shard, { bucket }: ResourceType): void {
  const message = 'unable to decode an event from the watch stream: context canceled';
  const causes = [
    { reason: 'UnexpectedServerResponse', message },
    { reason: 'ClientWatchDecoding', message },
  ];
  watches.failBucket(
    bucket,
    new StatusError(
      500,
      'InternalError',
      `an error on the server (${quote(message)}) has prevented the request from succeeding`,
      { causes },
    ),
  );
}
