import { describe, expect, it } from '@jest/globals';
import { decideTargets } from './decide-targets.js';
import { bindingMember, bundleMember } from './observed.js';
import type { SecretReading, ValidSecret } from './secret-reading.js';

const member = bindingMember('databases');
const valid: ValidSecret = {
  kind: 'valid',
  hash: 'h1',
  config: { server: 'https://provider.example', credentials: { kind: 'none' } },
  clusterNamespace: 'kube-bind-1',
};

describe('decideTargets', () => {
  it('connects by a kubeconfig that can be used, to the provider that the member is bound to', () => {
    const { targets, kubeconfigs } = decideTargets([{ member, uid: 'one', secret: valid, pin: 'p1', foreign: false }]);
    expect([...targets]).toEqual([[member, { kind: 'connect', hash: 'h1', pin: 'p1' }]]);
    expect([...kubeconfigs]).toEqual([['h1', valid]]);
  });

  it.each<[string, SecretReading]>([
    ['is missing', { kind: 'missing' }],
    ['is refused', { kind: 'invalid', problem: 'There is no such key.' }],
    ['cannot be read', { kind: 'unreadable', error: 'forbidden' }],
    ['was not looked at yet', { kind: 'unknown' }],
  ])('leaves a member where it is while its Secret %s', (_, secret) => {
    const { targets, kubeconfigs } = decideTargets([{ member, uid: 'one', secret, pin: 'p1', foreign: false }]);
    expect([...targets]).toEqual([[member, { kind: 'stay', pin: 'p1' }]]);
    expect(kubeconfigs.size).toBe(0);
  });

  it.each<[string, SecretReading]>([
    ['valid', valid],
    ['missing', { kind: 'missing' }],
  ])('refuses a member of another cluster, with a Secret that is %s', (_, secret) => {
    expect([...decideTargets([{ member, uid: 'one', secret, pin: undefined, foreign: true }]).targets]).toEqual([
      [member, { kind: 'refused' }],
    ]);
  });

  it('has one kubeconfig for members with the same bytes', () => {
    const { targets, kubeconfigs } = decideTargets([
      { member, uid: 'one', secret: valid, pin: undefined, foreign: true },
      { member: bundleMember('all'), uid: 'one', secret: valid, pin: undefined, foreign: false },
    ]);
    expect([...targets.values()]).toEqual([{ kind: 'refused' }, { kind: 'connect', hash: 'h1', pin: undefined }]);
    expect([...kubeconfigs.keys()]).toEqual(['h1']);
  });
});
