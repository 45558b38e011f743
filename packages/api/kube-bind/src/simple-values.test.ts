import { describe, expect, it } from '@jest/globals';
import { formatDuration, parseDuration } from './duration.js';
import { konnectorVersion, VersionError } from './konnector-version.js';
import {
  clusterNamespaceName,
  consumerIdentityOf,
  groupResourceString,
  isClaimable,
  resourceGroupName,
  serviceNamespaceName,
} from './names.js';
import { formatTime, parseTime } from './time.js';

describe('konnectorVersion', () => {
  it.each([
    ['v1.25.2+kube-bind-v0.0.15', 'v0.0.15'],
    ['v1.35.1+kube-bind-v0.8.1-12-gabc', 'v0.8.1'],
    ['v1.25.2+kube-bind-v0.0.15-dirty', 'v0.0.15'],
    ['v0.0.0-master+$Format:%H$', 'v0.0.0'],
  ])('of %s is %s', (gitVersion, expected) => {
    expect(konnectorVersion(gitVersion)).toBe(expected);
  });

  it.each(['v1.25.2+kube-bla-v0.0.15', 'v1.25.2+foo', 'v1.25.2', ''])('refuses %j', (gitVersion) => {
    expect(() => konnectorVersion(gitVersion)).toThrow(VersionError);
  });
});

describe('durations', () => {
  it.each([
    ['5m0s', 300_000],
    ['1h0m0s', 3_600_000],
    ['30s', 30_000],
    ['0s', 0],
    ['1.5s', 1500],
    ['250ms', 250],
    ['1h30m5s', 5_405_000],
    ['-1m0s', -60_000],
  ])('%s both ways', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
    expect(formatDuration(ms)).toBe(text);
  });

  it.each([
    ['300s', 300_000],
    ['1h30m', 5_400_000],
    ['0', 0],
    ['.5s', 500],
    ['1.h', 3_600_000],
    ['+2m', 120_000],
    ['1µs', 0.001],
    ['24h1m1s', 86_461_000],
  ])('reads %s', (text, ms) => {
    expect(parseDuration(text)).toBeCloseTo(ms, 9);
  });

  it.each(['', '5', 's', '5 m', '1d', '1h 1m', 'abc', '--1s', '.s'])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe('times', () => {
  it('are whole seconds in UTC', () => {
    expect(formatTime(Date.UTC(2026, 10, 21, 15, 20, 43, 999))).toBe('2026-11-21T15:20:43Z');
    expect(formatTime(new Date('2026-11-21T17:20:43.5+02:00'))).toBe('2026-11-21T15:20:43Z');
  });

  it('are read with and without fraction and offset', () => {
    expect(parseTime('2026-11-21T15:20:43Z')).toBe(Date.UTC(2026, 10, 21, 15, 20, 43));
    expect(parseTime('2026-11-21T17:20:43.250+02:00')).toBe(Date.UTC(2026, 10, 21, 15, 20, 43, 250));
  });

  it.each([undefined, '', 'yesterday', '2026-11-21', '2026-13-41T00:00:00Z'])('are not read from %j', (text) => {
    expect(parseTime(text)).toBeUndefined();
  });
});

describe('names', () => {
  it('of resources', () => {
    expect(resourceGroupName({ group: 'example.com', resource: 'widgets' })).toBe('widgets.example.com');
    expect(resourceGroupName({ group: '', resource: 'secrets' })).toBe('secrets.core');
    expect(resourceGroupName({ resource: 'secrets' })).toBe('secrets.core');
    expect(groupResourceString({ group: 'example.com', resource: 'widgets' })).toBe('widgets.example.com');
    expect(groupResourceString({ group: '', resource: 'secrets' })).toBe('secrets.');
  });

  it('of namespaces', () => {
    expect(clusterNamespaceName('kube-bind-', 'acme-cluster-1')).toBe('kube-bind-v6gv14ju4xw7');
    expect(serviceNamespaceName('None', 'cluster-x', 'team-a')).toBe('team-a');
    expect(serviceNamespaceName('Prefixed', 'cluster-x', 'team-a')).toBe('cluster-x-team-a');
    expect(serviceNamespaceName('Namespaced', 'cluster-x', 'team-a')).toBe('cluster-x-team-a');
  });

  it('of what can be claimed', () => {
    expect(isClaimable({ group: '', resource: 'secrets' })).toBe(true);
    expect(isClaimable({ group: 'example.com', resource: 'secrets' })).toBe(false);
    expect(isClaimable({ group: '', resource: 'pods' })).toBe(false);
  });
});

describe('consumerIdentityOf', () => {
  it.each([
    [{ 'backend.kube-bind.io/identity': 'acme' }, 'acme'],
    [{ 'example-backend.kube-bind.io/identity': 'old' }, 'old'],
    [{ 'backend.kube-bind.io/identity': 'acme', 'example-backend.kube-bind.io/identity': 'old' }, 'acme'],
    [{ 'backend.kube-bind.io/author': 'jane' }, undefined],
    [undefined, undefined],
  ])('%j', (annotations, identity) => {
    expect(consumerIdentityOf({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', annotations } })).toBe(
      identity,
    );
  });
});
