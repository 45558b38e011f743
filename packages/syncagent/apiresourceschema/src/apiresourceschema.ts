import { type Controller, type Reconciler, type Setup, controller } from '@hawser/controller';
import { type Agent, type Discover, createStatusWriter } from '@hawser/publication';
import { Actor } from './act.js';
import { Caches, type ClusterNames } from './caches.js';
import { type Decision, decideLook } from './decide-look.js';
import { type Observed, Observer } from './observe.js';
import { WantedSchemas } from './wanted-schemas.js';

export interface APIResourceSchemaOptions {
  readonly agent: Agent;
  readonly discover: Discover;
  /** Interval for checking types without a CRD: no event reports their changes. Default 10 min. */
  readonly recheckMs?: number | undefined;
}

/**
 * Creates the APIResourceSchema of each PublishedResource in the provider workspace, and names it in the status
 * (`spec/api-syncagent.md §10.1`). A changed schema gets a new object; old ones are kept. Holds a breaking one if the
 * PublishedResource says so.
 */
export function createAPIResourceSchema(options: APIResourceSchemaOptions): Controller<ClusterNames> {
  const { agent, discover, recheckMs: everyMs = 600_000 } = options;
  return controller('syncagent-apiresourceschema', (setup: Setup<ClusterNames>): Reconciler<Observed, Decision> => {
    const { clusters, clock, look, random } = setup;
    const { client } = clusters.provider;
    const caches: Caches = new Caches(setup, agent, () => wanted.kept);
    const { publishedResources, definitions } = caches;
    const writer = createStatusWriter({ ...setup, client: clusters.service.client, publishedResources, definitions });
    const wanted = new WantedSchemas({ agent, discover, client, caches, look });
    const recheckMs = (): number => everyMs * (1 - 0.2 * random());
    const observer = new Observer({ agent, client, caches, wanted, writer, now: () => clock.now(), recheckMs });
    const actor = new Actor(setup, agent, caches, writer);
    return {
      takesAll: true,
      observe: (name, signal) => observer.observe(name, signal),
      decide: decideLook,
      decided: (name, _, { publication }) => {
        wanted.follow(name, publication);
      },
      act: (action, signal) => actor.act(action, signal),
    };
  });
}
