import { kubeBindDialect } from '@hawser/kube-bind';
import { afterEach, expect, it } from '@jest/globals';
import type { DeletionProof } from './observed.js';
import { type EmbeddedPair, openEmbeddedPair } from './testing/embedded-pair.js';

const { fieldManager, finalizer, marks } = kubeBindDialect;
const read = ['get', 'list', 'watch'];

let pair: EmbeddedPair;

afterEach(() => pair.close());

it('proves anew that a standing object loses its copy: a backup may have restored the binding meanwhile', async () => {
  let proof: DeletionProof = { kind: 'byUser' };
  pair = await openEmbeddedPair({ draining: { except: [] } }, { prove: () => Promise.resolve(proof) });
  await pair.allow('provider', read);
  const { metadata } = await pair.clients.consumer.create(pair.resource, pair.object('one', { size: 'small' }));
  const copy = pair.object(
    'one',
    { size: 'small' },
    {
      namespace: 'kube-bind-x-team',
      annotations: marks.ofCopy({
        clusterNamespace: 'kube-bind-x',
        consumerNamespace: 'team',
        consumerUID: metadata.uid ?? '',
      }),
    },
  );
  await pair.clients.provider.create(pair.resource, copy, { fieldManager });
  await pair.clients.consumer.patch(pair.resource, metadata, {
    type: 'merge',
    patch: { metadata: { finalizers: [finalizer] } },
  });
  await pair.pass(5_000);
  expect(pair.requests).toContain('DELETE provider one');

  proof = { kind: 'bindingStands' };
  await pair.allow('provider', ['*']);
  await pair.pass(120_000);
  expect(await pair.on('provider', 'one')).toBeDefined();
  expect((await pair.on('consumer', 'one'))?.metadata.finalizers).toEqual([finalizer]);

  proof = { kind: 'byUser' };
  await pair.pass(30_000);
  expect(await pair.on('provider', 'one')).toBeUndefined();
  expect((await pair.on('consumer', 'one'))?.metadata.finalizers).toBeUndefined();
});
