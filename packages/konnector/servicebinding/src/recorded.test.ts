import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KubeObject } from '@hawser/client';
import { equal, parse } from '@hawser/json';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type BoundSchema,
  type ClusterBinding,
  type CustomResourceDefinition,
  resourceGroupName,
} from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { nextStatus } from './commit.js';
import { conclude } from './conclude.js';
import { decide } from './decide.js';
import { WantedCRDs } from './wanted-crds.js';

const recordings = fileURLToPath(new URL('../../../testing/testenv/recorded', import.meta.url));
const folders = readdirSync(recordings).filter((name) => name.startsWith('kube-bind-'));

function read(folder: string, side: 'consumer' | 'provider'): readonly KubeObject[] {
  const lists = parse(readFileSync(join(recordings, folder, `${side}.json`), 'utf8')) as unknown as Readonly<
    Record<string, readonly KubeObject[]>
  >;
  return Object.entries(lists).flatMap(([path, items]) =>
    items.map((item) => ({ ...item, kind: kinds[path.split('/').at(-1) ?? ''] ?? '' })),
  );
}
const kinds: Readonly<Record<string, string>> = {
  apiservicebindings: 'APIServiceBinding',
  apiserviceexports: 'APIServiceExport',
  boundschemas: 'BoundSchema',
  clusterbindings: 'ClusterBinding',
  customresourcedefinitions: 'CustomResourceDefinition',
};
const ofKind = <T extends KubeObject>(objects: readonly KubeObject[], kind: string): readonly T[] =>
  objects.filter((object) => object.kind === kind) as readonly KubeObject[] as readonly T[];

describe('objects of the Go konnector', () => {
  it.each(folders)('%s: are in step as they are', (folder) => {
    const [consumer, provider] = [read(folder, 'consumer'), read(folder, 'provider')];
    const crds = ofKind<CustomResourceDefinition>(consumer, 'CustomResourceDefinition');
    const schemas = ofKind<BoundSchema>(provider, 'BoundSchema');
    const bindings = ofKind<APIServiceBinding>(consumer, 'APIServiceBinding');
    expect(bindings.length).toBeGreaterThan(0);
    for (const binding of bindings) {
      const exported = ofKind<APIServiceExport>(provider, 'APIServiceExport').find(
        ({ metadata }) => metadata.name === binding.metadata.name,
      )!;
      const decision = decide({
        binding,
        export: { kind: 'found', export: exported },
        prettyName: {
          kind: 'known',
          value: ofKind<ClusterBinding>(provider, 'ClusterBinding')[0]!.spec.providerPrettyName,
        },
        nowMs: Date.now(),
        time: Date.now(),
        resources: exported.spec.resources.map((resource) => {
          const name = resourceGroupName(resource);
          const crd = crds.find(({ metadata }) => metadata.name === name)!;
          return {
            name,
            resource,
            schema: new WantedCRDs().of(schemas.find(({ metadata }) => metadata.name === name)!),
            crd: { kind: 'present', object: crd, full: crd },
          };
        }),
      });
      if (decision.kind !== 'bind') throw new Error(decision.kind);
      expect(decision.resources.map(({ kind }) => kind)).toEqual(['inStep']);
      const status = nextStatus(
        binding.status ?? {},
        decision.status,
        conclude(decision.resources.map(({ name }) => ({ kind: 'inStep', name }))),
        Date.now(),
      );
      expect(equal(status, binding.status)).toBe(true);
    }
  });
});
