import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { crdYAML, type CustomResourceDefinition } from '@hawser/crd';
import { crds, publishedResourceCRD } from './crds.js';
import { keptStatus, keptStatusFields } from './kept-status.js';

const folder = join(import.meta.dirname, '../../crds');

describe('manifests', () => {
  it('are those of the source; `npm run crds` writes them', () => {
    const files = crds.map((crd) => `${crd.spec.group}_${crd.spec.names.plural}.yaml`);
    expect(readdirSync(folder).sort()).toEqual(files);
    for (const [index, file] of files.entries())
      expect(readFileSync(join(folder, file), 'utf8')).toBe(crdYAML(crds[index]!));
  });
});

type Node = { properties: Record<string, Node>; [field: string]: unknown };

/** The CRD with another schema of the status. */
function withStatus(change: (status: Node, root: Node) => void): CustomResourceDefinition {
  const crd = structuredClone(publishedResourceCRD);
  const root = crd.spec.versions[0]!.schema!.openAPIV3Schema as unknown as Node;
  change(root.properties['status']!, root);
  return crd;
}

const all = ['conditions', 'counts', 'lastError', 'observedGeneration', 'phase', 'resourceSchemaName'];
const kept = (crd: CustomResourceDefinition): string[] => [...keptStatusFields(crd)].sort();

describe('keptStatusFields', () => {
  it('of our CRD are all', () => {
    expect(kept(publishedResourceCRD)).toEqual(all);
  });

  it("of the reference's CRD is one", () => {
    const peers = withStatus((status) => {
      status.properties = { resourceSchemaName: { type: 'string' } as unknown as Node };
    });
    expect(kept(peers)).toEqual(['resourceSchemaName']);
    expect(
      keptStatus({ resourceSchemaName: 'a', phase: 'Syncing', counts: { objects: 1 } }, keptStatusFields(peers)),
    ).toEqual({ resourceSchemaName: 'a' });
  });

  it('are not those of which only a part is stored', () => {
    expect(
      kept(
        withStatus((status) => {
          delete status.properties['counts']!.properties['failing'];
        }),
      ),
    ).toEqual(all.filter((name) => name !== 'counts'));
    expect(
      kept(
        withStatus((status) => {
          delete (status.properties['conditions']!['items'] as Node).properties['observedGeneration'];
        }),
      ),
    ).toEqual(all.filter((name) => name !== 'conditions'));
  });

  it('are all where nothing is pruned', () => {
    expect(
      kept(
        withStatus((status) => {
          status.properties = {};
          status['x-kubernetes-preserve-unknown-fields'] = true;
        }),
      ),
    ).toEqual(all);
    expect(
      kept(
        withStatus((status, root) => {
          root.properties = {};
          root['x-kubernetes-preserve-unknown-fields'] = true;
        }),
      ),
    ).toEqual(all);
  });

  it('are none of a version that is not there, or has no schema', () => {
    const { spec } = publishedResourceCRD;
    expect(kept({ ...publishedResourceCRD, spec: { ...spec, versions: [] } })).toEqual([]);
    expect(
      kept({
        ...publishedResourceCRD,
        spec: { ...spec, versions: spec.versions.map((version) => ({ ...version, schema: undefined })) },
      }),
    ).toEqual([]);
  });
});
