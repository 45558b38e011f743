import { conditionTypes, fixedNames } from '@hawser/kube-bind';
import { consumerUnit, unitOf } from '@hawser/konnector-connection';
import { GROUP_IDENTITY, GROUP_LABEL, SHARD_LABEL, shardOf } from '@hawser/lease';
import { oneWriterForEachShard } from './invariants.js';
import type { Names } from './names.js';
import type { SentRequest, SimProcess } from './sim-process.js';

interface WrittenLease {
  readonly metadata?: { readonly name?: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: { readonly holderIdentity?: string };
}

/**
 * Whether a process renews its right to write by the Lease that it writes. A shard's Lease is written once, and the
 * group's Lease stands for no process.
 */
export function renewsItself({ request }: SentRequest): boolean {
  if (request.method === 'DELETE') return false;
  const { metadata, spec } = leaseOf(request.body);
  return metadata?.labels?.[SHARD_LABEL] === undefined && spec?.holderIdentity !== GROUP_IDENTITY;
}

/** Holders of the shards, by the Leases that processes have written, whatever a restored cluster holds. */
export class ShardAccounts {
  readonly #names: Names;
  readonly #holders = new Map<number, SimProcess>();
  #forgivenUntil = Number.NEGATIVE_INFINITY;

  constructor(names: Names) {
    this.#names = names;
  }

  /** Until then, the Leases may hold states that no process wrote, and no process may know it. */
  forgive(untilMs: number): void {
    this.#forgivenUntil = Math.max(this.#forgivenUntil, untilMs);
  }

  /** The server has carried the request out. */
  carriedOut({ process, request }: SentRequest): void {
    if (request.method === 'DELETE' || !request.path.includes('/leases')) return;
    const { metadata, spec } = leaseOf(request.body);
    if (metadata?.labels?.[GROUP_LABEL] === undefined) return;
    const shard = metadata.labels[SHARD_LABEL];
    if (shard === undefined) return;
    const holder = spec?.holderIdentity;
    if (holder !== undefined && holder !== '') this.#holders.set(Number(shard), process);
    else if (this.#holders.get(Number(shard)) === process) this.#holders.delete(Number(shard));
  }

  /** The fault of a write that is sent now. */
  *judge({ process, cluster, request, sentAt }: SentRequest): ReturnType<typeof oneWriterForEachShard> {
    if (sentAt < this.#forgivenUntil) return;
    const path = request.path.replace(/[?].*$/u, '');
    const binding = this.#names.bindings.find(({ plural }) => path.split('/').includes(plural));
    if (binding === undefined || reportsUnbound(request)) return;
    const unit = unitOf({ namespace: fixedNames.konnectorNamespace, name: `kubeconfig-${binding.name}` });
    // Work for unbound objects of the consumer belongs to no connection.
    const units = cluster.name === this.#names.consumer ? [unit, consumerUnit] : [unit];
    yield* oneWriterForEachShard(
      process.machine.name,
      `${request.method} ${path} to ${cluster.name}`,
      units.some((one) => this.#holders.get(shardOf(one)) === process),
    );
  }
}

/** For a deleted binding, any process that reaches its export reports so: no process has it. */
function reportsUnbound({ path, body = '' }: SentRequest['request']): boolean {
  return /\/apiserviceexports\/[^/]+\/status/u.test(path) && body.includes(`"type":"${conditionTypes.unbound}"`);
}

function leaseOf(body: string | undefined): WrittenLease {
  return body === undefined ? {} : (JSON.parse(body) as WrittenLease);
}
