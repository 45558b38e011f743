import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@hawser/client';
import { decideLimits, type LimitTemplates } from './limits.js';

const quota = { spec: { hard: { pods: '1' } }, hash: 'q' };
const range = { spec: { limits: [] }, hash: 'r' };
const templates: LimitTemplates = {
  clusterNamespace: { ResourceQuota: quota },
  serviceNamespace: { ResourceQuota: quota, LimitRange: range },
};
const namespace = (annotations: Readonly<Record<string, string>>, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'n', annotations, ...metadata },
});
const cluster = namespace({ 'backend.kube-bind.io/identity': 'a' });
const service = namespace({ 'kube-bind.io/api-service-namespace': 'kube-bind-a/team-a' });
const limit = (hash?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: {
    name: 'hawser',
    namespace: 'n',
    ...(hash === undefined ? {} : { annotations: { 'hawser.dev/template-hash': hash } }),
  },
});

describe('decideLimits', () => {
  it.each<[string, KubeObject | undefined, Parameters<typeof decideLimits>[2], readonly string[]]>([
    ['a cluster namespace gets its quota', cluster, {}, ['create ResourceQuota']],
    [
      'the root namespace of an AppClusterBinding gets that of a cluster namespace',
      namespace(
        {},
        {
          name: 'klutch-bind-apps-shop',
          labels: {
            'klutch.anynines.com/appclusterbinding-name': 'shop',
            'klutch.anynines.com/appclusterbinding-namespace': 'apps',
          },
        },
      ),
      {},
      ['create ResourceQuota'],
    ],
    ['a service namespace gets both', service, {}, ['create ResourceQuota', 'create LimitRange']],
    ['what is there costs nothing', service, { ResourceQuota: limit('q'), LimitRange: limit('r') }, []],
    ['a changed template is written', cluster, { ResourceQuota: limit('old') }, ['update ResourceQuota']],
    ['what somebody else made stays', cluster, { ResourceQuota: limit() }, []],
    ['a namespace of nobody gets none', namespace({}), {}, []],
    [
      'one that goes gets none',
      namespace({ 'backend.kube-bind.io/identity': 'a' }, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      {},
      [],
    ],
    ['one that is gone gets none', undefined, {}, []],
  ])('%s', (_, found, existing, steps) => {
    expect(decideLimits(templates, found, existing).map(({ type, kind }) => `${type} ${kind}`)).toEqual(steps);
  });

  it('does nothing where nothing is limited', () => {
    expect(decideLimits({ clusterNamespace: {}, serviceNamespace: {} }, service, {})).toEqual([]);
  });
});
