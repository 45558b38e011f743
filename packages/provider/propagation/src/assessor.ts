import type { SourceSchema } from '@hawser/exportrequest';
import type { APIServiceExport, Dialect } from '@hawser/kube-bind';
import type { SchemaPolicy, Verdict } from '@hawser/schemagate';
import { assess, type Assessment, type Judge, judgeSchemas, policyOf } from './assess.js';
import type { PropagationCaches, StatedSchema } from './propagation-caches.js';
import { stamperOf } from './schema-view.js';

/** Compares a consumer's schemas with the present CRDs. */
export class Assessor {
  readonly #caches: PropagationCaches;
  readonly #schemaPolicy: SchemaPolicy;
  readonly #stamper;
  readonly #judge = rememberedJudge();

  constructor(caches: PropagationCaches, dialect: Dialect, schemaPolicy: SchemaPolicy) {
    this.#caches = caches;
    this.#schemaPolicy = schemaPolicy;
    this.#stamper = stamperOf(dialect);
  }

  assess(found: APIServiceExport, boundSchema: StatedSchema): Assessment {
    const decided = this.#caches.decided(found);
    const policy = policyOf(decided, this.#caches.requestOf(found), this.#schemaPolicy);
    return assess({ export: decided, boundSchema, source: this.#sourceOf(found, boundSchema), policy }, this.#judge);
  }

  #sourceOf({ spec: { isolation } }: APIServiceExport, { metadata, spec }: StatedSchema): SourceSchema | undefined {
    const crd = this.#caches.crds.get({ name: metadata.name });
    // A consumer's informer scope is settled when it binds.
    const { informerScope } = spec;
    return crd === undefined || crd.metadata.deletionTimestamp !== undefined
      ? undefined
      : this.#stamper.stamp(crd, { informerScope, isolation });
  }
}

/** Memoises judgements: consumers share the same few schemas, and comparing large ones takes time. */
function rememberedJudge(): Judge {
  const known = new Map<string, Verdict>();
  return (before, after, policy, approved) => {
    const key = `${before.hash} ${after.hash} ${policy} ${approved}`;
    const verdict = known.get(key) ?? judgeSchemas(before, after, policy, approved);
    if (known.size > 500) known.clear();
    known.set(key, verdict);
    return verdict;
  };
}
