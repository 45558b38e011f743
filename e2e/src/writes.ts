import { type AuditEntry, type AuditMark, settled } from '@hawser/testenv';
import type { System } from './system.js';

/** Positions in the audit logs of both clusters. */
export interface Marks {
  readonly consumer: AuditMark;
  readonly provider: AuditMark;
}

export async function mark(system: System): Promise<Marks> {
  const [consumer, provider] = await Promise.all([
    auditOf(system, 'consumer').mark(),
    auditOf(system, 'provider').mark(),
  ]);
  return { consumer, provider };
}

/** Writes of konnectors since then, without Lease and heartbeat: `consumer: patch databases/status team-a/one 200`. */
export async function konnectorWrites(system: System, since: Marks): Promise<readonly string[]> {
  const of = async (side: 'consumer' | 'provider'): Promise<readonly string[]> => {
    const writes = await auditOf(system, side).writes({ since: since[side], userAgent: 'hawser-konnector' });
    return writes.filter((write) => !isHeartbeat(write)).map((write) => `${side}: ${inWords(write)}`);
  };
  return [...(await of('consumer')), ...(await of('provider'))];
}

/** {@link konnectorWrites}, once no write has occurred for `quietMs`. */
export function settledWrites(system: System, since: Marks, quietMs = 3_000): Promise<readonly string[]> {
  return settled(() => konnectorWrites(system, since), { quiet: 1, intervalMs: quietMs, timeoutMs: 120_000 });
}

function isHeartbeat({ group, resource, subresource }: AuditEntry): boolean {
  return (
    (group === 'coordination.k8s.io' && resource === 'leases') ||
    (group === 'kube-bind.io' && resource === 'clusterbindings' && subresource === 'status')
  );
}

function inWords({ verb, resource, subresource, namespace, name, code }: AuditEntry): string {
  return `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`} ${namespace === undefined ? '' : `${namespace}/`}${name ?? ''} ${code}`;
}

function auditOf(
  system: System,
  side: 'consumer' | 'provider',
): ReturnType<NonNullable<System['consumer']['controlPlane']>['auditLog']> {
  const { controlPlane } = system[side];
  if (controlPlane === undefined) throw new Error(`the ${side} is not ours: its audit log cannot be read`);
  return controlPlane.auditLog();
}
