import { describe, expect, it } from '@jest/globals';
import { readsUnclaimed } from './accounts.js';

describe('what a konnector reads although nobody has accepted a claim on it', () => {
  it.each([
    ['/api/v1/configmaps?watch=1', true, true],
    ['/api/v1/namespaces/team-0/configmaps/x', true, true],
    ['/api/v1/namespaces/team-0/secrets', true, false],
    ['/api/v1/namespaces/team-0/secrets', false, true],
    ['/api/v1/namespaces/cluster-1hpeqzvtab6zz-team-0/secrets?limit=5', false, true],
    ['/api/v1/secrets?limit=500', false, true],
    ['/api/v1/secrets?labelSelector=hawser.dev%2Fprovider-kubeconfig', false, false],
    ['/api/v1/namespaces/kube-bind/secrets/kubeconfig-databases', false, false],
    ['/api/v1/namespaces/team-0', false, false],
    ['/apis/example.com/v1/namespaces/team-0/databases', false, false],
  ])('%s, where Secrets are claimed: %s', (path, areSecretsClaimed, expected) => {
    expect(readsUnclaimed(path, areSecretsClaimed)).toBe(expected);
  });
});
