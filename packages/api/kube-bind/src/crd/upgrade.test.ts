import { describe, expect, it } from '@jest/globals';
import { type CRDVersion, type CustomResourceDefinition, upgradedVersions } from '@hawser/crd';
import { crdOf, crds } from './crds.js';

const wanted = crdOf('APIServiceBinding');
const v1alpha1 = wanted.spec.versions[0]!;
const v1alpha2 = wanted.spec.versions[1]!;

function withVersions(versions: readonly CRDVersion[]): CustomResourceDefinition {
  return { ...wanted, spec: { ...wanted.spec, versions } };
}

type Node = { properties: Record<string, Node>; items: Node; required?: string[]; [field: string]: unknown };

/** A copy of a version whose schema `change` may edit. */
function edited(version: CRDVersion, change: (root: Node) => void): CRDVersion {
  const copy = structuredClone(version);
  change(copy.schema?.openAPIV3Schema as unknown as Node);
  return copy;
}

describe('upgradedVersions', () => {
  it('has nothing to do on what is ours already', () => {
    for (const crd of crds) expect(upgradedVersions(crd, crd)).toBeUndefined();
  });

  it('adds a missing version and stores it, where only an older one was', () => {
    const result = upgradedVersions(withVersions([{ ...v1alpha1, storage: true }]), wanted);
    expect(result).toEqual([v1alpha1, v1alpha2]);
  });

  it('adds a missing version that is not the stored one', () => {
    expect(upgradedVersions(withVersions([v1alpha2]), wanted)).toEqual([v1alpha2, v1alpha1]);
  });

  it('leaves storage to a version that it does not know', () => {
    const newer: CRDVersion = { ...v1alpha2, name: 'v1beta1', storage: true };
    const result = upgradedVersions(withVersions([{ ...v1alpha1, storage: false }, newer]), wanted);
    expect(result?.map(({ name, storage }) => [name, storage])).toEqual([
      ['v1alpha1', false],
      ['v1beta1', true],
      ['v1alpha2', false],
    ]);
  });

  it('leaves a newer CRD alone: further versions, fields, looser rules, descriptions, columns', () => {
    const newer = withVersions([
      edited(v1alpha1, (root) => {
        root.properties['spec']!.properties['fresh'] = { type: 'string' } as unknown as Node;
      }),
      {
        ...edited(v1alpha2, (root) => {
          root['description'] = 'other words';
          root.properties['spec']!.required = [];
          delete root.properties['spec']!.properties['kubeconfigSecretRef']!['x-kubernetes-validations'];
        }),
        storage: false,
        additionalPrinterColumns: [],
      },
      { ...v1alpha2, name: 'v1beta1', storage: true },
    ]);
    expect(upgradedVersions(newer, wanted)).toBeUndefined();
  });

  it('adds missing fields at any depth, and requires them where ours are required', () => {
    const older = edited(v1alpha2, (root) => {
      const status = root.properties['status']!;
      delete status.properties['boundSchemas'];
      delete status.properties['permissionClaims']!.items.properties['selector'];
      status.properties['permissionClaims']!.items.required = ['resource'];
    });
    const result = upgradedVersions(withVersions([v1alpha1, older]), wanted);
    const status = (version: CRDVersion | undefined): Node =>
      (version?.schema?.openAPIV3Schema as unknown as Node).properties['status']!;
    expect(status(result?.[1]).properties['boundSchemas']).toEqual(status(v1alpha2).properties['boundSchemas']);
    expect(status(result?.[1]).properties['permissionClaims']!.items).toEqual(
      status(v1alpha2).properties['permissionClaims']!.items,
    );
    expect(result?.[0]).toBe(v1alpha1);
  });

  it('keeps what it does not know beside what it adds', () => {
    const mixed = edited(v1alpha2, (root) => {
      delete root.properties['status']!.properties['boundSchemas'];
      root.properties['status']!.properties['fresh'] = { type: 'string' } as unknown as Node;
    });
    const [, result] = upgradedVersions(withVersions([v1alpha1, mixed]), wanted) ?? [];
    const { properties } = (result?.schema?.openAPIV3Schema as unknown as Node).properties['status']!;
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(['fresh', 'boundSchemas', 'conditions']));
  });

  it('misses nothing where unknown fields are kept anyway', () => {
    const open = edited(v1alpha2, (root) => {
      root.properties['status'] = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as unknown as Node;
    });
    expect(upgradedVersions(withVersions([v1alpha1, open]), wanted)).toBeUndefined();
  });

  it('adds a missing status subresource', () => {
    const result = upgradedVersions(withVersions([v1alpha1, { ...v1alpha2, subresources: undefined }]), wanted);
    expect(result?.[1]?.subresources).toEqual({ status: {} });
  });

  it('after it there is nothing left to do', () => {
    const installed = withVersions([{ ...v1alpha1, storage: true, subresources: {} }]);
    const versions = upgradedVersions(installed, wanted);
    expect(upgradedVersions(withVersions(versions ?? []), wanted)).toBeUndefined();
  });
});
