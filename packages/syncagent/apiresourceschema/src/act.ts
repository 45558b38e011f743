import { type KubeObject, isAlreadyExists, isForbidden } from '@hawser/client';
import type { ControllerContext } from '@hawser/controller';
import { type APIResourceSchema, resources as kcpResources } from '@hawser/kcp-api';
import { type Agent, type StatusWriter, publicationConditions } from '@hawser/publication';
import {
  type NewCondition,
  type PublishedResource,
  type PublishedResourceStatus,
  annotations,
  getCondition,
  labels,
} from '@hawser/syncagent-api';
import type { Caches } from './caches.js';
import type { Decision } from './decide.js';
import { concludedStatus, failedStatus } from './status-of.js';

/** The one place that writes. */
export class Actor {
  readonly #ctx: ControllerContext<'service' | 'provider'>;
  readonly #agent: Agent;
  readonly #caches: Caches;
  readonly #writer: StatusWriter;

  constructor(ctx: ControllerContext<'service' | 'provider'>, agent: Agent, caches: Caches, writer: StatusWriter) {
    this.#ctx = ctx;
    this.#agent = agent;
    this.#caches = caches;
    this.#writer = writer;
  }

  async fail(object: PublishedResource, reason: string, message: string, signal: AbortSignal): Promise<void> {
    await this.#commit(object, (status) => failedStatus(status, reason, message, this.#ctx.clock.now()), signal);
  }

  async conclude(
    object: PublishedResource,
    decision: Decision,
    schema: APIResourceSchema,
    signal: AbortSignal,
  ): Promise<void> {
    if (decision.kind === 'publish') await this.#publish(decision.act, schema, signal);
    await this.#commit(
      object,
      (status) => concludedStatus(status, decision, schema.metadata.name, this.#ctx.clock.now()),
      signal,
    );
  }

  async #publish(
    what: Extract<Decision, { kind: 'publish' }>['act'],
    schema: APIResourceSchema,
    signal: AbortSignal,
  ): Promise<void> {
    switch (what) {
      case 'nothing':
        return;
      case 'create':
        return this.#create(schema, signal);
      case 'repairMarks':
        return this.#repairMarks(schema.metadata.name, signal);
    }
  }

  async #create(schema: APIResourceSchema, signal: AbortSignal): Promise<void> {
    const { client } = this.#ctx.clusters.provider;
    try {
      this.#caches.schemas.observe(
        await client.create<KubeObject>(kcpResources.apiResourceSchemas, schema, {
          representation: 'metadata',
          signal,
        }),
      );
    } catch (error) {
      // Made a moment ago, by us before a restart or by another agent: looked at again when its event comes.
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async #repairMarks(name: string, signal: AbortSignal): Promise<void> {
    const { client } = this.#ctx.clusters.provider;
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
      // The rights that agents are told to have do not contain it, and nothing depends on it (`spec/api-syncagent.md §17`, 26).
      if (!isForbidden(error)) throw error;
      this.#ctx.logger.debug('An APIResourceSchema has no mark of its agent, which may not set it.', { name });
    }
  }

  async #commit(
    object: PublishedResource,
    change: (status: PublishedResourceStatus) => PublishedResourceStatus,
    signal: AbortSignal,
  ): Promise<void> {
    const observedGeneration = object.metadata.generation;
    const written = await this.#writer.commit(object, (status) => ({ ...change(status), observedGeneration }), signal);
    if (written !== undefined && written !== object) this.#tell(object, written);
  }

  /** What has become of conditions, once. */
  #tell(before: PublishedResource, after: PublishedResource): void {
    const news = (type: string): NewCondition | undefined => {
      const [was, is] = [before, after].map(({ status }) => getCondition(status?.conditions, type));
      return is === undefined || (was?.status === is.status && was.message === is.message) ? undefined : is;
    };
    const { apiVersion, kind, metadata } = after;
    const record = (reason: string, message: string): void => {
      this.#ctx.clusters.service.events.record(
        { apiVersion, kind, name: metadata.name, uid: metadata.uid },
        { type: 'Warning', reason, message },
      );
    };
    const published = news(publicationConditions.schemaPublished);
    if (published?.status === 'False') record('ReconcilingError', published.message);
    const held = news(publicationConditions.schemaUpdateHeld);
    if (held?.status === 'True') record(held.reason, held.message);
  }
}
