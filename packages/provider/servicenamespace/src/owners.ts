import { type KubeObject, type OwnerReference, isTerminating } from '@hawser/client';
import { type APIServiceNamespace, type Dialect, hawserAnnotations } from '@hawser/kube-bind';
import { isCreatedByUs } from './marks.js';

/**
 * The exports that must become owners of an APIServiceNamespace. A konnector names the export that first needs the
 * namespace, and a consumer may change nothing afterwards. Garbage collection would delete it with that export, while
 * the consumer's other exports still use it (spec/konnector.md, R35). References neither claim control nor block a
 * deletion.
 *
 * One without an owner stays so: an owner would make it go. If another program made both the namespace and an export,
 * nothing is written: taking over costs no write.
 */
export function missingOwners(
  { apiGroup, apiVersion }: Dialect,
  { metadata: { ownerReferences = [] } }: APIServiceNamespace,
  namespace: KubeObject,
  exports: readonly KubeObject[],
): readonly OwnerReference[] {
  if (
    !ownerReferences.some(
      (owner) => owner.kind === 'APIServiceExport' && owner.apiVersion.split('/', 1)[0] === apiGroup,
    )
  )
    return [];
  const named = new Set(ownerReferences.map(({ uid }) => uid));
  return exports.flatMap((one): readonly OwnerReference[] => {
    const { name, uid = '', annotations = {} } = one.metadata;
    if (isTerminating(one) || named.has(uid) || !(isCreatedByUs(namespace) || hawserAnnotations.request in annotations))
      return [];
    return [{ apiVersion, kind: 'APIServiceExport', name, uid }];
  });
}
