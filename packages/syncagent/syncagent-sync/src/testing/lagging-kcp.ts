import type { RequestInfo, StoreSnapshot } from '@hawser/apiserver';
import type { RunningKcp } from '@hawser/kcp';

/** A restored server has revisions far above those of the backup. */
const REVISIONS = 1_000;

/** A kcp of one shard. The agent's caches can be kept from following it. */
export interface LaggingKcp {
  /** Requests of the agent to workspaces, without those of its caches: `get secrets one`. */
  readonly requests: string[];
  /** Whether kcp fails a request of the agent to a workspace. Default: none. */
  refuses: (request: RequestInfo) => boolean;
  backup(): StoreSnapshot;
  /** The caches do not follow kcp any more. */
  blind(): Promise<void>;
  /** kcp has the state of the backup again, with higher revisions, and the caches do not follow it. */
  restore(backup: StoreSnapshot): Promise<void>;
  /** The caches follow kcp again. */
  see(): void;
}

export function openLaggingKcp(running: RunningKcp): LaggingKcp {
  let isBlind = false;
  const { kcp } = running;
  const store = (): NonNullable<ReturnType<typeof kcp.find>>['shard']['store'] => {
    const root = kcp.find('root');
    if (root === undefined) throw new Error('kcp has no root workspace');
    return root.shard.store;
  };
  const lagging: LaggingKcp = {
    requests: [],
    refuses: () => false,
    backup: () => store().snapshot(),
    async blind() {
      isBlind = true;
      await running.down();
      await running.up();
    },
    async restore(backup) {
      await lagging.blind();
      store().restore({ ...backup, revision: store().revision + REVISIONS });
    },
    see() {
      isBlind = false;
    },
  };
  kcp.setFaults(({ path }, info) => {
    if (!path.startsWith('/services/')) return undefined;
    if (path.includes('/clusters/*/')) return isBlind ? { instead: failure } : undefined;
    lagging.requests.push(`${info.verb} ${info.resource} ${info.name}`.trim());
    return lagging.refuses(info) ? { instead: failure } : undefined;
  });
  return lagging;
}

/** Not for want of a right: the agent would wait for that. */
const failure = {
  status: 500,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ apiVersion: 'v1', kind: 'Status', status: 'Failure', reason: 'InternalError', code: 500 }),
};
