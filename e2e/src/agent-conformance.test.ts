import { beforeAll, expect } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listAll } from '@hawser/client';
import { type APIExport, resources as kcpResources } from '@hawser/kcp-api';
import { resources } from '@hawser/syncagent-api';
import { eventually } from '@hawser/testenv';
import { describeAgentSystem } from './agent-suite.js';
import { EXPORT, RELEASE } from './agent-system.js';
import { type Ended, runCommand } from './command.js';
import { expectConformance } from './conformance-report.js';
import { LONG } from './copies.js';
import { executables } from './roles.js';
import { root } from './root.js';

const group = 'conformance.example.com';
const secrets = [{ group: '', resources: ['secrets'] }];

describeAgentSystem(
  'hawser conformance of an agent',
  {
    name: 'agent-conformance',
    rights: {
      publishedResources: [{ group, resources: ['probes', 'guests'] }],
      relatedFromKcp: secrets,
      relatedFromService: secrets,
    },
  },
  (system, it) => {
    let kcpFile: string;

    beforeAll(async () => {
      const { kcp, providerPath } = system();
      kcpFile = join(root, 'tmp/e2e/agent-conformance/administrator.kubeconfig');
      writeFileSync(kcpFile, kcp.kubeconfig(providerPath), { mode: 0o600 });
      // With its own defaults, not those of the Go agent.
      await system().startAgents([{ endpointSlice: EXPORT, agentName: RELEASE }]);
    }, 240_000);

    const conformance = (...args: readonly string[]): Promise<Ended> =>
      runCommand(
        executables.hawser,
        [
          'conformance',
          '--role=agent',
          '--service',
          system().service.kubeconfigFile,
          '--kcp',
          kcpFile,
          '--export',
          EXPORT,
          '--timeout=30s',
          ...args,
        ],
        400_000,
      );

    it('finds our agent in order, and leaves nothing behind', async () => {
      const { results, must, should } = expectConformance(await conformance('--strict', '-o', 'json'));
      expect(results.filter(({ outcome }) => outcome.kind === 'skipped')).toEqual([]);
      expect(must.passed + should.passed).toBeGreaterThan(30);
      const { service, provider } = system();
      await eventually(async () => {
        for (const resource of [
          resources.namespaces,
          resources.customResourceDefinitions,
          resources.publishedResources,
          resources.secrets,
        ])
          expect((await names(service.client, resource)).filter((name) => isOurs(name))).toEqual([]);
        for (const resource of [kcpResources.workspaces, kcpResources.apiResourceSchemas])
          expect((await names(provider, resource)).filter((name) => isOurs(name))).toEqual([]);
      }, LONG);
      const { spec } = await provider.get<APIExport>(kcpResources.apiExports, { name: EXPORT });
      expect(spec?.resources ?? []).toEqual([]);
    }, 400_000);

    it('says it in XML, and labels what it publishes as it is told', async () => {
      const { code, out, err } = await conformance(
        '--published-labels=agent=nobody',
        '--timeout=60s',
        '--only=schema-published',
        '-o',
        'junit',
      );
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain('classname="api-syncagent.agent.must"');
    });

    it('does not begin where something is published already, and leaves that as it is', async () => {
      await system().publish({ metadata: { name: 'theirs' }, spec: { resource: { apiGroup: group, kind: 'Probe' } } });
      const { code, err } = await conformance('--only=schema-published');
      expect({ code, err }).toMatchObject({
        code: 1,
        err: expect.stringContaining('has 1 publishedresources') as unknown,
      });
      expect((await system().published('theirs')).metadata.deletionTimestamp).toBeUndefined();
      await system().service.client.delete(resources.publishedResources, { name: 'theirs' });
    });

    it('does not begin where there is no such export', async () => {
      const { code, err } = await conformance('--export=absent.example.com');
      expect({ code, err }).toMatchObject({
        code: 1,
        err: expect.stringContaining('There is no APIExport absent.example.com') as unknown,
      });
    });
  },
);

const isOurs = (name: string): boolean => name.includes('conformance');

async function names(...[client, resource]: Parameters<typeof listAll>): Promise<readonly string[]> {
  return (await listAll(client, resource)).map(({ metadata }) => metadata.name);
}
