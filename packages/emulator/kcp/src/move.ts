import { type Answer, type Entry, type RequestInfo, StatusError, metaOf, plainText, withMeta } from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import { serveBound } from './controllers/bindings.js';
import { BY_KCP } from './controllers/controller.js';
import { ASSIGNED_SHARD } from './controllers/workspaces.js';
import { WORKSPACES } from './kinds/types.js';
import type { LogicalCluster } from './logical-cluster.js';
import { SHARD } from './names.js';
import type { Shard } from './shard.js';
import type { World } from './world.js';

export interface MoveOptions {
  /**
   * Also end watches over all workspaces of both shards, and expire their versions. Default: they continue, and report
   * removed and added objects.
   */
  readonly cut?: boolean;
}

/**
 * A workspace on its way to another shard. Until {@link Move.finish} it can be neither read nor written: 503, and 410
 * for resuming from a version. Its own watches have ended. kcp copies before it cleans up; a watcher of both shards may
 * see these in either order.
 */
export interface Move {
  /** Copies its objects to the other shard, uids included, with that shard's versions. Idempotent. */
  copy(): void;
  /** Removes them from the former shard. Idempotent. */
  cleanUp(): void;
  /** Completes both steps; then it can be read and written again. Idempotent. */
  finish(): void;
}

const LOGICAL_CLUSTER_BUCKET = 'core.kcp.io/logicalclusters';

/** @throws Error if it is on that shard, or already moves. */
export function beginMove(
  world: World,
  cluster: LogicalCluster,
  to: Shard,
  { cut = false }: MoveOptions,
  moved: () => void,
): Move {
  if (cluster.shard === to) throw new Error(`workspace ${cluster.path} is on shard ${to.name} already`);
  if (world.isMoving(cluster.name)) throw new Error(`workspace ${cluster.path} moves already`);
  return new ShardMove(world, cluster, to, cut, moved);
}

/** The answer for a moving workspace. Throws the 410. */
export function migrating({ verb, query }: RequestInfo): Answer {
  if ((verb === 'list' || verb === 'watch') && !['', '0'].includes(query.get('resourceVersion') ?? ''))
    throw new StatusError(410, 'Expired', 'logical cluster is being migrated to another shard; relist required');
  const answer = plainText(503, 'logical cluster is being migrated\n');
  return { ...answer, headers: { ...answer.headers, 'retry-after': '1' } };
}

class ShardMove implements Move {
  readonly #world: World;
  readonly #cluster: LogicalCluster;
  readonly #to: Shard;
  readonly #cut: boolean;
  readonly #moved: () => void;
  readonly #entries: readonly Entry[];
  #isCopied = false;
  #isClean = false;
  #isFinished = false;

  constructor(world: World, cluster: LogicalCluster, to: Shard, cut: boolean, moved: () => void) {
    this.#world = world;
    this.#cluster = cluster;
    this.#to = to;
    this.#cut = cut;
    this.#moved = moved;
    world.setMoving(cluster.name, true);
    cluster.server.stop();
    const { store } = cluster.shard;
    this.#entries = store.buckets().flatMap((bucket) => [...store.range(bucket, `${cluster.name}/`)]);
    this.#cutWatches();
  }

  copy(): void {
    if (this.#isCopied) return;
    this.#isCopied = true;
    for (const { bucket, key, object } of this.#entries)
      this.#to.store.put(bucket, key, bucket === LOGICAL_CLUSTER_BUCKET ? placedOn(this.#to, object) : object);
    serveBound(this.#world, this.#world.create(this.#cluster.name, this.#cluster.path, this.#to));
    this.#cutWatches();
  }

  cleanUp(): void {
    if (this.#isClean) return;
    this.#isClean = true;
    for (const { bucket, key } of this.#entries) this.#cluster.shard.store.delete(bucket, key);
    this.#cutWatches();
  }

  finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.copy();
    this.cleanUp();
    this.#world.setMoving(this.#cluster.name, false);
    const { path } = this.#cluster;
    const parent = this.#world.find(path.slice(0, path.lastIndexOf(':')));
    const name = path.slice(path.lastIndexOf(':') + 1);
    const workspace = parent?.objects.get(WORKSPACES, { namespace: '', name });
    if (workspace !== undefined) parent?.objects.update(WORKSPACES, placedOn(this.#to, workspace), BY_KCP);
    this.#moved();
  }

  #cutWatches(): void {
    if (!this.#cut) return;
    for (const { watches, store } of [this.#cluster.shard, this.#to]) {
      watches.endAll();
      store.compact();
    }
  }
}

function placedOn(shard: Shard, object: JsonObject): JsonObject {
  const { annotations = {} } = metaOf(object);
  return withMeta(object, {
    annotations: {
      ...annotations,
      [SHARD]: shard.name,
      ...(annotations[ASSIGNED_SHARD] === undefined ? {} : { [ASSIGNED_SHARD]: shard.hash }),
    },
  });
}
