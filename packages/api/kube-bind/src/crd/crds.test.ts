import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { crdYAML } from '@hawser/crd';
import { consumerCRDs, crds, providerCRDs } from './crds.js';

const folder = join(import.meta.dirname, '../../crds');

describe('manifests', () => {
  it('are those of the source; `npm run crds` writes them', () => {
    const files = crds.map((crd) => `${crd.spec.group}_${crd.spec.names.plural}.yaml`);
    expect(readdirSync(folder).sort()).toEqual([...files].sort());
    for (const [index, file] of files.entries()) expect(readFileSync(join(folder, file), 'utf8')).toBe(crdYAML(crds[index]!));
  });
});

describe('crds', () => {
  it('cover both sides', () => {
    const names = (list: typeof crds): string[] => list.map(({ metadata }) => metadata.name);
    expect(names(crds).filter((name) => !name.startsWith('apiconversions.')).sort()).toEqual([...names(consumerCRDs), ...names(providerCRDs)].sort());
  });

  it('store v1alpha2 and serve every version', () => {
    for (const { spec } of crds) {
      expect(spec.versions.filter(({ storage }) => storage).map(({ name }) => name)).toEqual(['v1alpha2']);
      expect(spec.versions.every(({ served }) => served)).toBe(true);
    }
  });

  it('serve v1alpha1 of five kinds', () => {
    const old = crds.filter(({ spec }) => spec.versions.some(({ name }) => name === 'v1alpha1')).map(({ spec }) => spec.names.kind);
    expect(old).toEqual(['APIServiceBinding', 'APIServiceExport', 'APIServiceExportRequest', 'APIServiceNamespace', 'ClusterBinding']);
  });
});
