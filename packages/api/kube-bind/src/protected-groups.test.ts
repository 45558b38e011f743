import { describe, expect, it } from '@jest/globals';
import { isProtectedGroup } from './protected-groups.js';

describe('isProtectedGroup', () => {
  it.each([
    '',
    'apps',
    'batch',
    'k8s.io',
    'rbac.authorization.k8s.io',
    'apiextensions.k8s.io',
    'kubernetes.io',
    'policy.kubernetes.io',
    'kcp.io',
    'apis.kcp.io',
    'kube-bind.io',
    'core.kbind.io',
    'hawser.dev',
    'x.hawser.dev',
  ])('refuses %j', (group) => {
    expect(isProtectedGroup(group)).toBe(true);
  });

  it.each([
    'example.com',
    'databases.example.com',
    'cluster.x-k8s.io',
    'notk8s.io',
    'mykubernetes.io',
    'examples.kube-bind.io',
    'k8s.io.example.com',
  ])('allows %j', (group) => {
    expect(isProtectedGroup(group)).toBe(false);
  });
});
