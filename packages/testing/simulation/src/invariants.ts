/**
 * What must hold, whatever goes wrong. `while it runs`: looked at with each event. `at the end`: after the last fault has ended and the system had time.
 */
import type { ApiSchema, ApiSchemas } from './api-schemas.js';
import type { Model } from './model.js';
import type { Sample } from './sample.js';

export interface Violation {
  readonly atMs: number;
  readonly invariant: string;
  readonly what: string;
}

/** One binding, seen from both sides by somebody who may see everything. */
export interface BothSides {
  readonly binding: number;
  readonly consumer: readonly Sample[];
  readonly provider: readonly Sample[];
}

type Findings = Generator<{ readonly invariant: string; readonly what: string }>;

// --- while it runs -------------------------------------------------------------------------------------------------------------------------------

/** Nothing is deleted that nobody asked to delete: there are no more deletions of copies than users asked for. */
export function* deletionWasAsked(model: Model, object: number, deletionsOfCopies: number): Findings {
  const { deletions } = model.of(object);
  if (deletionsOfCopies > deletions) yield { invariant: 'deletion was asked', what: `copies of object ${object} were deleted ${deletionsOfCopies} times, users asked ${deletions} times` };
}

/** A user's object goes only if the user asked, or with the API. */
export function* consumerObjectStays(model: Model, object: number, gone: number): Findings {
  const { deletions } = model.of(object);
  if (gone > deletions) yield { invariant: 'consumer object stays', what: `object ${object} went ${gone} times, users asked ${deletions} times` };
}

/** The finalizer holds a deleted object until its copy is gone. */
export function* finalizerWaits(model: Model, gone: Sample, copies: readonly Sample[]): Findings {
  if (model.of(gone.object).orphan) return;
  if (copies.some(({ standsFor }) => standsFor === gone.uid)) yield { invariant: 'finalizer waits for the copy', what: `object ${gone.object} is gone, and its copy is not` };
}

/** A copy says what a user said at some time, or what somebody on the provider put there. */
export function* contentIsSomebodys(model: Model, copy: Sample): Findings {
  if (copy.value > 0 && !model.of(copy.object).ever.has(copy.value)) yield { invariant: 'content is somebody\'s', what: `the copy of object ${copy.object} says ${copy.value}, which no user wrote there` };
}

/** No write by a process that may have lost its lease: it must have renewed it, with a request sent less than the renew deadline ago. */
export function* writerHasLease(process: string, request: string, sinceRenewalMs: number, renewDeadlineMs: number): Findings {
  if (sinceRenewalMs > renewDeadlineMs) yield { invariant: 'writer has the lease', what: `${process} sent ${request} ${Number.isFinite(sinceRenewalMs) ? `${Math.round(sinceRenewalMs)} ms after its last renewal` : 'without ever having held the lease'}` };
}

/** No hot loop: what is tried again is tried less and less often. */
export function* retriesBackOff(process: string, requests: number, withinMs: number): Findings {
  if (requests > MOST_REQUESTS_A_MINUTE) yield { invariant: 'retries back off', what: `${process} sent ${requests} requests within ${withinMs / 1_000} s` };
}

/** A change that breaks something reaches nobody before somebody has approved it: on the provider for what is offered, on the consumer for its CRD. */
export function* schemaIsApproved(schemas: ApiSchemas, binding: number, side: 'consumer' | 'provider', where: string, schema: ApiSchema): Findings {
  if (!schemas.isApproved(binding, side, schema)) yield { invariant: 'breaking changes are approved', what: `${where} has the limit ${schema.limit}, which nobody approved` };
}

/** The provider role deletes nothing that a consumer needs, and no namespace that may hold objects. */
export function* providerKeeps(what: string): Findings {
  yield { invariant: 'the provider keeps what consumers need', what: `${what} was deleted` };
}

/** Each consumer is given its own credential, and rights for nobody else. */
export function* isOwn(what: string, clusterNamespace: string, consumers: readonly string[]): Findings {
  const others = consumers.filter((consumer) => consumer !== clusterNamespace);
  if (others.length > 0) yield { invariant: 'consumers have what is theirs', what: `${what} of ${clusterNamespace} is for ${others.join(', ')}` };
}

/** For the few dozen objects of a run; coming up takes some two hundred. */
const MOST_REQUESTS_A_MINUTE = 3_000;

// --- at the end ----------------------------------------------------------------------------------------------------------------------------------

/** In step: what users want is there, once on each side, with the same content, and the status is that of the copy that is there now. */
export function* inStep(model: Model, { binding, consumer, provider }: BothSides): Findings {
  for (const { object } of model.wanted().filter((slot) => slot.binding === binding)) {
    const { wanted } = model.of(object);
    const mine = consumer.filter((candidate) => candidate.object === object);
    const copies = provider.filter((candidate) => candidate.object === object);
    const [one] = mine;
    const [copy] = copies;
    if (one === undefined) yield { invariant: 'nothing lost', what: `object ${object} is wanted, and not on the consumer` };
    else if (one.terminating) yield { invariant: 'nothing lost', what: `object ${object} is wanted, and terminating on the consumer` };
    else if (one.value !== wanted) yield { invariant: 'nothing lost', what: `object ${object} says ${one.value} on the consumer, wanted is ${String(wanted)}` };
    if (copies.length > 1) yield { invariant: 'nothing duplicated', what: `object ${object} has ${copies.length} copies` };
    if (copy === undefined) yield { invariant: 'in step', what: `object ${object} has no copy` };
    else if (copy.value !== wanted) yield { invariant: 'in step', what: `the copy of object ${object} says ${copy.value}, wanted is ${String(wanted)}` };
    else if (one !== undefined && one.status.value !== wanted) yield { invariant: 'in step', what: `the status of object ${object} speaks of ${String(one.status.value)}, wanted is ${String(wanted)}` };
    else if (one !== undefined && one.status.copy !== copy.uid) yield { invariant: 'status is of the current copy', what: `the status of object ${object} is that of ${String(one.status.copy)}, the copy is ${copy.uid}` };
  }
}

/** What users deleted is gone on both sides, finalizers and all; only what lost its consumer object without a user's will stays. */
export function* deletionsAreDone(model: Model, { binding, consumer, provider }: BothSides): Findings {
  for (const { object } of model.slots.filter((slot) => slot.binding === binding)) {
    const { wanted, orphan } = model.of(object);
    if (wanted !== undefined) continue;
    if (consumer.some((candidate) => candidate.object === object)) yield { invariant: 'deletions are done', what: `object ${object} was deleted, and is still on the consumer` };
    if (!orphan && provider.some((candidate) => candidate.object === object)) yield { invariant: 'deletions are done', what: `object ${object} was deleted, and its copy is still on the provider` };
  }
}

/** Everything in step: not one write, renewals of leases and heartbeats apart. */
export function* quiet(writes: readonly string[], forMs: number): Findings {
  if (writes.length > 0) yield { invariant: 'quiet', what: `${writes.length} writes in ${forMs / 1000} s although everything was in step: ${[...new Set(writes)].slice(0, 5).join(', ')}` };
}

/** What the owner of an API wants its consumers to have is what they are offered, and what the CRD of the consumer says. */
export function* schemasInStep(schemas: ApiSchemas, binding: number, { crd, offered }: { readonly crd: ApiSchema | undefined; readonly offered: readonly (ApiSchema | undefined)[] }): Findings {
  const wanted = schemas.of(binding);
  const differs = (schema: ApiSchema | undefined): boolean => schema?.fields !== wanted.fields || schema.limit !== wanted.limit;
  for (const [consumer, schema] of offered.entries()) if (differs(schema)) yield { invariant: 'schemas are in step', what: `consumer ${consumer} is offered ${JSON.stringify(schema)} of API ${binding}, wanted is ${JSON.stringify(wanted)}` };
  if (differs(crd)) yield { invariant: 'schemas are in step', what: `the CRD of API ${binding} has ${JSON.stringify(crd)}, wanted is ${JSON.stringify(wanted)}` };
}

/** A change that flows costs the provider two writes for each consumer: its BoundSchema, and the annotation of its export. */
export function* twoWritesEach(writes: readonly string[], consumers: number): Findings {
  if (writes.length !== 2 * consumers) yield { invariant: 'two writes for each consumer', what: `a changed schema took ${writes.length} writes for ${consumers} consumers: ${writes.slice(0, 8).join(', ')}` };
}

/** After unbinding: no API, no objects, no finalizers on the consumer; on the provider everything stays as it was. */
export function* unbound(crdIsThere: boolean, left: readonly Sample[], before: readonly Sample[], after: readonly Sample[]): Findings {
  if (crdIsThere) yield { invariant: 'unbinding finishes', what: `the API is still on the consumer${left.length === 0 ? '' : ` with ${left.length} objects, ${left.filter(({ finalizers }) => finalizers.length > 0).length} of them with finalizers`}` };
  const uids = new Set(after.map(({ uid }) => uid));
  for (const { object } of before.filter(({ uid }) => !uids.has(uid))) yield { invariant: 'unbinding keeps copies', what: `the copy of object ${object} went with the binding` };
}
