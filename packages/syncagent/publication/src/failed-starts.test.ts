import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type AgentWorld, EXPORT, publish, startAgentWorld } from '@hawser/agent-world';
import { createHosts } from '@hawser/client';
import { resources as kcpResources } from '@hawser/kcp-api';
import { resources } from '@hawser/syncagent-api';
import { locateExport } from './export-location.js';
import { type FailedStarts, createFailedStarts } from './failed-starts.js';

let world: AgentWorld;
let starts: FailedStarts;

beforeEach(async () => {
  world = await startAgentWorld();
  starts = createFailedStarts({ name: 'textor', selector: 'team=a' });
  for (const [name, team] of [
    ['mine', 'a'],
    ['too', 'a'],
    ['theirs', 'b'],
  ] as const)
    await world.service.create(resources.publishedResources, publish(name, {}, { labels: { team } }));
});
afterEach(() => world.close());

/** One look for the export as it is now. */
async function look(): Promise<void> {
  const connection = world.kcp.connection('root:provider');
  const hosts = createHosts({ name: 'kcp', connection });
  try {
    await locateExport(hosts, connection.server, EXPORT);
    starts.succeeded();
  } catch (error) {
    await starts.failed(error, world.clusters.service, new AbortController().signal);
  } finally {
    await hosts.close();
  }
}
const events = async (): Promise<readonly string[]> => [...(await world.events('service', 'PublishedResource'))].sort();

it('an export that is missing is told on the PublishedResources of the agent, once it has lasted', async () => {
  await look();
  await world.providerClient.delete(kcpResources.apiExports, { name: EXPORT });
  await look();
  await look();
  expect(await events()).toEqual([]);
  await look();
  const missing = expect.stringMatching(
    /^ExportNotLocated: Agent "textor" cannot begin: there is no APIExportEndpointSlice example\.com in workspace root:provider\. The operator must create it/u,
  );
  expect(await events()).toEqual([missing, missing]);
  for (let looks = 0; looks < 5; looks++) await look();
  expect(await events()).toEqual([missing, missing]);
});

it('a kcp that does not answer is told, with who must see to what', async () => {
  await world.kcp.down();
  for (let looks = 0; looks < 4; looks++) await look();
  const unreached = expect.stringMatching(
    /^KcpNotReached: Agent "textor" cannot begin, because kcp does not answer, or refuses it: .*The operator must see to kcp/u,
  );
  expect(await events()).toEqual([unreached, unreached]);
  await world.kcp.up();
  await look();
  expect(await events()).toEqual([unreached, unreached]);
});
