import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { KubeObject } from '@hawser/client';
import { sha1Hex, sha1Short } from './hash/sha1.js';
import { annotations, labels, relatedAnnotation } from './metadata.js';
import {
  identityAnnotations,
  identityLabels,
  identityOf,
  identitySelector,
  type RemoteIdentity,
} from './remote-identity.js';
import { stateKey, stateSecretLabels, stateSecretName } from './state.js';

describe('hashes', () => {
  it.each([['my-test-thing', 'c346c8ceb5d104cc783d09b95e8ea7032c190948']])('of %s', (text, hash) => {
    expect(sha1Hex(text)).toBe(hash);
  });

  it.each([
    ['objnamespace', 'e75ee3d444e238331f6a'],
    ['objname', '8b09d63c82efb771a2c5'],
  ])('short of %s', (text, hash) => {
    expect(sha1Short(text)).toBe(hash);
  });

  it('are over the bytes of UTF-8', () => {
    expect(sha1Hex('é')).toBe('bf15be717ac1b080b4f1c456692825891ff5073d');
  });
});

describe('the state of an object', () => {
  const cluster = 'testcluster';

  it.each<[RemoteIdentity, string]>([
    [{ cluster, name: 'my-test-thing' }, 'a16ba5bed9c69c6ab2bd4e6d9b41b501ba9e5f56'],
    [{ cluster, namespace: 'default', name: 'my-crontab' }, 'ba6b92e7ed17509603b449355d5d4cbce3e526c0'],
    [{ cluster: '', namespace: 'synced-default', name: 'my-credentials' }, 'd51d53c4dd32d5b82de4a926cf9a9d09161fb7d9'],
  ])('is kept under its key: %j', (identity, key) => {
    expect(stateKey(identity)).toBe(key);
    expect(stateKey({ ...identity, namespace: identity.namespace ?? '' })).toBe(key);
  });

  it.each([
    [
      { cluster: 'c1', apiVersion: 'remote.example.corp/v1alpha1', kind: 'RemoteThing', name: 'my-test-thing' },
      'obj-state-c1-3d0c059b55bd46ca57a3',
    ],
    [
      { cluster: 'c2', apiVersion: 'kcp.example.com/v1', kind: 'CronTab', namespace: 'default', name: 'my-crontab' },
      'obj-state-c2-3d62e88a9631d524a143',
    ],
  ])('is in the Secret of its published object: %j', (subject, name) => {
    expect(stateSecretName(subject)).toBe(name);
  });

  it('is labelled with whose it is', () => {
    expect(stateSecretLabels({ cluster, name: 'my-test-thing' })).toEqual({
      'syncagent.kcp.io/object-state': 'true',
      'syncagent.kcp.io/remote-object-cluster': 'testcluster',
      'syncagent.kcp.io/remote-object-name-hash': 'c346c8ceb5d104cc783d09b95e8ea7032c190948',
    });
  });
});

describe('whose copy an object is', () => {
  const copyOf = (identity: RemoteIdentity, path?: string): KubeObject => ({
    apiVersion: 'example.com/v1',
    kind: 'Database',
    metadata: {
      name: 'copy',
      labels: { team: 'a', ...identityLabels(identity) },
      annotations: { note: 'b', ...identityAnnotations(identity, path) },
    },
  });
  const identities: fc.Arbitrary<RemoteIdentity> = fc.record(
    { cluster: fc.string({ minLength: 1 }), namespace: fc.string({ minLength: 1 }), name: fc.string({ minLength: 1 }) },
    { requiredKeys: ['cluster', 'name'] },
  );

  it('is read from what was written', () => {
    fc.assert(
      fc.property(identities, fc.option(fc.string(), { nil: undefined }), (identity, path) => {
        expect(identityOf(copyOf(identity, path))).toEqual(identity);
      }),
    );
  });

  it('is said in full', () => {
    const identity = { cluster: '1abc', namespace: 'default', name: 'one' };
    expect(copyOf(identity, 'root:org').metadata).toMatchObject({
      labels: {
        'syncagent.kcp.io/remote-object-cluster': '1abc',
        'syncagent.kcp.io/remote-object-name-hash': 'fe05bcdcdc4928012781a5f1a2a77cbb5398e106',
        'syncagent.kcp.io/remote-object-namespace-hash': '7505d64a54e061b7acd54ccd58b49dc43500b635',
      },
      annotations: {
        'syncagent.kcp.io/remote-object-namespace': 'default',
        'syncagent.kcp.io/remote-object-name': 'one',
        'syncagent.kcp.io/remote-object-workspace-path': 'root:org',
      },
    });
  });

  it('has nothing of a namespace where there is none', () => {
    const { labels: has = {}, annotations: existing = {} } = copyOf({
      cluster: 'c',
      namespace: '',
      name: 'one',
    }).metadata;
    expect(Object.keys({ ...has, ...existing }).filter((key) => key.includes('namespace'))).toEqual([]);
    expect(identitySelector({ cluster: 'c', name: 'one' })).toBe(
      'syncagent.kcp.io/remote-object-cluster=c,syncagent.kcp.io/remote-object-name-hash=fe05bcdcdc4928012781a5f1a2a77cbb5398e106,!syncagent.kcp.io/remote-object-namespace-hash',
    );
    expect(identitySelector({ cluster: 'c', namespace: 'n', name: 'one' })).not.toContain('!');
  });

  it.each<[string, (copy: KubeObject) => KubeObject]>([
    [
      'another name',
      (copy) => ({
        ...copy,
        metadata: { ...copy.metadata, annotations: { ...copy.metadata.annotations, [annotations.remoteName]: 'two' } },
      }),
    ],
    [
      'another namespace',
      (copy) => ({
        ...copy,
        metadata: {
          ...copy.metadata,
          annotations: { ...copy.metadata.annotations, [annotations.remoteNamespace]: 'kube-system' },
        },
      }),
    ],
    ['no name', (copy) => ({ ...copy, metadata: { ...copy.metadata, annotations: {} } })],
    [
      'no cluster',
      (copy) => ({
        ...copy,
        metadata: { ...copy.metadata, labels: { ...copy.metadata.labels, [labels.remoteCluster]: '' } },
      }),
    ],
    ['no labels', (copy) => ({ ...copy, metadata: { ...copy.metadata, labels: undefined } })],
  ])("is nobody's with %s", (_, change) => {
    const copy = copyOf({ cluster: 'c', namespace: 'default', name: 'one' });
    expect(identityOf(copy)).toBeDefined();
    expect(identityOf(change(copy))).toBeUndefined();
  });
});

describe('relatedAnnotation', () => {
  it('counts', () => {
    expect(relatedAnnotation('credentials', 0)).toBe('related-resources.syncagent.kcp.io/credentials.0');
  });
});
