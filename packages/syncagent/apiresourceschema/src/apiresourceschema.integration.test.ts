import { afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type AgentWorld, EXPORT, startAgentWorld } from '@hawser/agent-world';
import { type APIResourceSchema, resources as kcpResources } from '@hawser/kcp-api';
import { type PublishedResourceSpec, resources } from '@hawser/syncagent-api';
import { discoverCRD } from './discovery/index.js';
import {
  type SharedControlPlane,
  describeWithControlPlane,
  eventually,
  sharedControlPlane,
  uniqueNamespace,
} from '@hawser/testenv';
import { createAPIResourceSchema } from './index.js';

describeWithControlPlane('the controller of APIResourceSchemas, on a service cluster of its own', () => {
  let plane: SharedControlPlane;
  let world: AgentWorld;
  let selected: string;
  const made: string[] = [];

  beforeAll(async () => {
    plane = await sharedControlPlane('provider');
  });
  beforeEach(async () => {
    selected = uniqueNamespace('team');
    world = await startAgentWorld({ service: plane.connection });
    const agent = { name: 'textor', exportName: EXPORT, namespace: 'default', selector: `team=${selected}` };
    await world.start(
      createAPIResourceSchema({ agent, discover: (source, signal) => discoverCRD(world.service, source, { signal }) }),
    );
  });
  afterEach(async () => {
    for (const name of made.splice(0)) await world.service.delete(resources.publishedResources, { name });
    await world.close();
  });

  const publish = async (spec: PublishedResourceSpec): Promise<string> => {
    const name = uniqueNamespace('published');
    made.push(name);
    await world.service.create(resources.publishedResources, {
      apiVersion: 'syncagent.kcp.io/v1alpha1',
      kind: 'PublishedResource',
      metadata: { name, labels: { team: selected } },
      spec,
    } as never);
    return name;
  };

  it('publishes a built-in type in a group of one’s own', async () => {
    const name = await publish({
      resource: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role' },
      projection: { group: 'example.com' },
    });
    const schemaName = await eventually(async () => {
      const { status } = await world.published(name);
      expect(status?.resourceSchemaName).toMatch(/^v[0-9a-f]{8}\.roles\.example\.com$/u);
      return status?.resourceSchemaName ?? '';
    });
    const schema = await world.providerClient.get<APIResourceSchema>(kcpResources.apiResourceSchemas, {
      name: schemaName,
    });
    expect(schema).toMatchObject({
      metadata: { annotations: { 'syncagent.kcp.io/source-generation': '0' } },
      spec: {
        group: 'example.com',
        names: { kind: 'Role', plural: 'roles' },
        scope: 'Namespaced',
        versions: [{ name: 'v1', storage: true }],
      },
    });
  });

  it('refuses a core type without a group of its own, and an unknown one, and says who must act', async () => {
    const [core, unknown] = [
      await publish({ resource: { apiGroup: '', kind: 'Secret' } }),
      await publish({ resource: { apiGroup: 'nowhere.example', kind: 'Nothing' } }),
    ];
    const problem = async (name: string): Promise<string> => {
      const { status } = await world.published(name);
      expect(status?.phase).toBe('Failed');
      return `${status?.lastError?.reason ?? ''}: ${status?.lastError?.message ?? ''}`;
    };
    expect(await eventually(() => problem(core))).toMatch(/^ProjectionInvalid: .*The provider must correct the spec/u);
    expect(await eventually(() => problem(unknown))).toMatch(
      /^ResourceNotDiscovered: Nothing in API group nowhere\.example .*must/u,
    );
  });
});
