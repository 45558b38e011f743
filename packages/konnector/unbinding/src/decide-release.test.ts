import { describe, expect, it } from '@jest/globals';
import { decideRelease } from './decide-release.js';

const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'databases.example.com' },
};

describe('decideRelease', () => {
  it('lets objects go once no binding holds them', () => {
    expect(decideRelease({ crd, standing: [false, false] })).toEqual({ actions: [{ type: 'release', crd }] });
  });

  it.each([
    ['a CRD that is gone', undefined, []],
    ['a CRD that no binding owns', crd, []],
    ['a CRD of a binding that stands', crd, [true]],
    ['a CRD of two bindings of which one stands', crd, [false, true]],
  ])('leaves the objects of %s', (_, observed, standing) => {
    expect(decideRelease({ crd: observed, standing })).toEqual({ actions: [] });
  });
});
