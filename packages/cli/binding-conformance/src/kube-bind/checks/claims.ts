import { type Secret, resources } from '@hawser/kube-bind';
import type { Check } from '../../check.js';
import { type World, claimedLabel } from '../world.js';

/** Secrets of the consumer that the provider has claimed. */
export const claimChecks: readonly Check<World>[] = [
  {
    id: 'claimed-secret-copied',
    part: 'konnector',
    level: 'must',
    title: 'A Secret that a claim selects is copied to the provider, and follows changes',
    source: 'spec/konnector.md §10',
    needs: ['object-copied'],
    async run(world) {
      await setSecret(world, 'claimed', 'one', claimedLabel);
      await world.until('the Secret has a copy', () => copyOf(world, 'claimed'));
      await setSecret(world, 'claimed', 'two', claimedLabel);
      await world.until('the copy has the new value', async () =>
        (await copyOf(world, 'claimed')) === 'two' ? true : undefined,
      );
      return undefined;
    },
  },
  {
    id: 'other-secrets-stay-at-home',
    part: 'konnector',
    level: 'must',
    title: 'A Secret that no claim selects is not copied',
    source: 'spec/konnector.md §10.1',
    needs: ['claimed-secret-copied'],
    async run(world) {
      await setSecret(world, 'private', 'mine', {});
      // A konnector that copies this one has seen the other, too.
      await setSecret(world, 'claimed-later', 'one', claimedLabel);
      await world.until('a Secret that was made after it has a copy', () => copyOf(world, 'claimed-later'));
      await world.never(2_000, async () =>
        (await copyOf(world, 'private')) === undefined ? undefined : 'a Secret without the label was copied',
      );
      return undefined;
    },
  },
  {
    id: 'claimed-secret-deleted',
    part: 'konnector',
    level: 'must',
    title: 'The copy of a claimed Secret goes with the Secret',
    source: 'spec/konnector.md §10.2',
    needs: ['claimed-secret-copied'],
    async run(world) {
      await world.consumer.delete(resources.secrets, { namespace: world.namespace, name: 'claimed' });
      await world.until('the copy is gone', async () =>
        (await copyOf(world, 'claimed')) === undefined ? true : undefined,
      );
      return undefined;
    },
  },
];

async function setSecret(
  world: World,
  name: string,
  value: string,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  await world.apply(
    world.consumer,
    resources.secrets,
    {
      metadata: { namespace: world.namespace, name, labels },
      data: { value: Buffer.from(value).toString('base64') },
    },
    'v1',
    'Secret',
  );
}

/** The value of the copy, in any of the provider's namespaces for this consumer. */
async function copyOf(world: World, name: string): Promise<string | undefined> {
  const prefix = world.clusterNamespace;
  const { items } = await world.provider.list<Secret>(resources.secrets, { fieldSelector: `metadata.name=${name}` });
  const found = items.find(
    ({ metadata: { namespace = '' } }) => namespace.startsWith(prefix) || namespace.startsWith(world.namespace),
  );
  const value = found?.data?.['value'];
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString();
}
