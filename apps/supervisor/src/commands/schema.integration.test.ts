import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { UnstructuredObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { createInlineExportControllers } from '@hawser/exportrequest';
import { type APIServiceExport, installCRDs, klutchDialect, providerCRDs as klutchCRDs } from '@hawser/klutch';
import { getCondition, providerCRDs, resources } from '@hawser/kube-bind';
import { createPropagationController } from '@hawser/propagation';
import { describeWithControlPlane, eventually, kubeconfigText, uniqueGroup } from '@hawser/testenv';

import {
  type ProviderCluster,
  openProviderCluster,
} from '../../../../packages/provider/servicenamespace/src/testing/provider-cluster.js';
import { readSchema } from './schema.js';

const everything = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] as const;
const { apiVersion, resources: kinds } = klutchDialect;

describeWithControlPlane('hawser schema on a provider that speaks Klutch alone', () => {
  let cluster: ProviderCluster;
  let folder: string;
  let kubeconfig: string;
  const group = uniqueGroup('schema');
  const name = `databases.${group}`;
  const consumers = ['cluster-one', 'cluster-two'] as const;

  beforeAll(async () => {
    cluster = await openProviderCluster(everything);
    folder = mkdtempSync(join(tmpdir(), 'hawser-schema-'));
    kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigText('provider', cluster.plane.connection));
    const { client } = cluster;
    for (const { metadata } of providerCRDs)
      await client.delete(resources.customResourceDefinitions, { name: metadata.name });
    await installCRDs(client, klutchCRDs, { clock: systemClock });
    await cluster.run(
      ...createInlineExportControllers({ informerScope: 'Namespaced' }),
      createPropagationController({ dialect: klutchDialect, recheckMs: 1_000 }),
    );
    await client.create(resources.customResourceDefinitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'databases', singular: 'database', kind: 'Database', listKind: 'DatabaseList' },
        versions: versions(9),
      },
    } as UnstructuredObject);
    await client.create(kinds.apiServiceExportTemplates, {
      apiVersion: `${kinds.apiServiceExportTemplates.group}/v1alpha1`,
      kind: 'APIServiceExportTemplate',
      metadata: { namespace: 'default', name: 'databases' },
      spec: { APIServiceSelector: { group, resource: 'databases' } },
    } as UnstructuredObject);
    for (const namespace of consumers) {
      await client.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      await client.create(kinds.apiServiceExportRequests, {
        apiVersion,
        kind: 'APIServiceExportRequest',
        metadata: { name: 'db', namespace },
        spec: { resources: [{ group, resource: 'databases' }] },
      } as UnstructuredObject);
      await eventually(async () => {
        expect(getCondition((await exportOf(namespace)).status?.conditions, 'ProviderInSync')?.status).toBe('True');
      });
    }
  }, 120_000);
  afterAll(async () => {
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const versions = (maximum: number): unknown => [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: { spec: { type: 'object', properties: { size: { type: 'integer', maximum } } } },
        },
      },
    },
  ];
  const exportOf = (namespace: string): Promise<APIServiceExport> =>
    cluster.client.get(kinds.apiServiceExports, { namespace, name });
  const most = async (namespace: string): Promise<unknown> =>
    /"maximum":(\d+)/u.exec(
      JSON.stringify((await exportOf(namespace)).spec.versions, (_, value: unknown) =>
        typeof value === 'bigint' ? Number(value) : value,
      ),
    )?.[1];
  const run = async (
    ...args: readonly string[]
  ): Promise<{ readonly code: number; readonly out: string; readonly err: string }> => {
    const task = readSchema([...args, `--kubeconfig=${kubeconfig}`]);
    if (typeof task === 'string') throw new Error('expected a task');
    const out: string[] = [];
    const err: string[] = [];
    const code = await task({
      out: (text) => {
        out.push(text);
      },
      err: (text) => {
        err.push(text);
      },
      ask: () => Promise.resolve(undefined),
      env: {},
      signal: new AbortController().signal,
    });
    return { code, out: out.join('\n'), err: err.join('\n') };
  };
  interface Status {
    readonly exports: readonly {
      readonly dialect: string;
      readonly namespace: string;
      readonly export: string;
      readonly resource: string;
      readonly state: string;
      readonly candidate?: string;
    }[];
  }
  const status = async (): Promise<Status> => JSON.parse((await run('status', '-o=json')).out) as Status;
  const isHeld = (...namespaces: readonly string[]): Promise<void> =>
    eventually(async () => {
      for (const namespace of namespaces)
        expect(getCondition((await exportOf(namespace)).status?.conditions, 'SchemaUpdateHeld')?.status).toBe('True');
    });

  it('status finds what each consumer has, and says where nothing waits', async () => {
    const table = await run('status');
    expect(table).toMatchObject({ code: 0, err: '' });
    for (const namespace of consumers)
      expect(table.out).toMatch(new RegExp(`^${namespace} +${name} +${name} +InStep +- `, 'mu'));
    expect((await status()).exports).toEqual(
      consumers.map(
        (namespace) =>
          expect.objectContaining({
            dialect: 'klutch',
            namespace,
            export: name,
            resource: name,
            state: 'InStep',
          }) as unknown,
      ),
    );
    expect(await run('status', '--dialect=klutch', `cluster-one/${name}`)).toMatchObject({
      code: 0,
      out: expect.stringContaining('InStep'),
    });
    expect(await run('diff', name)).toMatchObject({ code: 0, out: expect.stringContaining('nothing waits') });
    expect(await run('approve', name)).toMatchObject({ code: 1, out: 'Nothing to approve.' });
    expect(await run('status', 'nothing')).toEqual({
      code: 1,
      out: '',
      err: 'There is no APIServiceExport nothing with a schema.',
    });
    await expect(run('status', '--dialect=kube-bind')).rejects.toThrow(
      'this cluster is not a provider: it does not serve the exports of kube-bind.io.',
    );
  });

  it('status and diff say what waits, and why, and approve lets just that through, for the consumer that is named', async () => {
    await cluster.client.patch(
      resources.customResourceDefinitions,
      { name },
      { type: 'merge', patch: { spec: { versions: versions(5) } } },
    );
    await isHeld(...consumers);
    const held = await run('status');
    expect(held.code).toBe(1);
    for (const namespace of consumers)
      expect(held.out).toMatch(new RegExp(`^${namespace} .* Held +breaking .*BreakingSchemaChange$`, 'mu'));
    const diff = await run('diff', `cluster-one/${name}`);
    expect(diff.code).toBe(4);
    expect(diff.out).toMatch(/breaking +v1 spec\.size: may be no more than 5, was 9/u);
    expect(diff.out).not.toContain('cluster-two');

    const before = await exportOf('cluster-one');
    expect(await run('approve', `cluster-one/${name}`, '--hash=nothing-like-it')).toMatchObject({
      code: 1,
      out: 'Nothing to approve.',
    });
    expect(await run('approve', `cluster-one/${name}`, '--dry-run')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/cluster-one .* would be written$/u),
    });
    expect((await exportOf('cluster-one')).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    const candidate = (await status()).exports.find(({ namespace }) => namespace === 'cluster-one')?.candidate ?? '';
    expect(JSON.parse((await run('approve', `cluster-one/${name}`, '-o=json')).out)).toEqual({
      approve: [{ namespace: 'cluster-one', export: name, resource: name, hash: candidate, result: 'written' }],
    });
    await eventually(async () => {
      expect(await most('cluster-one')).toBe('5');
      expect(getCondition((await exportOf('cluster-one')).status?.conditions, 'SchemaUpdateHeld')).toBeUndefined();
    });
    expect(await most('cluster-two')).toBe('9');
    expect((await status()).exports.map(({ state }) => state)).toEqual(['InStep', 'Held']);
    expect(await run('diff', `cluster-one/${name}`)).toMatchObject({ code: 0 });
  });

  it('approve takes consumers by the labels of their ClusterBindings', async () => {
    for (const [namespace, tier] of [
      ['cluster-one', 'gold'],
      ['cluster-two', 'bronze'],
    ] as const) {
      await cluster.client.create(kinds.clusterBindings, {
        apiVersion,
        kind: 'ClusterBinding',
        metadata: { name: 'cluster', namespace, labels: { tier } },
        spec: { providerPrettyName: 'Lab', kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' } },
      } as UnstructuredObject);
    }
    await isHeld('cluster-two');
    expect(await run('approve', '--selector=tier=gold')).toMatchObject({ code: 1, out: 'Nothing to approve.' });
    expect(await run('approve', '--selector=tier=bronze')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/cluster-two .* written$/u),
    });
    await eventually(async () => {
      expect(await most('cluster-two')).toBe('5');
    });
    expect(await run('status')).toMatchObject({ code: 0 });
  });
});
