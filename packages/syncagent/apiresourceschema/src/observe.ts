import { type Client, getIfExists } from '@hawser/client';
import { type APIResourceSchema, resources as kcpResources } from '@hawser/kcp-api';
import type { Agent, StatusTerms, StatusWriter } from '@hawser/publication';
import type { PublishedResource } from '@hawser/syncagent-api';
import type { Caches } from './caches.js';
import { type Known, type Question, decidePublication } from './decide-publication.js';
import type { WantedSchemas } from './wanted-schemas.js';

export interface Observed {
  readonly known: Known;
  readonly terms: StatusTerms;
  /** Delay before a type without a CRD is checked again, in milliseconds. */
  readonly recheckMs: number;
}

export interface ObserverPorts {
  readonly agent: Agent;
  /** Client of the provider workspace. */
  readonly client: Client;
  readonly caches: Caches;
  readonly wanted: WantedSchemas;
  readonly writer: StatusWriter;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Differs at each call. */
  readonly recheckMs: () => number;
}

/** Reads the inputs of the decision about a PublishedResource, one after the other: each answer may suffice. */
export class Observer {
  readonly #ports: ObserverPorts;

  constructor(ports: ObserverPorts) {
    this.#ports = ports;
  }

  async observe(name: string, signal: AbortSignal): Promise<Observed> {
    const { writer, now, recheckMs } = this.#ports;
    const known = await this.#known(name, signal);
    return { known, terms: { kept: await writer.kept(signal), now: now() }, recheckMs: recheckMs() };
  }

  async #known(name: string, signal: AbortSignal): Promise<Known> {
    const { agent, caches, wanted } = this.#ports;
    const publishedResource = caches.publishedResources.get({ name });
    let answers: Pick<Known, 'candidate' | 'remains' | 'schemas' | 'unread'> = {};
    for (;;) {
      const { candidate } = answers;
      const known: Known = {
        ...answers,
        publishedResource,
        agentName: agent.name,
        exportName: agent.exportName,
        claimants: wanted.claimants(name),
        present: candidate?.kind === 'found' ? caches.schemas.get({ name: candidate.schema.metadata.name }) : undefined,
      };
      const publication = decidePublication(known);
      if (publishedResource === undefined || publication.kind !== 'ask') return known;
      answers = { ...answers, ...(await this.#answer(publishedResource, publication.question, signal)) };
    }
  }

  async #answer(object: PublishedResource, question: Question, signal: AbortSignal): Promise<Partial<Known>> {
    const { wanted } = this.#ports;
    switch (question.type) {
      case 'discover':
        return { candidate: await wanted.discovered(object, signal) };
      case 'readRemains':
        return { remains: await wanted.remains(question.schema, signal) };
      case 'readSchemas':
        wanted.release(object.metadata.name);
        return this.#readSchemas(question, signal);
    }
  }

  async #readSchemas(
    { present, specOf, published }: Extract<Question, { type: 'readSchemas' }>,
    signal: AbortSignal,
  ): Promise<Pick<Known, 'schemas' | 'unread'>> {
    const read = async (name: string | undefined): Promise<APIResourceSchema | undefined> =>
      name === undefined
        ? undefined
        : getIfExists<APIResourceSchema>(this.#ports.client, kcpResources.apiResourceSchemas, { name }, { signal });
    try {
      const [foreign, before] = await Promise.all([read(specOf), read(published)]);
      return { schemas: { present, presentSpec: foreign?.spec, published: before } };
    } catch (error) {
      if (signal.aborted || !(error instanceof Error)) throw error;
      return { unread: error };
    }
  }
}
