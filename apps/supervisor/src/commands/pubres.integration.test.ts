import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  describeWithControlPlane,
  eventually,
  kubeconfigText,
  type SharedControlPlane,
  sharedControlPlane,
  uniqueGroup,
} from '@hawser/testenv';
import { type Client, createClient } from '@hawser/client';
import { type CustomResourceDefinition, resources } from '@hawser/kube-bind';
import { parseAllDocuments } from 'yaml';

import { readPubres } from './pubres.js';

describeWithControlPlane('hawser pubres crd', () => {
  let cluster: SharedControlPlane;
  let client: Client;
  let folder: string;
  let kubeconfig: string;
  const group = uniqueGroup('pubres');

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hawser-pubres-'));
    cluster = await sharedControlPlane('provider');
    client = createClient({ name: 'service', connection: cluster.connection });
    kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigText('service', cluster.connection));
    const name = `crontabs.${group}`;
    const schema = {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: {
              cronSpec: { type: 'string', description: 'a < b' },
              replicas: { type: 'integer', default: 9223372036854775807n },
            },
          },
        },
      },
    };
    await client.create(resources.customResourceDefinitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name },
      spec: {
        group,
        scope: 'Namespaced',
        names: {
          plural: 'crontabs',
          singular: 'crontab',
          kind: 'CronTab',
          listKind: 'CronTabList',
          shortNames: ['ct'],
        },
        versions: [
          { name: 'v1', served: true, storage: true, schema },
          { name: 'v2', served: true, storage: false, schema },
        ],
      },
    } as CustomResourceDefinition);
    await eventually(async () => {
      const { status } = await client.get<CustomResourceDefinition>(resources.customResourceDefinitions, { name });
      expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Established', status: 'True' }));
    });
  });

  afterAll(async () => {
    await client.delete(resources.customResourceDefinitions, { name: `crontabs.${group}` });
    await client.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function run(
    spec: object,
    ...args: readonly string[]
  ): Promise<{ readonly code: number; readonly out: string; readonly err: readonly string[] }> {
    const file = join(folder, 'published.yaml');
    writeFileSync(
      file,
      JSON.stringify({
        apiVersion: 'syncagent.kcp.io/v1alpha1',
        kind: 'PublishedResource',
        metadata: { name: 'x' },
        spec,
      }),
    );
    const task = readPubres(['crd', ...args, '--kubeconfig', kubeconfig, file], 'v0');
    if (typeof task === 'string') throw new Error('expected a task');
    const out: string[] = [];
    const err: string[] = [];
    const code = await task({
      out: (text) => {
        out.push(`${text}\n`);
      },
      err: (text) => {
        err.push(text);
      },
      ask: () => Promise.resolve(undefined),
      env: {},
      signal: new AbortController().signal,
    });
    return { code, out: out.join(''), err };
  }

  const resource = { apiGroup: group, kind: 'CronTab' };
  const projection = {
    group: 'kcp.example.com',
    kind: 'CronusTabulatus',
    plural: 'cronustabulati',
    shortNames: ['cront'],
    scope: 'Cluster',
    versions: { v2: 'v6' },
  };

  it('prints the projected CRD, and an empty line after it', async () => {
    const { code, out, err } = await run({ resource: { ...resource, versions: ['v2'] }, projection });
    expect([code, err]).toEqual([0, []]);
    expect(out).toMatch(/[^\n]\n\n$/u);
    expect(parseAllDocuments(out)[0]?.toJS({}) as unknown).toMatchObject({
      kind: 'CustomResourceDefinition',
      metadata: { name: 'cronustabulati.kcp.example.com' },
      spec: {
        scope: 'Cluster',
        names: { kind: 'CronusTabulatus', listKind: 'CronusTabulatusList', shortNames: ['cront'] },
        versions: [{ name: 'v6', storage: true }],
      },
    });
    expect(out).toContain('9223372036854775807');
  });

  it('prints the APIResourceSchema, under the name that an agent gives it', async () => {
    const { out } = await run({ resource, projection }, '--ars');
    const printed = parseAllDocuments(out)[0]?.toJS({}) as { readonly metadata: { readonly name: string } };
    expect(printed).toMatchObject({
      apiVersion: 'apis.kcp.io/v1alpha1',
      kind: 'APIResourceSchema',
      metadata: {
        labels: { 'syncagent.kcp.io/agent-name': 'pubres-toolkit' },
        annotations: { 'syncagent.kcp.io/agent-name': 'pubres-toolkit', 'syncagent.kcp.io/source-generation': '1' },
      },
      spec: {
        group: 'kcp.example.com',
        conversion: { strategy: 'None' },
        versions: [
          { name: 'v1', storage: true },
          { name: 'v6', storage: false },
        ],
      },
    });
    expect(printed.metadata.name).toMatch(/^v[0-9a-f]{8}\.cronustabulati\.kcp\.example\.com$/u);
    const again = await run({ resource, projection }, '--ars=true');
    expect(again.out).toBe(out);
  });

  it('leaves the projection out, with the selection of versions', async () => {
    const { out } = await run({ resource: { ...resource, versions: ['v2'] }, projection }, '--no-projection');
    expect(parseAllDocuments(out)[0]?.toJS({}) as unknown).toMatchObject({
      metadata: { name: `crontabs.${group}` },
      spec: { versions: [{ name: 'v1' }, { name: 'v2' }] },
    });
  });

  it('knows types that have no CRD', async () => {
    const { code, out } = await run(
      { resource: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role' }, projection: { group: 'kcp.example.com' } },
      '--ars',
    );
    expect(code).toBe(0);
    expect(out).toMatch(/name: v[0-9a-f]{8}\.roles\.kcp\.example\.com/u);
  });

  it.each<[string, object, string]>([
    ['no such kind', { resource: { apiGroup: group, kind: 'Nothing' } }, 'serves no kind Nothing'],
    [
      'no such version',
      { resource: { ...resource, versions: ['v9'] } },
      'spec.resource.versions: there is no version v9',
    ],
    [
      'what kcp would refuse',
      { resource: { apiGroup: '', kind: 'ConfigMap' } },
      'spec.projection.group: every workspace of kcp has configmaps already',
    ],
  ])('%s: says so, and nothing else', async (_, spec, message) => {
    const { code, out, err } = await run(spec, '--ars');
    expect([code, out]).toEqual([1, '']);
    expect(err).toEqual([expect.stringContaining(message) as unknown]);
  });
});
