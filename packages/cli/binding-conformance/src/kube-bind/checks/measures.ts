import { keyOf } from '@hawser/client';
import type { Check } from '../../check.js';
import { CHANGES, OBJECTS, again, inParallel, latencies, rate } from '../../measuring.js';
import type { Probe } from '../../probe.js';
import type { World } from '../world.js';

const needs = ['status-returns'];

/** Figures. Compare them only with others of the same machine. */
export const measures: readonly Check<World>[] = [
  {
    id: 'objects-per-second',
    part: 'konnector',
    level: 'measured',
    title: `${OBJECTS} new objects until each has a copy`,
    source: 'made by 10 at a time, looked at every 0.2 s',
    needs,
    async run(world) {
      const names = Array.from({ length: OBJECTS }, (_, index) => `many-${index}`);
      const began = world.clock.monotonic();
      await inParallel(names, (name) => world.make(name));
      await world.until('each has a copy', async () => {
        const tokens = new Set((await world.copies()).map(({ spec }) => spec.token));
        return names.every((name) => tokens.has(world.tokenOf(name))) ? true : undefined;
      });
      return rate(world.clock.monotonic() - began);
    },
  },
  {
    id: 'change-up',
    part: 'konnector',
    level: 'measured',
    title: `a changed spec until the copy has it, ${CHANGES} times`,
    source: 'the copy is read again at once until it has the change',
    needs,
    run: (world) =>
      times(world, 'measured', async (copy, index) => {
        await world.make('measured', { size: 1_000 + index });
        await again(
          async () => (await world.provider.get<Probe>(world.probes, keyOf(copy))).spec.size === 1_000 + index,
        );
      }),
  },
  {
    id: 'status-back',
    part: 'konnector',
    level: 'measured',
    title: `a changed status until the object has it, ${CHANGES} times`,
    source: 'the object is read again at once until it has the change',
    needs,
    run: (world) =>
      times(world, 'measured-back', async (copy, index) => {
        await world.provider.patch(
          world.probes,
          keyOf(copy),
          { type: 'merge', patch: { status: { seen: index + 1 } } },
          { subresource: 'status' },
        );
        await again(async () => (await world.object('measured-back'))?.status?.seen === index + 1);
      }),
  },
];

/** Duration of `step` with one object and its copy. */
async function times(world: World, name: string, step: (copy: Probe, index: number) => Promise<void>): Promise<string> {
  const { copy } = await world.synced(name);
  return latencies(world.clock, CHANGES, (index) => step(copy, index));
}
