import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { crdYAML } from '@hawser/crd';
import { conditionTypes } from '../conditions/types.js';
import { consumerCRDs, crds, providerCRDs } from './crds.js';

const folder = join(import.meta.dirname, '../../crds');

describe('manifests', () => {
  it('are those of the source; `npm run crds` writes them', () => {
    const files = crds.map((crd) => `${crd.spec.group}_${crd.spec.names.plural}.yaml`);
    expect(readdirSync(folder).sort()).toEqual([...files].sort());
    for (const [index, file] of files.entries())
      expect(readFileSync(join(folder, file), 'utf8')).toBe(crdYAML(crds[index]!));
  });
});

describe('crds', () => {
  it('cover both sides', () => {
    const names = (list: typeof crds): string[] => list.map(({ metadata }) => metadata.name);
    expect(
      names(crds)
        .filter((name) => !name.startsWith('apiconversions.'))
        .sort(),
    ).toEqual([...names(consumerCRDs), ...names(providerCRDs)].sort());
  });

  it('store v1alpha2 and serve every version', () => {
    for (const { spec } of crds) {
      expect(spec.versions.filter(({ storage }) => storage).map(({ name }) => name)).toEqual(['v1alpha2']);
      expect(spec.versions.every(({ served }) => served)).toBe(true);
    }
  });

  it('show of a binding, beside the columns of the Go programs, whether its objects are in step', () => {
    const columnsOf = (plural: string): readonly (readonly string[] | undefined)[] | undefined =>
      crds
        .find(({ spec }) => spec.names.plural === plural)
        ?.spec.versions.map(({ additionalPrinterColumns }) => additionalPrinterColumns?.map(({ name }) => name));
    const ofGo = ['Provider', 'Resources', 'Ready', 'Message', 'Age'];
    expect(columnsOf('apiservicebindings')).toEqual(Array(2).fill(ofGo.toSpliced(3, 0, 'InSync')));
    expect(columnsOf('apiservicebindingbundles')).toEqual([ofGo]);
    expect(
      crds.find(({ spec }) => spec.names.plural === 'apiservicebindings')?.spec.versions[1]
        ?.additionalPrinterColumns?.[3],
    ).toEqual({
      name: 'InSync',
      type: 'string',
      jsonPath: `.status.conditions[?(@.type=="${conditionTypes.objectsInSync}")].status`,
    });
  });

  it('serve v1alpha1 of five kinds', () => {
    const old = crds
      .filter(({ spec }) => spec.versions.some(({ name }) => name === 'v1alpha1'))
      .map(({ spec }) => spec.names.kind);
    expect(old).toEqual([
      'APIServiceBinding',
      'APIServiceExport',
      'APIServiceExportRequest',
      'APIServiceNamespace',
      'ClusterBinding',
    ]);
  });
});
