import { createApiServer, DirectDispatcher, administrator } from '@hawser/apiserver';
import { createClient } from '@hawser/client';
import { FakeClock, systemClock } from '@hawser/clock';
import { createEfforts } from '@hawser/controller';
import { BindingStatuses } from '@hawser/konnector-connection';
import { type APIServiceBinding, consumerCRDs, hawserAnnotations, installCRDs, resources } from '@hawser/kube-bind';
import { noEvents } from '@hawser/telemetry';
import { expect, it } from '@jest/globals';
import { carryOut } from './settle.js';
import { binding, createBinding } from './testing/bound-databases.js';

it('spreads its next looks while the caches lag behind the live state', async () => {
  const server = createApiServer();
  const client = createClient({
    name: 'consumer',
    connection: { server: 'https://consumer.invalid', credentials: { kind: 'none' } },
    dispatcher: () => new DirectDispatcher({ server, user: administrator }),
  });
  try {
    await installCRDs(client, consumerCRDs, { clock: systemClock });
    await createBinding(client, {});
    const cached = await client.get<APIServiceBinding>(resources.apiServiceBindings, binding);
    const annotations = { [hawserAnnotations.unbindPolicy]: 'Block' };
    await client.patch(resources.apiServiceBindings, binding, { type: 'merge', patch: { metadata: { annotations } } });
    const clock = new FakeClock();
    const pause = async (random: () => number): Promise<number | undefined> => {
      const options = {
        client,
        statuses: new BindingStatuses({ client, events: noEvents, clock, random }),
        random,
        holds: createEfforts(clock, random),
        events: noEvents,
        recordNamespace: 'kube-bind',
        now: () => clock.now(),
      };
      const decision = { actions: [{ type: 'removeFinalizer' }], condition: undefined } as const;
      return (await carryOut(options, cached, decision, new AbortController().signal)).requeueAfterMs;
    };
    expect(await pause(() => 0)).toBe(1_600);
    expect(await pause(() => 0.5)).toBe(2_000);
  } finally {
    await client.close();
    server.stop();
  }
});
