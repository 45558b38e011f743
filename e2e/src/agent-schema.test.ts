import { beforeAll, expect } from '@jest/globals';
import { crdOf, databases } from '@hawser/installation';
import { eventually } from '@hawser/testenv';
import { databaseRights, databasesOf, local } from './agent-databases.js';
import { describeAgentSystem } from './agent-suite.js';
import { type ConsumerWorkspace, established } from './agent-system.js';
import { LONG, type ServiceObject } from './copies.js';

const OBJECTS = 10;

/** Databases of which nothing is kept but what the schema names. */
const crd = (...more: readonly string[]): object =>
  crdOf(databases, {
    properties: {
      spec: { type: 'object', properties: { size: { type: 'string' } } },
      status: {
        type: 'object',
        properties: Object.fromEntries(['phase', ...more].map((field) => [field, { type: 'string' }])),
      },
    },
  });

describeAgentSystem(
  'an agent while a schema changes',
  { name: 'agent-schema', rights: { publishedResources: databaseRights } },
  (system, it) => {
    let workspace: ConsumerWorkspace;
    const names = Array.from({ length: OBJECTS }, (_, index) => `orders-${index}`);
    const { publish, served, create, placed, read } = databasesOf(system);

    beforeAll(async () => {
      await system().service.apply(crd());
      await established(system().service, 'databases.example.com');
      await system().startAgent();
      await publish();
      workspace = await system().consumer('a');
      await served(workspace);
    });

    it('what is written with the new fields in that very moment comes with them', async () => {
      for (const name of names) await create(workspace, name);
      const copies = await Promise.all(names.map((name) => placed(workspace, name)));
      const { client } = system().service;
      await system().service.apply(crd('zone'));
      // Each goes on until the API server has kept the field: watches that were open before tell of this write without it.
      await Promise.all(
        copies.map(({ metadata }) =>
          eventually(
            async () => {
              const { status } = await client.patch<ServiceObject>(
                local,
                metadata,
                { type: 'merge', patch: { status: { phase: 'Ready', zone: metadata.name } } },
                { subresource: 'status' },
              );
              expect(status).toEqual({ phase: 'Ready', zone: metadata.name });
            },
            { ...LONG, intervalMs: 20 },
          ),
        ),
      );
      await eventually(async () => {
        for (const name of names) expect((await read(workspace, name)).status).toEqual({ phase: 'Ready', zone: name });
      }, LONG);
    });
  },
);
