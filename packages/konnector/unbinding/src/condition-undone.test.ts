import { finalizers, hawserAnnotations, kubeBindDialect, resources } from '@hawser/kube-bind';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type StrippedSides, openStrippedSides } from '../../konnector-connection/src/testing/stripped-sides.js';
import { createUnbinding } from './unbinding.js';

let sides: StrippedSides;
beforeEach(async () => {
  sides = await openStrippedSides();
});
afterEach(() => sides.close());

it('writes condition Unbound that an admission takes away ever less often, and tells', async () => {
  const { consumer } = sides;
  await sides.bind('databases');
  const change = (annotations: object): Promise<unknown> =>
    consumer.patch(
      resources.apiServiceBindings,
      { name: 'databases' },
      { type: 'merge', patch: { metadata: { annotations } } },
    );
  await change({ [hawserAnnotations.unbindPolicy]: 'Whatever' });
  const running = await sides.run(createUnbinding({ recordNamespace: 'kube-bind', dialect: kubeBindDialect }));
  let touched = 0;
  const touch = (): Promise<unknown> => change({ touched: String(touched++) });
  await sides.during(15, touch);
  const writes = await sides.during(20, touch);
  expect(writes.length).toBeGreaterThanOrEqual(3);
  expect(writes.length).toBeLessThanOrEqual(8);
  expect(running.events.map(({ event }) => event.reason)).toContain('WritesUndone');
});

it('sets a finalizer that an admission takes off ever less often, whatever another writer changes', async () => {
  const { consumer } = sides;
  await sides.bind('databases');
  let tries = 0;
  sides.strip('apiservicebindings', (object) => {
    const metadata = object['metadata'] as { readonly finalizers?: readonly string[] };
    const others = (metadata.finalizers ?? []).filter((one) => one !== finalizers.unbind);
    if (others.length !== (metadata.finalizers ?? []).length) tries += 1;
    return { ...object, metadata: { ...metadata, finalizers: others } };
  });
  const change = (annotations: object): Promise<unknown> =>
    consumer.patch(
      resources.apiServiceBindings,
      { name: 'databases' },
      { type: 'merge', patch: { metadata: { annotations } } },
    );
  await change({ [hawserAnnotations.unbindPolicy]: 'Delete' });
  await sides.run(createUnbinding({ recordNamespace: 'kube-bind', dialect: kubeBindDialect }));
  let touched = 0;
  const touch = (): Promise<unknown> => change({ touched: String(touched++) });
  await sides.during(15, touch);
  const before = tries;
  await sides.during(20, touch);
  expect(tries - before).toBeGreaterThanOrEqual(3);
  expect(tries - before).toBeLessThanOrEqual(8);
});
