import { type ApiServer, DirectDispatcher, administrator, createApiServer } from '@hawser/apiserver';
import { type Client, createClient, getIfExists } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import {
  type APIServiceBinding,
  consumerCRDs,
  finalizers,
  getCondition,
  hawserAnnotations,
  installCRDs,
  kubeBindDialect,
  resources,
} from '@hawser/kube-bind';
import { type RunningController, eventually, runController } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { UNBOUND } from './reasons.js';
import { bind, crd, databases, one } from './testing/bound-databases.js';
import { createUnbinding } from './unbinding.js';

let server: ApiServer;
let client: Client;
let running: RunningController;
let writes: string[];
let refuses: boolean;

beforeEach(async () => {
  server = createApiServer();
  client = open('administrator');
  writes = [];
  refuses = false;
  server.setFaults((request, { verb, resource, subresource }) => {
    if (request.headers['user-agent'] !== 'unbinding') return undefined;
    if (['create', 'patch', 'delete'].includes(verb)) writes.push(`${verb} ${resource}/${subresource}`);
    return refuses && verb === 'delete' && resource === 'databases' ? { instead: forbidden } : undefined;
  });
  await installCRDs(client, consumerCRDs, { clock: systemClock });
});
afterEach(async () => {
  await running.stop();
  await client.close();
  server.stop();
});

const forbidden = {
  status: 403,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    apiVersion: 'v1',
    kind: 'Status',
    status: 'Failure',
    reason: 'Forbidden',
    code: 403,
    message: 'databases.example.com "one" is forbidden: no right to delete',
  }),
};

const open = (userAgent: string): Client =>
  createClient({
    name: 'consumer',
    connection: { server: 'https://consumer.invalid', credentials: { kind: 'none' } },
    dispatcher: () => new DirectDispatcher({ server: () => server, user: administrator }),
    userAgent,
  });
const read = (): Promise<APIServiceBinding | undefined> =>
  getIfExists<APIServiceBinding>(client, resources.apiServiceBindings, { name: 'databases' });
const run = async (): Promise<void> => {
  const own = open('unbinding');
  const one = await runController(createUnbinding({ dialect: kubeBindDialect, recordNamespace: 'default' }), {
    consumer: own,
  });
  running = {
    ...one,
    stop: async () => {
      await one.stop();
      await own.close();
    },
  };
};

async function unbindOnceHeld(): Promise<void> {
  await eventually(async () => {
    expect((await read())?.metadata.finalizers).toEqual([finalizers.unbind]);
  });
  await client.delete(resources.apiServiceBindings, { name: 'databases' });
}

it('deletes the objects and the CRD of a binding that says Delete, then lets it go', async () => {
  await bind(client, { [hawserAnnotations.unbindPolicy]: 'Delete' });
  await run();
  await unbindOnceHeld();
  await eventually(async () => {
    expect(await read()).toBeUndefined();
  });
  expect(await getIfExists(client, resources.customResourceDefinitions, crd)).toBeUndefined();
  expect(writes).toEqual(expect.arrayContaining(['delete databases/', 'delete customresourcedefinitions/']));
  expect(running.events).toMatchObject([{ regarding: { kind: 'APIServiceBinding', name: 'databases' } }]);
});

it('says which right is missing, and goes on once it is there', async () => {
  await bind(client, { [hawserAnnotations.unbindPolicy]: 'Delete' });
  refuses = true;
  await run();
  await unbindOnceHeld();
  await eventually(async () => {
    const condition = getCondition((await read())?.status?.conditions, UNBOUND);
    expect(condition).toMatchObject({ status: 'False', reason: 'ForbiddenOnConsumer' });
    expect(condition?.message).toContain('no right to delete');
  });
  expect(await getIfExists(client, databases, one)).toBeDefined();
  refuses = false;
  await eventually(async () => {
    expect(await read()).toBeUndefined();
  });
});

it('waits for users under Block, writes no more than there is to say, and follows another policy', async () => {
  await bind(client, { [hawserAnnotations.unbindPolicy]: 'Block' });
  await run();
  await unbindOnceHeld();
  await eventually(async () => {
    expect(getCondition((await read())?.status?.conditions, UNBOUND)?.reason).toBe('ObjectsLeft');
  });
  expect(writes).toEqual(['patch apiservicebindings/', 'patch apiservicebindings/status']);
  await client.patch(
    resources.apiServiceBindings,
    { name: 'databases' },
    { type: 'merge', patch: { metadata: { annotations: { [hawserAnnotations.unbindPolicy]: 'Orphan' } } } },
  );
  await eventually(async () => {
    expect(await read()).toBeUndefined();
  });
  expect(writes.some((write) => write.startsWith('delete'))).toBe(false);
});

it('writes nothing to a binding without a policy', async () => {
  await bind(client, {});
  await run();
  await client.delete(resources.apiServiceBindings, { name: 'databases' });
  await eventually(async () => {
    expect(await read()).toBeUndefined();
  });
  expect(writes).toEqual([]);
});
