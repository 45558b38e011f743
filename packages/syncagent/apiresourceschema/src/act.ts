import { type KubeObject, isAlreadyExists, isForbidden } from '@hawser/client';
import type { Setup } from '@hawser/controller';
import { type APIResourceSchema, resources as kcpResources } from '@hawser/kcp-api';
import { type Agent, type StatusWriter, publicationConditions } from '@hawser/publication';
import { type NewCondition, type PublishedResource, annotations, getCondition, labels } from '@hawser/syncagent-api';
import type { Caches, ClusterNames } from './caches.js';
import type { Action } from './decide-look.js';
import { notWritten } from './decide-publication.js';
import { type Verdict, statusChange } from './status-of.js';

/** The only place that writes. */
export class Actor {
  readonly #setup: Setup<ClusterNames>;
  readonly #agent: Agent;
  readonly #caches: Caches;
  readonly #writer: StatusWriter;

  constructor(setup: Setup<ClusterNames>, agent: Agent, caches: Caches, writer: StatusWriter) {
    this.#setup = setup;
    this.#agent = agent;
    this.#caches = caches;
    this.#writer = writer;
  }

  async act(action: Action, signal: AbortSignal): Promise<void> {
    switch (action.type) {
      case 'createSchema':
        return this.#withFailureReport(action, () => this.#create(action.schema, signal), signal);
      case 'repairMarks':
        return this.#withFailureReport(action, () => this.#repairMarks(action.schema.metadata.name, signal), signal);
      case 'writeStatus':
        return this.#writeStatus(action.object, action.verdict, signal);
      case 'retry':
        throw action.error;
    }
  }

  /** Also reports a failure on the PublishedResource. */
  async #withFailureReport(
    { object, schema }: Extract<Action, { readonly type: 'createSchema' | 'repairMarks' }>,
    write: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (signal.aborted) throw error;
      const message = notWritten(schema, error);
      await this.#writeStatus(object, { kind: 'fail', reason: 'SchemaNotWritten', message }, signal);
      throw error;
    }
  }

  async #create(schema: APIResourceSchema, signal: AbortSignal): Promise<void> {
    const { client } = this.#setup.clusters.provider;
    try {
      this.#caches.schemas.observe(
        await client.create<KubeObject>(kcpResources.apiResourceSchemas, schema, {
          representation: 'metadata',
          signal,
        }),
      );
    } catch (error) {
      // Created a moment ago, by us before a restart or by another agent: its event leads to the next look.
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async #repairMarks(name: string, signal: AbortSignal): Promise<void> {
    const { client } = this.#setup.clusters.provider;
    const patch = {
      metadata: {
        labels: { [labels.agentName]: this.#agent.name },
        annotations: { [annotations.agentName]: this.#agent.name },
      },
    };
    try {
      const after = await client.patch<KubeObject>(
        kcpResources.apiResourceSchemas,
        { name },
        { type: 'merge', patch },
        { representation: 'metadata', signal },
      );
      this.#caches.schemas.observe(after);
    } catch (error) {
      // The documented rights of agents do not contain it, and nothing depends on it (`spec/api-syncagent.md §17`, 26).
      if (!isForbidden(error)) throw error;
      this.#setup.logger.debug('An APIResourceSchema has no mark of its agent, which may not set it.', { name });
    }
  }

  async #writeStatus(object: PublishedResource, verdict: Verdict, signal: AbortSignal): Promise<void> {
    const change = statusChange(object, verdict, this.#setup.clock.now());
    const written = await this.#writer.commit(object, change, signal);
    if (written !== undefined && written !== object) this.#recordEvents(object, written);
  }

  /** Records Events for changed conditions, once. */
  #recordEvents(before: PublishedResource, after: PublishedResource): void {
    const news = (type: string): NewCondition | undefined => {
      const [was, is] = [before, after].map(({ status }) => getCondition(status?.conditions, type));
      return is === undefined || (was?.status === is.status && was.message === is.message) ? undefined : is;
    };
    const record = (reason: string, message: string): void => {
      this.#caches.publishedResources.recordEvent(after, { type: 'Warning', reason, message });
    };
    const published = news(publicationConditions.schemaPublished);
    if (published?.status === 'False') record('ReconcilingError', published.message);
    const held = news(publicationConditions.schemaUpdateHeld);
    if (held?.status === 'True') record(held.reason, held.message);
  }
}
