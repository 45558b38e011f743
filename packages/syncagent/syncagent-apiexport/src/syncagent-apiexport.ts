import { type Controller, type Reconciler, type Setup, controller } from '@hawser/controller';
import { type Agent, createStatusWriter } from '@hawser/publication';
import { Actor } from './act.js';
import { Caches, type ClusterNames } from './caches.js';
import { type Decision, decideLook } from './decide-look.js';
import { exportKey } from './keys.js';
import { type Observed, Observer } from './observe.js';
import { Refusals } from './refusals.js';
import { LastReports } from './last-reports.js';

export interface SyncagentAPIExportOptions {
  readonly agent: Agent;
}

/** Delay before a refused change is retried without another change. */
const REFUSED_RETRY_MS = 5 * 60_000;

/**
 * Adds the schemas of an agent's PublishedResources, and the permission claims that they need, to its APIExport
 * (`spec/api-syncagent.md §10.2`), and reports the result on each. `provider` is the workspace of the export.
 */
export function createSyncagentAPIExport({ agent }: SyncagentAPIExportOptions): Controller<ClusterNames> {
  return controller('syncagent-apiexport', (setup: Setup<ClusterNames>): Reconciler<Observed, Decision> => {
    const { clusters, clock } = setup;
    const caches = new Caches(setup, agent);
    const { publishedResources, definitions } = caches;
    const writer = createStatusWriter({ ...setup, client: clusters.service.client, publishedResources, definitions });
    const refusals = new Refusals(REFUSED_RETRY_MS);
    const reports = new LastReports(setup, caches);
    const ports = { agent, clock, client: clusters.provider.client, caches, writer, refusals, reports };
    const observer = new Observer(ports);
    const actor = new Actor(ports);
    return {
      concurrency: 2,
      initial: () => [exportKey],
      observe: (key, signal) => observer.observe(key, signal),
      decide: decideLook,
      decided: (_, observed, decision) => {
        reports.follow(observed, decision);
        if (decision.reports !== undefined) refusals.tryTogether();
      },
      act: (action, signal, observed) => actor.act(action, signal, observed),
    };
  });
}
