import type { KubeObject } from '@hawser/client';
import { type ClusterBinding, type Dialect, isClusterNamespaceOf } from '@hawser/kube-bind';

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly apiGroup?: string | undefined;
}

/** A Kubernetes RoleBinding. */
export interface RoleBinding extends KubeObject {
  readonly roleRef: { readonly apiGroup?: string | undefined; readonly kind: string; readonly name: string };
  readonly subjects?: readonly Subject[] | null | undefined;
}

export interface ObservedAccess {
  readonly binding: ClusterBinding | undefined;
  /** Only its metadata counts. */
  readonly namespace: KubeObject | undefined;
  readonly roleBinding: RoleBinding | undefined;
}

export type AccessAction =
  | { readonly type: 'create'; readonly object: RoleBinding }
  | { readonly type: 'setSubjects'; readonly roleBinding: RoleBinding; readonly subjects: readonly Subject[] };

export type AccessDecision =
  | { readonly kind: 'none' }
  | { readonly kind: 'act'; readonly action: AccessAction }
  /** The role of a RoleBinding is immutable. */
  | { readonly kind: 'conflict'; readonly role: string };

/** Decides about a consumer's RoleBinding in its cluster namespace. Pure. */
export function decideAccess(dialect: Dialect, { binding, namespace, roleBinding }: ObservedAccess): AccessDecision {
  if (
    binding === undefined ||
    namespace === undefined ||
    binding.metadata.deletionTimestamp !== undefined ||
    namespace.metadata.deletionTimestamp !== undefined
  )
    return { kind: 'none' };
  // Otherwise anyone who can create ClusterBindings could grant rights.
  if (!isClusterNamespaceOf(dialect, namespace)) return { kind: 'none' };
  const { name } = namespace.metadata;
  const { binder } = dialect.names;
  const subjects: readonly Subject[] = [{ kind: 'ServiceAccount', name: binder, namespace: name }];
  if (roleBinding === undefined) {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: binder };
    return {
      kind: 'act',
      action: {
        type: 'create',
        object: {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'RoleBinding',
          metadata: { name: binder, namespace: name },
          subjects,
          roleRef,
        },
      },
    };
  }
  if (roleBinding.metadata.deletionTimestamp !== undefined) return { kind: 'none' };
  const { roleRef } = roleBinding;
  if (roleRef.kind !== 'ClusterRole' || roleRef.name !== binder)
    return { kind: 'conflict', role: `${roleRef.kind} "${roleRef.name}"` };
  const [only, ...others] = roleBinding.subjects ?? [];
  const isRight =
    others.length === 0 && only?.kind === 'ServiceAccount' && only.name === binder && only.namespace === name;
  return isRight ? { kind: 'none' } : { kind: 'act', action: { type: 'setSubjects', roleBinding, subjects } };
}
