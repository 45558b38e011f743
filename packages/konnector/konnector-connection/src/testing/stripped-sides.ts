import { type AdmittedWrite, DirectDispatcher, Store, administrator, createPersonalServer } from '@hawser/apiserver';
import { type Client, createClient } from '@hawser/client';
import { FakeClock, systemClock } from '@hawser/clock';
import type { Controller } from '@hawser/controller';
import {
  type APIServiceBinding,
  apiVersion,
  consumerCRDs,
  installCRDs,
  providerCRDs,
  resources,
} from '@hawser/kube-bind';
import { type RunningController, runController } from '@hawser/testenv';
import type { ProviderConnection } from '../connection.js';
import { type MutableServedBindings, createServedBindings } from '../served-bindings.js';
import { connectionTo } from './sample-connection.js';

type Change = (object: AdmittedWrite['object']) => AdmittedWrite['object'];

/**
 * Consumer and provider in this process, on a clock of the test. An admission removes all conditions from objects of
 * kube-bind.
 */
export interface StrippedSides {
  readonly clock: FakeClock;
  readonly consumer: Client;
  readonly provider: Client;
  readonly connection: ProviderConnection & { readonly bundles: MutableServedBindings };
  /** From then on, the admission of both sides applies this change to writes of a resource. */
  strip(resource: string, change: Change): void;
  /** Status writes so far, as `<side> <resource>`. */
  readonly writes: readonly string[];
  /** Creates the binding and lets the connection serve it. */
  bind(name: string): Promise<void>;
  /**
   * Writes within so many minutes, with a call of `each` every ten seconds: another writer wakes the running
   * controllers.
   */
  during(minutes: number, each: () => Promise<unknown>): Promise<readonly string[]>;
  run(controller: Controller<'consumer' | 'provider'>): Promise<RunningController>;
  close(): Promise<void>;
}

const clusterNamespace = 'kube-bind-acme';

export async function openStrippedSides(): Promise<StrippedSides> {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const writes: string[] = [];
  const changes = new Map<string, Change>();
  const serverClock = { ...systemClock, now: () => clock.now() };
  const open = async (name: string, crds: typeof consumerCRDs): Promise<{ client: Client; stop: () => void }> => {
    const server = createPersonalServer(
      new Store(),
      { clock: serverClock },
      {
        admission: {
          mutate({ object, resource, subresource }) {
            const change = changes.get(resource.resource);
            if (change !== undefined) return change(object);
            if (!resource.group.endsWith('kube-bind.io') || subresource !== 'status') return object;
            writes.push(`${name} ${resource.resource}`);
            const status = object['status'] as typeof object | undefined;
            return { ...object, status: { ...status, conditions: [] } };
          },
        },
      },
    );
    const client = createClient({
      name,
      connection: { server: `https://${name}.invalid`, credentials: { kind: 'none' } },
      dispatcher: () => new DirectDispatcher({ server: () => server, user: administrator }),
    });
    await installCRDs(client, crds, { clock: systemClock });
    return {
      client,
      stop: () => {
        server.stop();
      },
    };
  };
  const [consumer, provider] = [await open('consumer', consumerCRDs), await open('provider', providerCRDs)];
  const bindings = createServedBindings();
  const running: RunningController[] = [];
  await provider.client.create(resources.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: clusterNamespace },
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  };
  return {
    clock,
    consumer: consumer.client,
    provider: provider.client,
    strip(resource, change) {
      changes.set(resource, change);
    },
    writes,
    connection: connectionTo(clusterNamespace, bindings),
    async bind(name) {
      await consumer.client.create(resources.apiServiceBindings, {
        apiVersion,
        kind: 'APIServiceBinding',
        metadata: { name },
        spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: 'kubeconfig', key: 'kubeconfig' } },
      } as APIServiceBinding);
      bindings.join(name);
    },
    async during(minutes, each) {
      const from = writes.length;
      for (let second = 0; second < minutes * 60; second++) {
        if (second % 10 === 0) await each();
        await clock.advance(1_000);
        await settle();
      }
      return writes.slice(from);
    },
    async run(controller) {
      const one = await runController(controller, { consumer: consumer.client, provider: provider.client }, clock);
      running.push(one);
      return one;
    },
    async close() {
      await Promise.all(running.map((one) => one.stop()));
      await Promise.all([consumer.client.close(), provider.client.close()]);
      consumer.stop();
      provider.stop();
    },
  };
}
