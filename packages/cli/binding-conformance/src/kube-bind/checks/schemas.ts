import { type CustomResourceDefinition, crdName, resources } from '@hawser/kube-bind';
import type { Check } from '../../check.js';
import { type ProbeSchema, typeOfSpecField } from '../../probe.js';
import type { World } from '../world.js';

/** Checks on a changing schema. */
export const schemaChecks: readonly Check<World>[] = [
  {
    id: 'schema-follows',
    part: 'konnector',
    level: 'must',
    title: 'A schema widened by the provider reaches the CRD of the consumer',
    source: 'spec/konnector.md §11',
    needs: ['crd-installed'],
    async run(world) {
      await setSchema(world, 'wider');
      await world.until('the CRD has the new field', async () =>
        (await fieldType(world, 'further')) === 'string' ? true : undefined,
      );
      return undefined;
    },
  },
  {
    id: 'breaking-schema-is-held',
    part: 'konnector',
    level: 'should',
    title: 'A schema that breaks stored objects does not reach the consumer without approval',
    source: 'no client can write objects that no longer fit their schema',
    needs: ['schema-follows', 'object-copied'],
    async run(world) {
      await setSchema(world, 'breaking');
      try {
        await world.never(8_000, async () =>
          (await fieldType(world, 'size')) === 'integer'
            ? undefined
            : 'spec.size of the CRD has another type, while objects have numbers there',
        );
      } finally {
        await setSchema(world, 'wider');
        // The next checks make objects with numbers.
        await world.until('the CRD is as before', async () =>
          (await fieldType(world, 'size')) === 'integer' ? true : undefined,
        );
      }
      return undefined;
    },
  },
];

async function setSchema(world: World, schema: ProbeSchema): Promise<void> {
  await world.installProbes(schema);
  if (world.role === 'konnector') await world.backend.offer(world.name, world.api, schema);
}

async function fieldType(world: World, field: string): Promise<string | undefined> {
  const crd = await world.consumer.get<CustomResourceDefinition>(resources.customResourceDefinitions, {
    name: crdName(world.api.plural, world.api.group),
  });
  return typeOfSpecField(crd.spec.versions, field);
}
