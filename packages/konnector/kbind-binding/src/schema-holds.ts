import type { Client, KubeObject } from '@hawser/client';
import { consumerCRD } from '@hawser/core-kbind';
import type { CustomResourceDefinition } from '@hawser/crd';
import { isOtherCRD } from './decide-api.js';
import { type SchemaPolicy, schemaHash } from '@hawser/schemagate';
import { gateTerms, type Hold, readGate, sameCrdSpec } from '@hawser/servicebinding';

/** How long an answer counts: stored objects change without a watch here. */
const COUNTS_MS = 10 * 60_000;

interface Question {
  /** The CRD on the consumer. */
  readonly live: CustomResourceDefinition;
  readonly provided: CustomResourceDefinition;
  /** Carries the annotations that set the policy and approve. */
  readonly annotated: KubeObject;
  readonly connection: string;
}

/**
 * Decides whether changed schemas are held, by the same gate as in the older generation. Caches answers for a while.
 */
export class SchemaHolds {
  readonly #consumer: Client;
  readonly #policy: SchemaPolicy;
  readonly #now: () => number;
  readonly #known = new Map<
    string,
    { readonly question: string; readonly hold: Hold | undefined; readonly at: number }
  >();

  constructor(consumer: Client, policy: SchemaPolicy, now: () => number) {
    this.#consumer = consumer;
    this.#policy = policy;
    this.#now = now;
  }

  async read({ live, provided, annotated, connection }: Question, signal: AbortSignal): Promise<Hold | undefined> {
    const wanted = consumerCRD(provided, connection, live);
    const isChanged = wanted !== undefined && isOtherCRD(live, wanted) && !sameCrdSpec(live.spec, wanted.crd.spec);
    const { name } = provided.metadata;
    if (!isChanged) {
      this.#known.delete(name);
      return undefined;
    }
    const { spec } = wanted.crd;
    const asked = { name, spec, hash: schemaHash(spec) };
    const terms = gateTerms(annotated, asked, this.#policy);
    const question = [live.metadata.uid, live.metadata.generation, asked.hash, terms.policy, terms.approved].join(' ');
    const known = this.#known.get(name);
    if (known?.question === question && this.#now() - known.at < COUNTS_MS) return known.hold;
    const hold = await readGate(this.#consumer, live, asked, terms, signal);
    this.#known.set(name, { question, hold, at: this.#now() });
    return hold;
  }
}
