import { crdName, resources } from '@hawser/kube-bind';
import type { Check } from '../../check.js';
import type { World } from '../world.js';

/** The last checks: after them, nothing is bound. */
export const endingChecks: readonly Check<World>[] = [
  {
    id: 'unbinding-ends',
    part: 'konnector',
    level: 'should',
    title: 'A deleted binding goes with its CRD and objects, and nothing hangs',
    source: 'spec/konnector.md §15 (R3, R36)',
    needs: ['object-copied'],
    async run(world) {
      await world.synced('is-left');
      await world.consumer.delete(resources.apiServiceBindings, { name: world.name });
      await world.gone(world.consumer, resources.apiServiceBindings, { name: world.name });
      await world.gone(world.consumer, resources.customResourceDefinitions, {
        name: crdName(world.api.plural, world.api.group),
      });
      return undefined;
    },
  },
];
