import { ApiError, type Client, type KubeObject, type ObjectKey } from '@hawser/client';

/** Leases of a portal and requests for them, for tests of time only; other tests use an API server. */
export function leaseClient(): {
  readonly leases: ReadonlyMap<string, KubeObject>;
  readonly client: Pick<Client, 'get' | 'list' | 'create' | 'delete'>;
} {
  const leases = new Map<string, KubeObject>();
  let version = 0;
  const client = {
    get: (_: unknown, key: ObjectKey) => {
      const lease = leases.get(key.name);
      return lease === undefined ? Promise.reject(refused('NotFound', 404, key)) : Promise.resolve(lease);
    },
    list: () => Promise.resolve({ items: [...leases.values()] }),
    create: (_: unknown, lease: KubeObject) => {
      if (leases.has(lease.metadata.name)) return Promise.reject(refused('AlreadyExists', 409, lease.metadata));
      version += 1;
      const stored = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(version) } };
      leases.set(lease.metadata.name, stored);
      return Promise.resolve(stored);
    },
    delete: (_: unknown, key: ObjectKey) =>
      leases.delete(key.name) ? Promise.resolve({}) : Promise.reject(refused('NotFound', 404, key)),
  } as unknown as Pick<Client, 'get' | 'list' | 'create' | 'delete'>;
  return { leases, client };
}

function refused(reason: 'AlreadyExists' | 'NotFound', httpStatus: number, { namespace, name }: ObjectKey): ApiError {
  return new ApiError(
    reason,
    reason,
    { cluster: 'provider', verb: reason === 'NotFound' ? 'get' : 'create', resource: 'leases', namespace, name },
    {
      httpStatus,
      status: { kind: 'Status', reason, details: { group: 'coordination.k8s.io', kind: 'leases', name } },
    },
  );
}
