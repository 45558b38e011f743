import { describe, expect, it } from '@jest/globals';
import { isEvent, nameOfCreated, readsUnclaimed } from './accounts.js';

describe('what is counted as one write', () => {
  it.each([
    ['POST', JSON.stringify({ metadata: { name: 'a' } }), '/a'],
    ['POST', JSON.stringify({ metadata: { generateName: 'a-' } }), ''],
    ['POST', JSON.stringify({ spec: {} }), ''],
    ['POST', '', ''],
    ['PUT', JSON.stringify({ metadata: { name: 'a' } }), ''],
    ['PATCH', JSON.stringify([{ op: 'test', path: '/metadata/uid', value: 'a' }]), ''],
  ])('a %s of %s is told by the path and %j', (method, body, expected) => {
    expect(nameOfCreated({ method, path: '/api/v1/namespaces/n/secrets', headers: {}, body })).toBe(expected);
  });

  it.each([
    ['/api/v1/namespaces/n/events', true],
    ['/apis/events.k8s.io/v1/namespaces/n/events/x?force=true', true],
    ['/api/v1/namespaces/events-of/secrets', false],
  ])('an Event is none: %s', (path, expected) => {
    expect(isEvent({ method: 'POST', path, headers: {} })).toBe(expected);
  });
});

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
