import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hosts, createHosts } from '@hawser/client';
import { type RunningKcp, startKcp } from '@hawser/kcp';
import { resources } from '@hawser/kcp-api';
import { locateExport } from './export-location.js';

describe('the way from an endpoint slice to its APIExport', () => {
  let kcp: RunningKcp;
  const opened: Hosts[] = [];
  const hostsOf = (workspace: string): Hosts => {
    const hosts = createHosts({ name: 'kcp', connection: kcp.connection(workspace), userAgent: 'test' });
    opened.push(hosts);
    return hosts;
  };
  const locate = (workspace: string, slice: string): ReturnType<typeof locateExport> =>
    locateExport(hostsOf(workspace), kcp.connection(workspace).server, slice);
  const slice = (name: string, path?: string, exportName = 'example.com'): object => ({
    apiVersion: 'apis.kcp.io/v1alpha1',
    kind: 'APIExportEndpointSlice',
    metadata: { name },
    spec: { export: { name: exportName, ...(path === undefined ? {} : { path }) } },
  });

  beforeAll(async () => {
    kcp = await startKcp();
    await kcp.createWorkspace('root:org:provider');
    await kcp.createWorkspace('root:org:endpoints');
    const provider = hostsOf('root:org:provider').home;
    await provider.create(resources.apiExports, {
      apiVersion: 'apis.kcp.io/v1alpha2',
      kind: 'APIExport',
      metadata: { name: 'example.com' },
      spec: {},
    } as never);
    await provider.create(resources.apiExportEndpointSlices, slice('beside') as never);
    const endpoints = hostsOf('root:org:endpoints').home;
    await endpoints.create(resources.apiExportEndpointSlices, slice('elsewhere', 'root:org:provider') as never);
  });

  afterAll(async () => {
    await Promise.all(opened.map((hosts) => hosts.close()));
    await kcp.stop();
  });

  it('is found in the same workspace, by path and by name of the logical cluster', async () => {
    const found = await locate('root:org:provider', 'beside');
    expect(found).toMatchObject({ exportName: 'example.com', provider: { path: 'root:org:provider' } });
    expect(found.endpoints).toBe(found.provider);
    const byName = await locate(found.provider.cluster, 'beside');
    expect(byName.provider.cluster).toBe(found.provider.cluster);
    // kcp makes one of the export's name, and writes the path into it.
    expect((await locate('root:org:provider', 'example.com')).endpoints.cluster).toBe(found.provider.cluster);
  });

  it('is found in another workspace', async () => {
    const found = await locate('root:org:endpoints', 'elsewhere');
    expect(found).toMatchObject({
      exportName: 'example.com',
      provider: { path: 'root:org:provider' },
      endpoints: { path: 'root:org:endpoints' },
    });
    expect((await found.provider.client.get(resources.apiExports, { name: 'example.com' })).metadata.name).toBe(
      'example.com',
    );
  });

  it('ends with who must do what, where there is no slice', async () => {
    await expect(locate('root:org:endpoints', 'nothing')).rejects.toThrow(
      'there is no APIExportEndpointSlice nothing in workspace root:org:endpoints. The operator must create it',
    );
  });

  it('ends with an explanation where the server is not a workspace', async () => {
    await expect(locateExport(hostsOf('root'), kcp.url, 'beside')).rejects.toThrow('the server URL names no workspace');
  });
});
