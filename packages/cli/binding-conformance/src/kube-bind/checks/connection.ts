import {
  type APIServiceBinding,
  type APIServiceExport,
  type ClusterBinding,
  type CustomResourceDefinition,
  crdName,
  fixedNames,
  isOwnedByBinding,
  resources,
} from '@hawser/kube-bind';
import { type Check, Deviation, expectThat } from '../../check.js';
import { probeCrd } from '../../probe.js';
import type { World } from '../world.js';

const needs = ['binding-ready'];

/** Checks on a konnector before it copies anything. */
export const connectionChecks: readonly Check<World>[] = [
  {
    id: 'heartbeat',
    part: 'konnector',
    level: 'must',
    title: 'The konnector reports a heartbeat, its interval and its version on the ClusterBinding',
    source: 'spec/konnector.md §7.2',
    async run(world) {
      const { status } = await world.until('the ClusterBinding has a heartbeat', async () => {
        const found = await world.provider.get<ClusterBinding>(resources.clusterBindings, {
          namespace: world.clusterNamespace,
          name: fixedNames.clusterBinding,
        });
        return found.status?.lastHeartbeatTime === undefined ? undefined : found;
      });
      expectThat(status?.heartbeatInterval !== undefined, 'status.heartbeatInterval is missing');
      expectThat((status.konnectorVersion ?? '') !== '', 'status.konnectorVersion is missing');
      return undefined;
    },
  },
  {
    id: 'binding-ready',
    part: 'konnector',
    level: 'must',
    title: 'The binding becomes ready: SecretValid, InformersSynced, Connected and SchemaInSync are True',
    source: 'spec/konnector.md §12',
    needs: ['request-becomes-export'],
    async run(world) {
      for (const type of ['SecretValid', 'InformersSynced', 'Connected', 'SchemaInSync', 'Ready'])
        await conditionIs(world, type, 'True');
      return undefined;
    },
  },
  {
    id: 'crd-installed',
    part: 'konnector',
    level: 'must',
    title: 'The CRD is installed on the consumer, owned by the binding',
    source: 'spec/konnector.md §7.4',
    needs,
    async run(world) {
      const crd = await world.established(world.consumer, crdName(world.api.plural, world.api.group));
      const binding = await world.consumer.get<APIServiceBinding>(resources.apiServiceBindings, { name: world.name });
      expectThat(isOwnedByBinding(crd, binding), 'its owner is not the binding');
      return undefined;
    },
  },
  {
    id: 'binding-lists-what-is-bound',
    part: 'konnector',
    level: 'must',
    title: 'The status of the binding lists the resource and the claims',
    source: 'spec/konnector.md §7.4',
    needs,
    async run(world) {
      await world.until('the status lists both', async () => {
        const { status } = await world.consumer.get<APIServiceBinding>(resources.apiServiceBindings, {
          name: world.name,
        });
        const isBound = status?.boundSchemas?.some(({ resource }) => resource === world.api.plural) === true;
        const isClaimed = status?.permissionClaims?.some(({ resource }) => resource === 'secrets') === true;
        return isBound && isClaimed ? true : undefined;
      });
      return undefined;
    },
  },
  {
    id: 'export-reported',
    part: 'konnector',
    level: 'must',
    title: 'The konnector reports on the export that it is bound and in step',
    source: 'spec/konnector.md §7.5',
    needs,
    async run(world) {
      await world.until('conditions Connected and ConsumerInSync of the export are True', async () => {
        const { status } = await world.provider.get<APIServiceExport>(resources.apiServiceExports, {
          namespace: world.clusterNamespace,
          name: world.name,
        });
        const isTrue = (type: string): boolean =>
          status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
        return isTrue('Connected') && isTrue('ConsumerInSync') ? true : undefined;
      });
      return undefined;
    },
  },
];

/** Checks on a konnector with a disturbed connection: last, as a failure leaves the disturbance behind. */
export const disturbingChecks: readonly Check<World>[] = [
  {
    id: 'broken-kubeconfig',
    part: 'konnector',
    level: 'must',
    title: 'A broken kubeconfig is repaired or reported, nothing is removed, and the binding recovers',
    source: 'spec/konnector.md §7.2, §15',
    needs: ['object-copied'],
    async run(world) {
      await world.synced('rides-out');
      await world.setSecret('{');
      await world.until('the Secret is as it was, or condition SecretValid of the binding is False', async () =>
        (await world.secret()) !== '{' || (await world.condition('SecretValid'))?.status === 'False' ? true : undefined,
      );
      await stays(world, 'rides-out', 3_000);
      if ((await world.secret()) === '{') await world.setSecret(world.kubeconfig);
      await conditionIs(world, 'SecretValid', 'True');
      await world.make('rides-out', { size: 7 });
      await world.until('a change after that reaches the provider', async () =>
        (await world.copy('rides-out'))?.spec.size === 7 ? true : undefined,
      );
      return undefined;
    },
  },
  {
    id: 'export-lost',
    part: 'konnector',
    level: 'should',
    backend: 'playedByUs',
    title: 'A lost export is reported; objects, CRD and copies stay, and sync continues when it is back',
    source: 'a provider that is restored from a backup must not cost the consumer its objects',
    needs: ['object-copied'],
    async run(world) {
      await world.synced('outlives');
      await world.backend.withdraw(world.name, world.api);
      await conditionIs(world, 'Connected', 'False');
      await stays(world, 'outlives', 3_000);
      await world.backend.offer(world.name, world.api);
      await conditionIs(world, 'Connected', 'True');
      await world.make('outlives', { size: 8 });
      await world.until('a change after that reaches the provider', async () =>
        (await world.copy('outlives'))?.spec.size === 8 ? true : undefined,
      );
      return undefined;
    },
  },
  {
    id: 'foreign-crd',
    part: 'konnector',
    level: 'must',
    backend: 'playedByUs',
    title: 'A CRD with another owner is neither changed nor used, and the binding reports that',
    source: 'spec/konnector.md §7.4, §17.2 (R9)',
    needs,
    async run(world) {
      const { consumer, secondApi } = world;
      const foreign = probeCrd(secondApi, 'wider');
      await world.applyObject(world.provider, resources.customResourceDefinitions, probeCrd(secondApi));
      await world.applyObject(consumer, resources.customResourceDefinitions, foreign);
      const before = await world.established(consumer, foreign.metadata.name);
      const second = world.secondName;
      await world.backend.offer(second, secondApi);
      const { spec } = await consumer.get<APIServiceBinding>(resources.apiServiceBindings, { name: world.name });
      await world.apply(
        consumer,
        resources.apiServiceBindings,
        { metadata: { name: second }, spec: { kubeconfigSecretRef: spec?.kubeconfigSecretRef } },
        'kube-bind.io/v1alpha2',
        'APIServiceBinding',
      );
      await world.until('Ready of the second binding is False', async () =>
        (await world.condition('Connected', second))?.status === 'False' ||
        (await world.condition('SchemaInSync', second))?.status === 'False'
          ? true
          : undefined,
      );
      const after = await consumer.get<CustomResourceDefinition>(resources.customResourceDefinitions, {
        name: foreign.metadata.name,
      });
      expectThat(
        after.metadata.generation === before.metadata.generation && after.metadata.ownerReferences === undefined,
        'the CRD was changed',
      );
      await consumer.delete(resources.apiServiceBindings, { name: second });
      return undefined;
    },
  },
];

export async function conditionIs(world: World, type: string, status: 'True' | 'False'): Promise<void> {
  await world.until(`condition ${type} of the binding is ${status}`, async () => {
    const condition = await world.condition(type);
    if (condition?.status === status) return true;
    throw new Deviation(
      condition === undefined
        ? 'there is no such condition'
        : `it is ${condition.status} (${condition.reason ?? 'no reason'}): ${condition.message ?? ''}`,
    );
  });
}

/** Neither the object nor its copy goes. */
async function stays(world: World, name: string, forMs: number): Promise<void> {
  await world.never(forMs, async () => {
    const object = await world.object(name);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined)
      return `object ${name} was deleted from the consumer`;
    return (await world.copy(name)) === undefined ? `the copy of ${name} was deleted from the provider` : undefined;
  });
}
