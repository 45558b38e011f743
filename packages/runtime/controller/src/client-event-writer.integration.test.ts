import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Client, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type EventRecorder, type Logger, createEventRecorder, createMetrics, silentLogger } from '@hawser/telemetry';
import {
  type ClusterAccess,
  type SharedControlPlane,
  describeWithControlPlane,
  sharedControlPlane,
  uniqueNamespace,
} from '@hawser/testenv';
import { clientEventWriter } from './client-event-writer.js';

const namespaces = { group: '', version: 'v1', resource: 'namespaces' };
const events = { group: '', version: 'v1', resource: 'events' };
const message = { type: 'Warning', reason: 'NotInStep', message: 'The provider refuses the object.' } as const;

describeWithControlPlane('events on a real API server', () => {
  let cluster: SharedControlPlane;
  let namespace: string;
  let client: Client;
  const clients: Client[] = [];

  const connect = (access: ClusterAccess): Client => {
    const made = createClient({ name: 'test', connection: access.connection });
    clients.push(made);
    return made;
  };

  function recorder(writer: Client): { readonly events: EventRecorder; readonly warnings: string[] } {
    const warnings: string[] = [];
    const logger: Logger = {
      ...silentLogger,
      warn: (text) => {
        warnings.push(text);
      },
    };
    return {
      events: createEventRecorder({
        writer: clientEventWriter(writer),
        component: 'hawser-test',
        clock: systemClock,
        random: Math.random,
        logger,
        metrics: createMetrics(),
      }),
      warnings,
    };
  }

  beforeAll(async () => {
    cluster = await sharedControlPlane('consumer');
    client = connect(cluster);
    namespace = uniqueNamespace('events');
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  });

  afterAll(async () => {
    await Promise.all(clients.map((each) => each.close()));
  });

  it('are accepted, counted up, and shown by kubectl', async () => {
    const { events: recorded, warnings } = recorder(client);
    const object = { apiVersion: 'example.com/v1', kind: 'Database', name: 'orders', namespace, uid: 'u1' };
    for (let i = 0; i < 3; i++) {
      recorded.record(object, message);
      await recorded.flush();
    }
    recorded.record(object, { ...message, message: '€'.repeat(2000), reason: 'R'.repeat(200) });
    await recorded.flush();
    expect(warnings).toEqual([]);
    const { items } = await client.list(events, { namespace });
    expect(items.map(({ count, reportingComponent }) => [count, reportingComponent]).sort()).toEqual([
      [1, 'hawser-test'],
      [3, 'hawser-test'],
    ]);
    expect(
      await cluster.kubectl([
        '-n',
        namespace,
        'get',
        'events',
        '--field-selector',
        'involvedObject.name=orders,reason=NotInStep',
      ]),
    ).toContain('The provider refuses the object.');
  });

  it('about cluster-scoped objects lie in the namespace default', async () => {
    const { events: recorded, warnings } = recorder(client);
    const name = `${namespace}-scope:X_y`;
    recorded.record({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name }, message);
    await recorded.flush();
    expect(warnings).toEqual([]);
    const { items } = await client.list(events, { namespace: 'default', fieldSelector: `involvedObject.name=${name}` });
    expect(items).toHaveLength(1);
  });

  it('are given up, and told once, where they are forbidden, where there is no namespace, and where it is ending', async () => {
    const forbidden = recorder(connect(await cluster.userAccess('nobody-in-particular')));
    const missing = recorder(client);
    const ending = uniqueNamespace('ending');
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ending } });
    await client.delete(namespaces, { name: ending });
    for (const name of ['a', 'b']) {
      forbidden.events.record({ apiVersion: 'v1', kind: 'ConfigMap', name, namespace }, message);
      missing.events.record(
        { apiVersion: 'v1', kind: 'ConfigMap', name, namespace: uniqueNamespace('never') },
        message,
      );
      missing.events.record({ apiVersion: 'v1', kind: 'ConfigMap', name, namespace: ending }, message);
    }
    await Promise.all([forbidden.events.flush(), missing.events.flush()]);
    expect(forbidden.warnings).toEqual(['Events are refused in this namespace; this is logged once.']);
    // Two missing namespaces and the one that is ending.
    expect(missing.warnings).toHaveLength(3);
  });
});
