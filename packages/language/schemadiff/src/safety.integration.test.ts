import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Client, type KubeObject, type Resource, createClient, isApiError } from '@hawser/client';
import { describeWithControlPlane, eventually, sharedControlPlane, uniqueGroup } from '@hawser/testenv';
import fc from 'fast-check';
import { compareDefinitions, definitionOf } from './index.js';
import { cases } from './testing/schemas.js';
import { type Spec, specOf } from './testing/pairs.js';

const definitions: Resource = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };

describeWithControlPlane('safe changes, judged by a real API server', () => {
  let client: Client;
  const made: string[] = [];

  beforeAll(async () => {
    client = createClient({ name: 'provider', connection: (await sharedControlPlane('provider')).connection });
  });
  afterAll(async () => {
    for (const name of made) await client.delete(definitions, { name });
    await client.close();
  });

  it('no object that it took before is refused or cut afterwards', async () => {
    const group = uniqueGroup('safety');
    const pairs = fc
      .sample(cases, { numRuns: 1500, seed: 20_261_123 })
      .map((one, at) => ({
        ...one,
        before: { ...specOf('Thing', one.before), ...naming(group, at) },
        after: { ...specOf('Thing', one.after), ...naming(group, at) },
      }))
      .filter(
        ({ before, after }) =>
          !same(before, after) && compareDefinitions(definitionOf(before), definitionOf(after)).severity === 'safe',
      )
      .slice(0, 14);
    expect(pairs.length).toBe(14);
    let judged = 0;
    for (const { before, after, specs } of pairs) {
      const { plural } = before.names;
      const resource: Resource = { group, version: 'v1', resource: plural };
      const name = `${plural}.${group}`;
      try {
        await client.create(definitions, {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name },
          spec: before,
        } as KubeObject);
      } catch (error) {
        // Not every generated schema makes a CRD.
        if (isApiError(error) && error.code === 'Invalid') continue;
        throw error;
      }
      made.push(name);
      const create = (spec: unknown, at: number): Promise<KubeObject & { readonly spec?: unknown }> =>
        client.create(
          resource,
          {
            apiVersion: `${group}/v1`,
            kind: before.names.kind,
            metadata: { namespace: 'default', name: `x${at}` },
            spec,
          } as KubeObject,
          { dryRun: true },
        );
      await eventually(async () => {
        expect((await client.list(resource, { namespace: 'default' })).items).toEqual([]);
      });
      const taken: unknown[] = [];
      for (const [at, spec] of specs.entries()) {
        try {
          taken.push((await create(spec, at)).spec);
        } catch (error) {
          if (!isApiError(error) || error.code !== 'Invalid') throw error;
        }
      }
      const changed = await client
        .patch(
          definitions,
          { name },
          {
            type: 'merge',
            patch: { spec: { versions: after.versions, names: { singular: `${String(before.names['singular'])}x` } } },
          },
        )
        .catch((error: unknown) => error);
      if (changed instanceof Error) {
        if (isApiError(changed) && changed.code === 'Invalid') continue;
        throw changed;
      }
      // The names are taken over after the schema is served.
      await eventually(async () => {
        expect(
          (
            await client.get<
              KubeObject & { readonly status?: { readonly acceptedNames?: { readonly singular?: string } } }
            >(definitions, { name })
          ).status?.acceptedNames?.singular,
        ).toMatch(/x$/u);
      });
      for (const [at, spec] of taken.entries()) {
        expect((await create(spec, at)).spec).toEqual(spec);
        judged += 1;
      }
    }
    expect(judged).toBeGreaterThan(10);
  }, 300_000);
});

function naming(group: string, at: number): Pick<Spec, 'group' | 'names'> {
  return {
    group,
    names: { kind: `Thing${at}`, plural: `thing${at}s`, singular: `thing${at}`, listKind: `Thing${at}List` },
  };
}

function same(before: Spec, after: Spec): boolean {
  return JSON.stringify(before.versions) === JSON.stringify(after.versions);
}
