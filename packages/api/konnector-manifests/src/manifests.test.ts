import { describe, expect, it } from '@jest/globals';
import { isImage, konnectorManifests, resourceOf, standingOf } from './index.js';

const image = 'registry.example.com/hawser:0.1.0';

describe('the manifests of the konnector', () => {
  it('begin with the namespace, have the image, and are of no release of Helm', () => {
    const objects = konnectorManifests({ image });
    expect(objects[0]).toMatchObject({ kind: 'Namespace', metadata: { name: 'kube-bind' } });
    const text = JSON.stringify(objects);
    expect(text).not.toContain('"Helm"');
    expect(text.match(/"image":"[^"]*"/gu)).toEqual([`"image":"${image}"`]);
  });

  it('give the konnector no right that it is not given for a binding', () => {
    const rules = JSON.stringify(konnectorManifests({ image }).filter(({ kind }) => kind.endsWith('Role')));
    expect(rules).not.toContain('"*"');
    expect(rules).toContain('rbac.hawser.dev/aggregate-to-konnector');
  });

  it('can all be applied', () => {
    const types = konnectorManifests({ image }).map((object) => {
      const { group, version, resource } = resourceOf(object);
      return `${group}/${version} ${resource}`;
    });
    expect(types).toContain('admissionregistration.k8s.io/v1 validatingadmissionpolicies');
    expect(types).toContain('policy/v1 poddisruptionbudgets');
    expect(() => resourceOf({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } })).toThrow(RangeError);
  });

  it('are known again, and tell what is of another make', () => {
    const deployment = konnectorManifests({ image }).find(({ kind }) => kind === 'Deployment');
    expect(standingOf(deployment)).toEqual({ kind: 'ours', image });
    expect(standingOf(undefined)).toEqual({ kind: 'absent' });
    expect(standingOf({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'konnector' } })).toEqual({
      kind: 'foreign',
      by: 'something else',
    });
  });

  it('take aliases of hosts', () => {
    const hostAliases = [{ ip: '10.0.0.1', hostnames: ['provider.example.com'] }];
    const deployment = konnectorManifests({ image, hostAliases }).find(({ kind }) => kind === 'Deployment');
    expect(deployment).toMatchObject({ spec: { template: { spec: { hostAliases } } } });
  });

  it.each([
    ['hawser', true],
    [image, true],
    [`registry.example.com:5000/a/b@sha256:${'0'.repeat(64)}`, true],
    ['', false],
    ['-x', false],
    ['a b', false],
    ['a@sha256:0', false],
  ])('%j is an image: %s', (text, is) => {
    expect(isImage(text)).toBe(is);
  });
});
