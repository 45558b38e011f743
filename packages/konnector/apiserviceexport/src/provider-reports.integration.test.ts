import type { Controller } from '@hawser/controller';
import { createSchemaOutcomes } from '@hawser/konnector-connection';
import {
  type APIServiceExport,
  type BoundSchema,
  type Condition,
  conditionTypes,
  getCondition,
  readSchemaApplied,
  resources,
  schemaAppliedCondition,
  schemaHash,
  kubeBindDialect,
} from '@hawser/kube-bind';
import { createFaultProxy } from '@hawser/faultproxy';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import {
  type KonnectorPair,
  binderRules,
  openKonnectorPair,
  version,
} from '../../konnector-connection/src/testing/konnector-pair.js';
import { createServiceBinding } from '../../servicebinding/src/index.js';
import { createAPIServiceExport } from './index.js';

describeWithControlPlane('what the provider is told', () => {
  let pair: KonnectorPair;
  let running: Controller<'consumer' | 'provider'>[];
  let name: string;

  beforeEach(async () => {
    pair = await openKonnectorPair();
    running = [];
    name = `told-${pair.clusterNamespace}`;
    await pair.createSchema('databases');
    await pair.createExport(name, ['databases']);
  });
  afterEach(async () => {
    await stop();
    await pair.close();
  });

  async function start(provider?: KonnectorPair['connection']['config']): Promise<void> {
    const { connection } = pair;
    const outcomes = createSchemaOutcomes();
    running.push(
      createServiceBinding({ connection, outcomes, schemaPolicy: 'Always' }),
      createAPIServiceExport({ dialect: kubeBindDialect, connection, outcomes, reportDelayMs: 50 }),
    );
    const context = pair.context(provider === undefined ? {} : { provider });
    await Promise.all(running.map((controller) => controller.start(context)));
  }
  const stop = async (): Promise<void> => {
    await Promise.all(running.splice(0).map((controller) => controller.stop()));
  };
  const at = (): { namespace: string; name: string } => ({
    namespace: pair.clusterNamespace,
    name: `databases.${pair.group}`,
  });
  const schema = (): Promise<BoundSchema> => pair.provider.get<BoundSchema>(resources.boundSchemas, at());
  const hashOf = ({ spec }: BoundSchema): string => (spec === undefined ? '' : schemaHash(spec));
  const applied = async (): Promise<BoundSchema> =>
    eventually(
      async () => {
        const current = await schema();
        expect(readSchemaApplied(current.status?.conditions)).toEqual({ kind: 'applied', hash: hashOf(current) });
        return current;
      },
      { timeoutMs: 20_000 },
    );
  const exported = async (type: string): Promise<Condition | undefined> =>
    getCondition(
      (
        await pair.provider.get<APIServiceExport>(resources.apiServiceExports, {
          namespace: pair.clusterNamespace,
          name,
        })
      ).status?.conditions,
      type,
    );
  const change = (properties: Readonly<Record<string, unknown>>): Promise<unknown> =>
    pair.provider.patch(resources.boundSchemas, at(), {
      type: 'merge',
      patch: { spec: { versions: [version(properties)] } },
    });

  it('hears that a schema is applied, of each change anew, and nothing while nothing changes, not even after a restart', async () => {
    await start();
    await pair.bind(name);
    const first = await applied();
    await change({ spec: { type: 'object', properties: { size: { type: 'string' }, color: { type: 'string' } } } });
    const second = await applied();
    expect(hashOf(second)).not.toBe(hashOf(first));
    await stop();
    await start();
    // Something that comes after it was looked at.
    await pair.createSchema('zones');
    await pair.createExport(`${name}-2`, ['zones']);
    await pair.bind(`${name}-2`);
    await eventually(
      async () => {
        const zones = await pair.provider.get<BoundSchema>(resources.boundSchemas, {
          ...at(),
          name: `zones.${pair.group}`,
        });
        expect(readSchemaApplied(zones.status?.conditions)?.kind).toBe('applied');
      },
      { timeoutMs: 20_000 },
    );
    expect((await schema()).metadata.resourceVersion).toBe(second.metadata.resourceVersion);
  });

  it('hears why the consumer refuses a schema, and that it takes the next', async () => {
    await start();
    await pair.bind(name);
    await applied();
    await change({ spec: { type: 'no such type' } });
    await eventually(
      async () => {
        const current = await schema();
        expect(readSchemaApplied(current.status?.conditions)).toMatchObject({
          kind: 'refused',
          hash: hashOf(current),
          reason: 'CustomResourceDefinitionUpdateFailed',
        });
      },
      { timeoutMs: 20_000 },
    );
    await change({ spec: { type: 'object' } });
    await applied();
  });

  it('hears again that a schema is applied where a backup of the provider says that it was refused', async () => {
    await start();
    await pair.bind(name);
    const { status } = await applied();
    const others = (status?.conditions ?? []).filter(({ type }) => type !== conditionTypes.schemaApplied);
    const refusal = {
      ...schemaAppliedCondition({
        kind: 'refused',
        hash: hashOf(await schema()),
        reason: 'CustomResourceDefinitionUpdateFailed',
        message: 'not now',
      }),
      lastTransitionTime: new Date().toISOString(),
    };
    const { metadata } = await pair.provider.patch<BoundSchema>(
      resources.boundSchemas,
      at(),
      { type: 'merge', patch: { status: { conditions: [...others, refusal] } } },
      { subresource: 'status' },
    );
    expect((await applied()).metadata.resourceVersion).not.toBe(metadata.resourceVersion);
  });

  it('hears that an export is unbound, also when the connection ends with the binding, and that it is bound again', async () => {
    await start();
    await pair.bind(name);
    await applied();
    await pair.consumer.delete(resources.apiServiceBindings, { name });
    pair.bindings.leave(name);
    await stop();
    expect(await exported('Unbound')).toMatchObject({ status: 'True', reason: 'BindingGone' });
    expect(await exported('Connected')).toMatchObject({ status: 'False', reason: 'APIServiceBindingNotFound' });
    await start();
    await pair.bind(name);
    await eventually(
      async () => {
        expect(await exported('Connected')).toMatchObject({ status: 'True' });
        expect(await exported('Unbound')).toBeUndefined();
      },
      { timeoutMs: 20_000 },
    );
  });

  it('hears of an unbinding that happened while no konnector ran, and not of an export that nobody has bound', async () => {
    await start();
    await pair.bind(name);
    await applied();
    await pair.createExport(`${name}-2`, ['databases']);
    await stop();
    await pair.consumer.delete(resources.apiServiceBindings, { name });
    pair.bindings.leave(name);
    await start();
    await eventually(
      async () => {
        expect(await exported('Unbound')).toMatchObject({ status: 'True' });
      },
      { timeoutMs: 20_000 },
    );
    const { status } = await pair.provider.get<APIServiceExport>(resources.apiServiceExports, {
      namespace: pair.clusterNamespace,
      name: `${name}-2`,
    });
    expect(status?.conditions?.map(({ type }) => type)).toEqual(['Connected', 'ConsumerInSync']);
  });

  it('does not hear of a binding that another connection serves', async () => {
    await start();
    await pair.bind(name);
    await applied();
    pair.bindings.leave(name);
    await eventually(
      async () => {
        expect(await exported('Connected')).toMatchObject({ status: 'False' });
      },
      { timeoutMs: 20_000 },
    );
    await stop();
    expect(await exported('Unbound')).toBeUndefined();
  });

  it('hears that a binding has left right after it joined, before the cache has the report on its joining', async () => {
    const connected = (status: string): Promise<void> =>
      eventually(
        async () => {
          expect(await exported('Connected')).toMatchObject({ status });
        },
        { timeoutMs: 20_000 },
      );
    await start();
    await connected('False');
    await stop();
    await using proxy = await createFaultProxy({ upstream: pair.providerPlane.connection });
    proxy.inject({ match: { watch: true, path: /\/apiserviceexports\b/u }, fault: { kind: 'silence' } });
    await start(proxy.connectionWith(pair.access.connection.credentials));
    await pair.bind(name);
    await connected('True');
    pair.bindings.leave(name);
    await connected('False');
    await stop();
  });

  it('hears of a binding only from the connection that serves it, where two lead to its cluster namespace', async () => {
    await start();
    await pair.bind(name);
    await applied();
    await stop();
    const before = await pair.provider.get<APIServiceExport>(resources.apiServiceExports, {
      namespace: pair.clusterNamespace,
      name,
    });
    // Another one, which serves another binding there.
    pair.bindings.leave(name);
    await pair.createSchema('zones');
    await pair.createExport(`${name}-2`, ['zones']);
    await start();
    await pair.bind(`${name}-2`);
    const ofZones = { ...at(), name: `zones.${pair.group}` };
    await eventually(
      async () => {
        const zones = await pair.provider.get<BoundSchema>(resources.boundSchemas, ofZones);
        expect(readSchemaApplied(zones.status?.conditions)?.kind).toBe('applied');
      },
      { timeoutMs: 20_000 },
    );
    await stop();
    const after = await pair.provider.get<APIServiceExport>(resources.apiServiceExports, {
      namespace: pair.clusterNamespace,
      name,
    });
    expect(after.status).toEqual(before.status);
  });

  it('may refuse to be told: that is said once, and nothing stops', async () => {
    await pair.grant(
      binderRules.filter(
        ({ resources: [first] }) => first !== 'clusterbindings/status' && first !== 'boundschemas/status',
      ),
    );
    const audit = pair.providerPlane.auditLog();
    const since = await audit.mark();
    await start();
    // The export is reported on before there is a binding to say anything on.
    await eventually(
      async () => {
        const refused = (await audit.writes({ since })).filter(
          ({ namespace, resource, code }) =>
            namespace === pair.clusterNamespace && resource === 'apiserviceexports' && code === 403,
        );
        expect(refused).not.toHaveLength(0);
      },
      { timeoutMs: 20_000 },
    );
    await pair.bind(name);
    const refusalEvents = (): readonly string[] =>
      pair.events.filter((line) => line.startsWith(`APIServiceBinding ${name} Warning ReportRefusedByProvider`));
    await eventually(
      () => {
        expect(refusalEvents()).toHaveLength(2);
      },
      { timeoutMs: 20_000 },
    );
    await change({ spec: { type: 'object', properties: { color: { type: 'string' } } } });
    await eventually(
      async () => {
        expect(JSON.stringify((await pair.crd('databases'))?.spec)).toContain('color');
      },
      { timeoutMs: 20_000 },
    );
    await pair.grant(binderRules);
    await change({ spec: { type: 'object' } });
    await applied();
    expect(refusalEvents()).toHaveLength(2);
  });
});
