import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isSameClaim, needsIdentityHash } from './kinds/permission-claim.js';
import { clusterNameOf, workspacePathOf } from './metadata.js';
import { formatSchemaName, isLogicalClusterName, isProtectedGroup, parseSchemaName } from './names.js';
import {
  clusterPath,
  virtualWorkspaceOf,
  wildcardPath,
  withWorkspace,
  workspaceOfURL,
  workspacePath,
  WorkspaceURLError,
} from './urls.js';

describe('logical clusters', () => {
  it.each(['1084s8ceexsehjm2', 'ab', 'root-x', 'system:admin', 'a'.repeat(63)])('%s can be one', (name) => {
    expect(isLogicalClusterName(name)).toBe(true);
  });
  it.each(['', 'a', 'root:org', '-a', 'a-', 'A1', '*', '../x', 'system:', 'system:../x', 'a/b', 'a'.repeat(64)])(
    '%j cannot',
    (name) => {
      expect(isLogicalClusterName(name)).toBe(false);
    },
  );

  it('are known of objects that were read from kcp', () => {
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'n', annotations: { 'kcp.io/cluster': 'c1', 'kcp.io/path': '' } },
    };
    expect(clusterNameOf(object)).toBe('c1');
    expect(workspacePathOf(object)).toBeUndefined();
    expect(clusterNameOf({ ...object, metadata: { name: 'n' } })).toBeUndefined();
  });
});

describe('names of schemas', () => {
  it.each([
    ['v1.databases.example.com', { prefix: 'v1', resource: 'databases', group: 'example.com' }],
    [
      'v250827-717cfea84.workspaces.tenancy.kcp.io',
      { prefix: 'v250827-717cfea84', resource: 'workspaces', group: 'tenancy.kcp.io' },
    ],
    ['today.pods.core', { prefix: 'today', resource: 'pods', group: '' }],
  ])('%s comes apart and together again', (name, parts) => {
    expect(parseSchemaName(name)).toEqual(parts);
    expect(formatSchemaName(parts)).toBe(name);
  });

  it.each(['', 'v1', 'v1.databases'])('%j is none', (name) => {
    expect(parseSchemaName(name)).toBeUndefined();
  });
});

describe('groups and claims', () => {
  it.each(['k8s.io', 'rbac.authorization.k8s.io', 'kubernetes.io', 'x.kubernetes.io'])('%s is protected', (group) => {
    expect(isProtectedGroup(group)).toBe(true);
  });
  it.each(['', 'apps', 'example.com', 'notk8s.io', 'k8s.io.example.com'])('%j is not', (group) => {
    expect(isProtectedGroup(group)).toBe(false);
  });

  it.each([
    [{ resource: 'secrets' }, false],
    [{ group: '', resource: 'pods' }, true],
    [{ group: 'apis.kcp.io', resource: 'anything' }, false],
    [{ group: 'core.kcp.io', resource: 'logicalclusters' }, false],
    [{ group: 'core.kcp.io', resource: 'shards' }, true],
    [{ group: 'cert-manager.io', resource: 'certificates' }, true],
    [{ group: 'constructor', resource: 'x' }, true],
  ])('whether a claim on %j needs an identity: %s', (claim, needs) => {
    expect(needsIdentityHash(claim)).toBe(needs);
  });

  it('an empty group and identity are as good as none', () => {
    expect(isSameClaim({ resource: 'secrets' }, { group: '', resource: 'secrets', identityHash: '' })).toBe(true);
    expect(isSameClaim({ resource: 'secrets' }, { resource: 'secrets', identityHash: 'i' })).toBe(false);
    expect(isSameClaim({ resource: 'secrets' }, { group: 'x', resource: 'secrets' })).toBe(false);
  });
});

describe('workspaces in URLs', () => {
  it.each([
    ['https://kcp.example:6443/clusters/root:provider', 'root:provider'],
    ['https://kcp.example/clusters/1abc/', '1abc'],
    ['https://kcp.example/prefix/clusters/root', 'root'],
  ])('%s is %s', (server, workspace) => {
    expect(workspaceOfURL(server)).toBe(workspace);
  });

  it.each([
    'https://kcp.example',
    'https://kcp.example/clusters',
    'https://kcp.example/clusters/',
    'https://kcp.example/clusters/a/clusters/b',
    'kcp',
    '',
    'ftp://kcp/clusters/root',
    'https://kcp.example/?x=/clusters/root',
  ])('%j is refused', (server) => {
    expect(() => workspaceOfURL(server)).toThrow(WorkspaceURLError);
  });

  it('no refusal shows what stands in the URL', () => {
    try {
      workspaceOfURL('https://user:hunter2@kcp.example/');
    } catch (error) {
      expect(String(error)).not.toContain('hunter2');
    }
  });

  it('are exchanged, and the rest stays', () => {
    expect(withWorkspace('https://kcp.example:6443/clusters/root:consumer/', 'root:provider')).toBe(
      'https://kcp.example:6443/clusters/root:provider/',
    );
    expect(withWorkspace('https://kcp.example/clusters/root', 'root')).toBe('https://kcp.example/clusters/root');
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z0-9][a-z0-9:-]{0,10}$/u),
        fc.stringMatching(/^[a-z0-9][a-z0-9:-]{0,10}$/u),
        (from, to) => {
          expect(workspaceOfURL(withWorkspace(`https://kcp.example/clusters/${from}`, to))).toBe(to);
        },
      ),
    );
  });

  it.each(['', '*', '../x', 'a/b', 'A', 'a b', '$&'])('%j is not a workspace to go to', (workspace) => {
    expect(() => withWorkspace('https://kcp.example/clusters/root', workspace)).toThrow(WorkspaceURLError);
    expect(() => workspacePath(workspace)).toThrow(WorkspaceURLError);
  });

  it('a workspace has a base path', () => {
    expect(workspacePath('root:org:team')).toBe('/clusters/root:org:team');
  });
});

describe('virtual workspaces', () => {
  const workspace = virtualWorkspaceOf('https://shard-1.kcp.example:6443/services/apiexport/1abc/example.com/');

  it('have a host and paths', () => {
    expect(workspace).toEqual({
      origin: 'https://shard-1.kcp.example:6443',
      path: '/services/apiexport/1abc/example.com',
    });
    expect(wildcardPath(workspace)).toBe('/services/apiexport/1abc/example.com/clusters/*');
    expect(clusterPath(workspace, '2def')).toBe('/services/apiexport/1abc/example.com/clusters/2def');
  });

  it.each(['root:org', '*', '', '../1abc'])('know no path such as %j', (cluster) => {
    expect(() => clusterPath(workspace, cluster)).toThrow(WorkspaceURLError);
  });
  it.each(['', 'x', 'file:///etc'])('are at no address such as %j', (endpoint) => {
    expect(() => virtualWorkspaceOf(endpoint)).toThrow(WorkspaceURLError);
  });
});
