import { keyOf } from '@hawser/client';
import type { Check } from '../../check.js';
import { CHANGES, OBJECTS, again, inParallel, latencies, rate } from '../../measuring.js';
import type { Probe } from '../../probe.js';
import type { AgentWorld } from '../agent-world.js';

const needs = ['status-returns'];

/** Figures. Compare them only with others of the same machine. */
export const agentMeasures: readonly Check<AgentWorld>[] = [
  {
    id: 'objects-per-second',
    part: 'agent',
    level: 'measured',
    title: `${OBJECTS} new objects until each has a copy`,
    source: 'made by 10 at a time, looked at every 0.2 s',
    needs,
    async run(world) {
      const a = await world.consumer('a');
      const names = Array.from({ length: OBJECTS }, (_, index) => `many-${index}`);
      const began = world.clock.monotonic();
      await inParallel(names, (name) => world.make(a, name));
      await world.until('each has a copy', async () => {
        const tokens = new Set((await world.copies()).map(({ spec }) => spec.token));
        return names.every((name) => tokens.has(world.tokenOf(name))) ? true : undefined;
      });
      return rate(world.clock.monotonic() - began);
    },
  },
  {
    id: 'change-down',
    part: 'agent',
    level: 'measured',
    title: `a changed spec until the copy has it, ${CHANGES} times`,
    source: 'the copy is read again at once until it has the change',
    needs,
    async run(world) {
      const a = await world.consumer('a');
      const { copy } = await world.synced(a, 'measured');
      return latencies(world.clock, CHANGES, async (index) => {
        await world.make(a, 'measured', { size: 1_000 + index });
        await again(
          async () => (await world.service.get<Probe>(world.probes, keyOf(copy))).spec.size === 1_000 + index,
        );
      });
    },
  },
  {
    id: 'status-up',
    part: 'agent',
    level: 'measured',
    title: `a changed status until the object has it, ${CHANGES} times`,
    source: 'the object is read again at once until it has the change',
    needs,
    async run(world) {
      const a = await world.consumer('a');
      const { copy } = await world.synced(a, 'measured-back');
      return latencies(world.clock, CHANGES, async (index) => {
        await world.service.patch(
          world.probes,
          keyOf(copy),
          { type: 'merge', patch: { status: { seen: index + 1 } } },
          { subresource: 'status' },
        );
        await again(async () => (await world.object(a, 'measured-back'))?.status?.seen === index + 1);
      });
    },
  },
];
