import type { KubeObject } from '@hawser/client';
import { type ClusterBinding, kubeBindDialect } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { decideAccess, type RoleBinding } from './decide-access.js';

const binding: ClusterBinding = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'ClusterBinding',
  metadata: { name: 'cluster', namespace: 'acme' },
  spec: { kubeconfigSecretRef: { name: 'k', key: 'k' }, providerPrettyName: 'Lab' },
};
const namespace: KubeObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'acme', annotations: { 'example-backend.kube-bind.io/identity': 'id' } },
};
const subject = { kind: 'ServiceAccount', name: 'kube-binder', namespace: 'acme' };
const roleBinding = (subjects: RoleBinding['subjects'], role = 'kube-binder', kind = 'ClusterRole'): RoleBinding => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: 'kube-binder', namespace: 'acme' },
  roleRef: { kind, name: role },
  subjects,
});

describe('decideAccess', () => {
  it('binds the consumer in its own namespace', () => {
    expect(decideAccess(kubeBindDialect, { binding, namespace, roleBinding: undefined })).toMatchObject({
      kind: 'act',
      action: {
        type: 'create',
        object: {
          metadata: { name: 'kube-binder', namespace: 'acme' },
          subjects: [subject],
          roleRef: { kind: 'ClusterRole', name: 'kube-binder' },
        },
      },
    });
    expect(decideAccess(kubeBindDialect, { binding, namespace, roleBinding: roleBinding([subject]) })).toEqual({
      kind: 'none',
    });
  });

  it.each([
    ['nobody', []],
    ['null', null],
    ['somebody else', [{ ...subject, name: 'default' }]],
    ['the consumer of another namespace', [{ ...subject, namespace: 'other' }]],
    ['one more', [subject, { kind: 'Group', name: 'system:authenticated' }]],
  ])('leaves no rights to %s', (_, subjects) => {
    expect(decideAccess(kubeBindDialect, { binding, namespace, roleBinding: roleBinding(subjects) })).toMatchObject({
      kind: 'act',
      action: { type: 'setSubjects', subjects: [subject] },
    });
  });

  it.each([
    ['admin', 'ClusterRole'],
    ['kube-binder', 'Role'],
  ])('does not touch one for %s, a %s', (role, kind) => {
    expect(
      decideAccess(kubeBindDialect, { binding, namespace, roleBinding: roleBinding([subject], role, kind) }),
    ).toEqual({ kind: 'conflict', role: `${kind} "${role}"` });
  });

  it("gives nothing in a namespace that is not a consumer's, or is going", () => {
    expect(
      decideAccess(kubeBindDialect, {
        binding,
        namespace: { ...namespace, metadata: { name: 'acme' } },
        roleBinding: undefined,
      }),
    ).toEqual({ kind: 'none' });
    expect(
      decideAccess(kubeBindDialect, {
        binding,
        namespace: { ...namespace, metadata: { ...namespace.metadata, deletionTimestamp: 't' } },
        roleBinding: undefined,
      }),
    ).toEqual({ kind: 'none' });
    expect(decideAccess(kubeBindDialect, { binding: undefined, namespace, roleBinding: undefined })).toEqual({
      kind: 'none',
    });
  });
});
