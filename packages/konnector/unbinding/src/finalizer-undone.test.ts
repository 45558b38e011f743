import { type AdmittedWrite, DirectDispatcher, Store, administrator, createPersonalServer } from '@hawser/apiserver';
import { type Client, createClient } from '@hawser/client';
import { FakeClock, systemClock } from '@hawser/clock';
import { createEfforts } from '@hawser/controller';
import {
  type APIServiceBinding,
  consumerCRDs,
  finalizers,
  getCondition,
  hawserAnnotations,
  installCRDs,
  resources,
} from '@hawser/kube-bind';
import { BindingStatuses } from '@hawser/konnector-connection';
import { noEvents } from '@hawser/telemetry';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type Settled, settle } from './settle.js';
import { UNBOUND } from './reasons.js';

const { signal } = new AbortController();
const clock = new FakeClock();
let strips: boolean;
let client: Client;

beforeEach(async () => {
  strips = false;
  const withoutFinalizer = (object: AdmittedWrite['object']): AdmittedWrite['object'] => {
    const metadata = object['metadata'] as AdmittedWrite['object'] & { readonly finalizers?: readonly string[] };
    return {
      ...object,
      metadata: { ...metadata, finalizers: (metadata.finalizers ?? []).filter((one) => one !== finalizers.unbind) },
    };
  };
  const server = createPersonalServer(
    new Store(),
    { clock: { ...systemClock, now: () => clock.now() } },
    { admission: { mutate: ({ object }) => (strips ? withoutFinalizer(object) : object) } },
  );
  client = createClient({
    name: 'consumer',
    connection: { server: 'https://consumer.invalid', credentials: { kind: 'none' } },
    dispatcher: () => new DirectDispatcher({ server: () => server, user: administrator }),
  });
  await installCRDs(client, consumerCRDs, { clock: systemClock });
  await client.create(resources.apiServiceBindings, {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceBinding',
    metadata: { name: 'databases', annotations: { [hawserAnnotations.unbindPolicy]: 'Delete' } },
    spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: 'kubeconfig', key: 'kubeconfig' } },
  } as APIServiceBinding);
});
afterEach(() => client.close());

const read = (): Promise<APIServiceBinding> =>
  client.get<APIServiceBinding>(resources.apiServiceBindings, { name: 'databases' });
const look = async (): Promise<Settled> =>
  settle(
    {
      client,
      statuses: new BindingStatuses({ client, events: noEvents, clock, random: () => 0.5 }),
      random: () => 0.5,
      holds: createEfforts(clock, () => 0.5),
      events: noEvents,
      recordNamespace: 'kube-bind',
      now: () => clock.now(),
    },
    await read(),
    [],
    signal,
  );

it('a binding says that its unbind policy has no effect while an admission takes the finalizer off, and is written no further', async () => {
  strips = true;
  expect((await look()).requeueAfterMs).toBe(300_000);
  // The server sorts who set which field by the second in which they did: where two sets of one second part, that alone is a change, once.
  clock.stall(300_000);
  await look();
  const reported = await read();
  expect(getCondition(reported.status?.conditions, UNBOUND)).toMatchObject({
    status: 'False',
    reason: 'WritesUndone',
    message: expect.stringMatching(/takes finalizer "hawser\.dev\/unbind" off APIServiceBinding databases.*operator/u),
  });
  clock.stall(300_000);
  await look();
  expect((await read()).metadata.resourceVersion).toBe(reported.metadata.resourceVersion);

  strips = false;
  expect((await look()).requeueAfterMs).toBeUndefined();
  const held = await read();
  expect(held.metadata.finalizers).toEqual([finalizers.unbind]);
  expect(getCondition(held.status?.conditions, UNBOUND)).toBeUndefined();
});
