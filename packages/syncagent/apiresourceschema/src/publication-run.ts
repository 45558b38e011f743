import { type Client, getIfExists, messageOf, sentence } from '@hawser/client';
import { type Result, done } from '@hawser/controller';
import { type APIResourceSchema, resources as kcpResources } from '@hawser/kcp-api';
import type { Agent } from '@hawser/publication';
import type { PublishedResource } from '@hawser/syncagent-api';
import type { Actor } from './act.js';
import type { Caches } from './caches.js';
import type { Candidate } from './candidate.js';
import { type Known, type Publication, type Question, decidePublication } from './decide-publication.js';
import type { WantedSchemas } from './wanted-schemas.js';

export interface PublicationPorts {
  readonly agent: Agent;
  /** Of the provider workspace. */
  readonly client: Client;
  readonly caches: Caches;
  readonly wanted: WantedSchemas;
  readonly actor: Actor;
  /** When a type without a CRD is looked at again, in milliseconds; another time whenever it is asked. */
  readonly recheckMs: () => number;
}

/** One look at one PublishedResource: has it decided about again and again, with what each answer has taught, until it is settled. */
export class PublicationRun {
  readonly #ports: PublicationPorts;
  readonly #name: string;
  readonly #object: PublishedResource | undefined;
  #candidate: Candidate | undefined;
  #remains: Known['remains'];
  #schemas: Known['schemas'];

  constructor(ports: PublicationPorts, name: string) {
    this.#ports = ports;
    this.#name = name;
    this.#object = ports.caches.publishedResources.get({ name });
  }

  async run(signal: AbortSignal): Promise<Result> {
    for (;;) {
      const publication = decidePublication(this.#observe());
      const object = this.#object;
      if (object === undefined || publication.kind === 'forget') {
        this.#ports.wanted.forget(this.#name);
        return done;
      }
      switch (publication.kind) {
        case 'ask':
          await this.#answer(object, publication.question, signal);
          break;
        case 'fail':
          return this.#fail(object, publication, signal);
        case 'conclude':
          return this.#conclude(object, publication, signal);
      }
    }
  }

  #observe(): Known {
    const { agent, caches, wanted } = this.#ports;
    const candidate = this.#candidate;
    return {
      publishedResource: this.#object,
      agentName: agent.name,
      exportName: agent.exportName,
      candidate,
      claimants: wanted.claimants(this.#name),
      remains: this.#remains,
      present: candidate?.kind === 'found' ? caches.schemas.get({ name: candidate.schema.metadata.name }) : undefined,
      schemas: this.#schemas,
    };
  }

  async #answer(object: PublishedResource, question: Question, signal: AbortSignal): Promise<void> {
    switch (question.type) {
      case 'discover':
        this.#candidate = await this.#ports.wanted.discovered(object, signal);
        return;
      case 'readRemains':
        this.#remains = await this.#ports.wanted.remains(question.schema, signal);
        return;
      case 'readSchemas':
        this.#ports.wanted.release(this.#name);
        await this.#orSayWhy(object, () => this.#readSchemas(question, signal), signal);
    }
  }

  async #readSchemas(
    { present, specOf, published }: Extract<Question, { type: 'readSchemas' }>,
    signal: AbortSignal,
  ): Promise<void> {
    const read = async (name: string | undefined): Promise<APIResourceSchema | undefined> =>
      name === undefined
        ? undefined
        : getIfExists<APIResourceSchema>(this.#ports.client, kcpResources.apiResourceSchemas, { name }, { signal });
    const [foreign, before] = await Promise.all([read(specOf), read(published)]);
    this.#schemas = { present, presentSpec: foreign?.spec, published: before };
  }

  async #fail(
    object: PublishedResource,
    { reason, message, error, keptBy }: Extract<Publication, { kind: 'fail' }>,
    signal: AbortSignal,
  ): Promise<Result> {
    if (keptBy === 'rival') this.#ports.wanted.release(this.#name);
    if (keptBy === 'export' && this.#candidate?.kind === 'found')
      this.#ports.wanted.keep(this.#name, this.#candidate.schema);
    await this.#ports.actor.fail(object, reason, message, signal);
    if (error !== undefined) throw error;
    return done;
  }

  async #conclude(
    object: PublishedResource,
    { decision, schema, watched }: Extract<Publication, { kind: 'conclude' }>,
    signal: AbortSignal,
  ): Promise<Result> {
    await this.#orSayWhy(object, () => this.#ports.actor.conclude(object, decision, schema, signal), signal);
    if (watched) return done;
    this.#ports.wanted.distrust(this.#name, { kind: 'found', schema, watched });
    return { kind: 'requeue', afterMs: this.#ports.recheckMs(), priority: 'background' };
  }

  /** A failure is also said on the PublishedResource. */
  async #orSayWhy(object: PublishedResource, what: () => Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await what();
    } catch (error) {
      if (signal.aborted) throw error;
      const schema = this.#candidate?.kind === 'found' ? this.#candidate.schema.metadata.name : '';
      const message = `APIResourceSchema ${schema} cannot be written: ${sentence(messageOf(error))} The operator must see to the rights of the agent in the provider workspace, or the provider to the schema.`;
      await this.#ports.actor.fail(object, 'SchemaNotWritten', message, signal);
      throw error;
    }
  }
}
