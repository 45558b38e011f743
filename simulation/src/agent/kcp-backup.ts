import type { Store, StoreSnapshot } from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import type { LogicalCluster } from '@hawser/kcp';
import { resources as kcpResources } from '@hawser/kcp-api';
import type { AgentWorld } from './agent-world.js';
import { OBJECTS } from './agent-plan.js';
import { CRONTABS, SECRETS, itemOf } from './item.js';
import { BINDING, type WorkspaceUsers } from './workspace-users.js';

type Entries = StoreSnapshot['entries'];

/** Objects of users and their Secrets, by workspace. */
export type KcpBackup = ReadonlyMap<WorkspaceUsers, Kept>;

interface Kept {
  readonly cluster: LogicalCluster;
  /** Its APIBinding: kcp labels Secrets by its claims. */
  readonly binding: string;
  readonly entries: Entries;
}

/** Like etcd's addition to the revision of a backup. */
const REVISION_BUMP = 1_000_000;
/** A process has filled its caches by then. */
const FILLS_WITHIN_MS = 60_000;
const KINDS: ReadonlySet<unknown> = new Set(['CronTab', 'Secret']);

/** Keeps the content of all workspaces that are bound, and do not move. */
export function backUpKcp({ users }: AgentWorld): KcpBackup {
  return new Map(
    users.flatMap((each): [WorkspaceUsers, Kept][] => {
      const { cluster } = each;
      const binding = bindingOf(each);
      return binding === undefined
        ? []
        : [[each, { cluster, binding, entries: ofCluster(cluster.shard.store, cluster) }]];
    }),
  );
}

/**
 * Workspaces have the content of the backup again, and all watches break. A workspace that has moved or changed its
 * binding since keeps its content.
 */
export function restoreKcp(world: AgentWorld, backup: KcpBackup, downMs: number): void {
  const { users, kcp, service, time } = world;
  const chosen = users.flatMap((each) => {
    const kept = backup.get(each);
    return kept !== undefined && kept.cluster === each.cluster && kept.binding === bindingOf(each)
      ? [{ users: each, ...kept }]
      : [];
  });
  kcp.restart(downMs);
  const restoredMs = time.monotonic();
  const before = chosen.map((each) => secretsIn(each.cluster));
  for (const store of new Set(chosen.map(({ cluster }) => cluster.shard.store))) {
    const those = chosen.filter(({ cluster }) => cluster.shard.store === store);
    const replaced = new Set(those.flatMap(({ cluster }) => ofCluster(store, cluster)));
    const others = store.snapshot().entries.filter((entry) => !replaced.has(entry));
    store.restore({
      entries: [...others, ...those.flatMap(({ entries }) => entries)],
      revision: store.revision + REVISION_BUMP,
    });
  }
  for (const each of chosen)
    each.users.objectsAreOlder(
      each.cluster.objects.list(CRONTABS).map(itemOf),
      service.objects.list(CRONTABS, each.cluster.name).map(itemOf),
    );
  const older = chosen.map((each, index) => {
    const now = secretsIn(each.cluster);
    return now.flatMap((content, object) => (content === before[index]?.[object] ? [] : [object]));
  });
  time.setTimeout(() => {
    // Another process may have taken over, with caches that have never seen the later state.
    if (world.machines.length > 1 || world.startedMs > restoredMs - FILLS_WITHIN_MS)
      for (const [index, each] of chosen.entries())
        for (const object of older[index] ?? []) each.users.secretMayDiffer(object);
  }, downMs + FILLS_WITHIN_MS);
}

/** Contents by object. */
function secretsIn({ objects }: LogicalCluster): readonly string[] {
  return Array.from({ length: OBJECTS }, (_, object) =>
    JSON.stringify(objects.get(SECRETS, { namespace: 'default', name: `connection-${object}` })?.['data'] ?? {}),
  );
}

function ofCluster(store: Store, { name }: LogicalCluster): Entries {
  return store.snapshot().entries.filter(({ key, object }) => key.startsWith(`${name}/`) && KINDS.has(object['kind']));
}

/** Undefined: the workspace has no binding that stays. */
function bindingOf({ cluster, isAway }: WorkspaceUsers): string | undefined {
  const binding: JsonObject | undefined = isAway
    ? undefined
    : cluster.objects.get(kcpResources.apiBindings, { namespace: '', name: BINDING });
  const { uid, deletionTimestamp } = (binding?.['metadata'] ?? {}) as {
    readonly uid?: string;
    readonly deletionTimestamp?: string;
  };
  const { permissionClaims } = (binding?.['spec'] ?? {}) as JsonObject;
  const { appliedPermissionClaims } = (binding?.['status'] ?? {}) as JsonObject;
  return uid === undefined || deletionTimestamp !== undefined
    ? undefined
    : JSON.stringify([uid, permissionClaims, appliedPermissionClaims]);
}
