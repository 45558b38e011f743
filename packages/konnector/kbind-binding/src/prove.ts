import { type Client, getIfExists, type KubeObject } from '@hawser/client';
import { type Binding, connectionOf, finalizers, resources } from '@hawser/core-kbind';
import { customResourceDefinitions } from '@hawser/crd';
import type { DeletionProof } from '@hawser/konnector-sync';
import { apisOf } from './coverage.js';
import { endPolicyOf } from './decide-end.js';

/**
 * Whether an observed deletion is a person's wish, from live reads alone.
 * Two facts prove it: the CRD is one that a konnector installed for a Connection, and the binding stands and lists the
 * API, or goes under a policy that deletes the copies. `isDraining`: the objects stand, and lose their copies because
 * the binding goes. Then the binding must be going: a backup may have restored it.
 */
export async function readProof(
  consumer: Client,
  binding: Pick<Binding, 'metadata'>,
  api: string,
  isDraining: boolean,
): Promise<DeletionProof> {
  const { name, namespace, uid } = binding.metadata;
  const resource = namespace === undefined ? resources.clusterBindings : resources.bindings;
  const [live, crd] = await Promise.all([
    getIfExists<Binding>(consumer, resource, { name, namespace }),
    getIfExists<KubeObject>(consumer, customResourceDefinitions, { name: api }, { representation: 'metadata' }),
  ]);
  if (live === undefined || live.metadata.uid !== uid || !apisOf(live).includes(api)) return { kind: 'unbinding' };
  const isGoing = live.metadata.deletionTimestamp !== undefined;
  if (isDraining && !isGoing) return { kind: 'bindingStands' };
  const policy = endPolicyOf(live);
  if (
    isGoing &&
    (live.metadata.finalizers?.includes(finalizers.cleanup) !== true || policy === 'Orphan' || policy === 'Release')
  )
    return { kind: 'unbinding' };
  if (crd === undefined || (crd.metadata.deletionTimestamp !== undefined && !isGoing))
    return { kind: 'crdTerminating' };
  return connectionOf(crd) === undefined ? { kind: 'crdForeign' } : { kind: 'byUser' };
}
