import { describe, expect, it } from '@jest/globals';
import { decideCluster } from './decide-cluster.js';

describe('decideCluster', () => {
  it('makes a Cluster that is missing, and leaves one that is there', () => {
    expect(decideCluster({ cluster: undefined })).toEqual({ actions: [{ type: 'create' }] });
    expect(
      decideCluster({
        cluster: { apiVersion: 'kube-bind.io/v1alpha2', kind: 'Cluster', metadata: { name: 'default' }, spec: {} },
      }),
    ).toEqual({ actions: [] });
  });
});
