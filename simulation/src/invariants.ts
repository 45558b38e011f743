/**
 * Invariants that hold whatever goes wrong. Those of a {@link Model} cover users' objects of the APIs, their claimed
 * Secrets, and Secrets that providers make for them, whose copies the consumer has. `while it runs`: checked at each
 * event. `at the end`: checked after the last fault has ended and the system had time.
 */
import { type Conditions, conditionTypes, hasCondition, isConditionTrue } from '@hawser/kube-bind';
import type { ApiSchema, ApiSchemas } from './api-schemas.js';
import type { BundleView } from './installation.js';
import type { Model } from './model.js';
import type { RightView } from './rights.js';
import type { Sample } from './sample.js';

export interface Violation {
  readonly atMs: number;
  readonly invariant: string;
  readonly what: string;
}

/** State of one binding on both sides, with rights to see everything. */
export interface BothSides {
  readonly binding: number;
  /** On the side of their owners. */
  readonly originals: readonly Sample[];
  readonly copies: readonly Sample[];
}

type Findings = Generator<{ readonly invariant: string; readonly what: string }>;

// --- while it runs -------------------------------------------------------------------------------------------------------------------------------

/** Every deletion was requested: there are no more deletions of copies than users requested. */
export function* deletionWasAsked(model: Model, object: number, deletionsOfCopies: number): Findings {
  const { deletions } = model.of(object);
  if (deletionsOfCopies > deletions)
    yield {
      invariant: 'deletion was asked',
      what: `copies of ${model.noun} ${object} were deleted ${deletionsOfCopies} times, ${deletions} times somebody asked`,
    };
}

/** An object goes only if its owner asked, or with the API. */
export function* originalStays(model: Model, object: number, gone: number): Findings {
  const { deletions } = model.of(object);
  if (gone > deletions)
    yield {
      invariant: 'originals stay',
      what: `${model.noun} ${object} went ${gone} times, ${deletions} times somebody asked`,
    };
}

/** The finalizer holds a deleted object until its copy is gone. */
export function* finalizerWaits(model: Model, gone: Sample, copies: readonly Sample[]): Findings {
  if (model.of(gone.object).orphan) return;
  if (copies.some(({ standsFor }) => standsFor === gone.uid))
    yield { invariant: 'finalizer waits for the copy', what: `object ${gone.object} is gone, and its copy is not` };
}

/** A copy has contents that its original had at some time, or that another writer put there. */
export function* contentHasAuthor(model: Model, copy: Sample): Findings {
  if (copy.value > 0 && !model.of(copy.object).ever.has(copy.value))
    yield {
      invariant: "content is somebody's",
      what: `the copy of ${model.noun} ${copy.object} says ${copy.value}, which nobody wrote there`,
    };
}

/**
 * No write by a process that may have lost its lease: it must have renewed it by a request sent less than the renew
 * deadline ago.
 */
export function* writerHasLease(
  process: string,
  request: string,
  sinceRenewalMs: number,
  renewDeadlineMs: number,
): Findings {
  if (sinceRenewalMs > renewDeadlineMs)
    yield {
      invariant: 'writer has the lease',
      what: `${process} sent ${request} ${Number.isFinite(sinceRenewalMs) ? `${Math.round(sinceRenewalMs)} ms after its last renewal` : 'without ever having held the lease'}`,
    };
}

/** If several konnectors share the work, none writes without the shard, or after it let it go. */
export function* oneWriterForEachShard(process: string, request: string, hasShard: boolean): Findings {
  if (!hasShard)
    yield { invariant: 'one writer for each shard', what: `${process} sent ${request} without having its shard` };
}

/** No hot loop: retries become less and less frequent. */
export function* retriesBackOff(process: string, requests: number, withinMs: number): Findings {
  if (requests > MOST_REQUESTS_A_MINUTE)
    yield { invariant: 'retries back off', what: `${process} sent ${requests} requests within ${withinMs / 1_000} s` };
}

/** A process does not write an object over and over, whatever the outcome. */
export function* writesAreFew(what: string, done: number, answered: number): Findings {
  if (done > MOST_WRITES_A_MINUTE)
    yield {
      invariant: 'writes are few',
      what: `${what} was carried out more than ${MOST_WRITES_A_MINUTE} times in a minute`,
    };
  if (answered > MOST_ANSWERS_A_MINUTE)
    yield {
      invariant: 'writes are few',
      what: `${what} was answered more than ${MOST_ANSWERS_A_MINUTE} times in a minute`,
    };
}

/** A breaking change goes nowhere before its approval: on the provider for the offer, on the consumer for its CRD. */
export function* schemaIsApproved(
  schemas: ApiSchemas,
  binding: number,
  side: 'consumer' | 'provider',
  where: string,
  schema: ApiSchema,
): Findings {
  if (!schemas.isApproved(binding, side, schema))
    yield {
      invariant: 'breaking changes are approved',
      what: `${where} has the limit ${schema.limit}, which nobody approved`,
    };
}

/**
 * A changed schema reaches a consumer only once every consumer of earlier steps has reported that it serves that very
 * schema.
 */
export function* stepHasBegun(where: string, unproven: readonly string[]): Findings {
  if (unproven.length > 0)
    yield {
      invariant: 'roll-outs go step by step',
      what: `the BoundSchema ${where} has a schema that ${unproven.join(', ')} of an earlier step did not serve yet`,
    };
}

/** The provider role deletes nothing that a consumer needs, and no namespace that may hold objects. */
export function* providerKeeps(what: string): Findings {
  yield { invariant: 'the provider keeps what consumers need', what: `${what} was deleted` };
}

/**
 * A claimed Secret exists only with its two parties: with no other provider, consumer or namespace. An unclaimed one
 * stays where it is.
 */
export function* secretIsForThem(where: string, name: string, isForThem: boolean): Findings {
  if (!isForThem) yield { invariant: 'Secrets are for nobody else', what: `${where} has ${name}` };
}

/**
 * Without the consumer's agreement, a konnector reads no objects and passes none to the other side, whatever the
 * provider claims by now.
 */
export function* claimsAreAccepted(what: string): Findings {
  yield { invariant: 'claims are accepted', what: `${what}, to which nobody has agreed` };
}

/** A binding made by hand goes only by hand. */
export function* bindingByHandStays(name: string, isAsked: boolean): Findings {
  if (!isAsked)
    yield { invariant: 'bindings by hand stay', what: `APIServiceBinding ${name} was made by hand, and was deleted` };
}

/** A binding is not Ready before its connection state is known. */
export function* readyIsKnown(name: string, conditions: Conditions | undefined): Findings {
  if (isConditionTrue(conditions, conditionTypes.ready) && !hasCondition(conditions, conditionTypes.connected))
    yield {
      invariant: 'Ready is known',
      what: `APIServiceBinding ${name} is Ready, and nobody has said whether it is connected`,
    };
}

/**
 * A binding of a bundle goes with the bundle, or after its export. It stays while the export has existed for longer
 * than an earlier deletion can be under way.
 */
export function* bundledBindingStays(name: string, isBundleThere: boolean, exportStandsForMs: number): Findings {
  if (isBundleThere && exportStandsForMs > MOST_UNDER_WAY_MS)
    yield {
      invariant: 'bundled bindings stay',
      what: `APIServiceBinding ${name} of a bundle was deleted, ${Number.isFinite(exportStandsForMs) ? `its export has stood for ${Math.round(exportStandsForMs / 1_000)} s` : 'its export was never withdrawn'}`,
    };
}

/** Each consumer gets its own credential, and no rights on others' objects. */
export function* isOwn(what: string, clusterNamespace: string, consumers: readonly string[]): Findings {
  const others = consumers.filter((consumer) => consumer !== clusterNamespace);
  if (others.length > 0)
    yield {
      invariant: 'consumers have what is theirs',
      what: `${what} of ${clusterNamespace} is for ${others.join(', ')}`,
    };
}

/** A process does not pile up pending work: timers, and requests with their answers. */
export function* holdsLittle(process: string, timers: number, exchanges: number): Findings {
  if (timers > MOST_TIMERS) yield { invariant: 'memory is bounded', what: `${process} waits for ${timers} timers` };
  if (exchanges > MOST_EXCHANGES)
    yield { invariant: 'memory is bounded', what: `${process} has ${exchanges} requests under way` };
}

/** A kubeconfig that a person has put into a Secret stays there: a konnector does not replace it with its own. */
export function* repointedStays(secret: string, provider: string, kubeconfig: string): Findings {
  if (!kubeconfig.includes(`https://${provider}.test`))
    yield {
      invariant: 'kubeconfigs of people stay',
      what: `Secret ${secret} was to lead to ${provider}, and does not any more`,
    };
}

/** For the few dozen objects of a run; startup takes some two hundred. */
const MOST_REQUESTS_A_MINUTE = 3_000;
/** To one object: includes conflicts of a bad minute, and actions of people meanwhile. */
const MOST_WRITES_A_MINUTE = 30;
/** The same including refusals: also from a proxy, which causes more retries. */
const MOST_ANSWERS_A_MINUTE = 100;
/** For the few dozen objects of a run, each of which may wait for its next look. */
const MOST_TIMERS = 600;
/** Watches, and a client's most requests at a time. */
const MOST_EXCHANGES = 400;
/**
 * From the read that proves an export gone to the deletion of its binding: with a stalled process, over a slow link.
 */
const MOST_UNDER_WAY_MS = 120_000;

/**
 * Growth of the runtime's caches and the embedded servers' histories in ten minutes of bookmarks, heartbeats and
 * renewals.
 */
const MOST_GROWTH = 1_024 * 1_024;
/** For all processes and servers of a run, which take some 40 MiB. */
const MOST_HELD = 64 * 1_024 * 1_024;

// --- at the end ----------------------------------------------------------------------------------------------------------------------------------

/** In step: each wanted object exists once on each side, with the same content. */
export function* inStep(model: Model, { binding, originals, copies }: BothSides): Findings {
  const { noun, home } = model;
  for (const { object } of model.wanted().filter((slot) => slot.binding === binding)) {
    const { wanted } = model.of(object);
    const one = originals.find((candidate) => candidate.object === object);
    const found = copies.filter((candidate) => candidate.object === object);
    const [copy] = found;
    if (one === undefined)
      yield { invariant: 'nothing lost', what: `${noun} ${object} is wanted, and not on the ${home}` };
    else if (one.terminating)
      yield { invariant: 'nothing lost', what: `${noun} ${object} is wanted, and terminating on the ${home}` };
    else if (one.value !== wanted)
      yield {
        invariant: 'nothing lost',
        what: `${noun} ${object} says ${one.value} on the ${home}, wanted is ${String(wanted)}`,
      };
    if (found.length > 1)
      yield { invariant: 'nothing duplicated', what: `${noun} ${object} has ${found.length} copies` };
    if (copy === undefined) yield { invariant: 'in step', what: `${noun} ${object} has no copy` };
    else if (copy.value !== wanted)
      yield {
        invariant: 'in step',
        what: `the copy of ${noun} ${object} says ${copy.value}, wanted is ${String(wanted)}`,
      };
    else if (one?.tier !== undefined && copy.tier !== one.tier)
      yield {
        invariant: 'in step',
        what: `the copy of ${noun} ${object} has tier ${String(copy.tier)}, the ${noun} itself ${one.tier}`,
      };
  }
}

/** The status of each object comes from its current copy and its current spec. */
export function* statusesInStep(model: Model, { binding, originals, copies }: BothSides): Findings {
  for (const { object } of model.wanted().filter((slot) => slot.binding === binding)) {
    const { wanted } = model.of(object);
    const one = originals.find((candidate) => candidate.object === object);
    const copy = copies.find((candidate) => candidate.object === object);
    if (one === undefined || copy === undefined || copy.value !== wanted) continue;
    if (one.status.value !== wanted)
      yield {
        invariant: 'in step',
        what: `the status of object ${object} speaks of ${String(one.status.value)}, wanted is ${String(wanted)}`,
      };
    else if (one.status.copy !== copy.uid)
      yield {
        invariant: 'status is of the current copy',
        what: `the status of object ${object} is that of ${String(one.status.copy)}, the copy is ${copy.uid}`,
      };
  }
}

/**
 * Deleted objects are gone on both sides, finalizers included. Only a copy that lost its original without a person's
 * will stays.
 */
export function* deletionsAreDone(model: Model, { binding, originals, copies }: BothSides): Findings {
  for (const { object } of model.slots.filter((slot) => slot.binding === binding)) {
    const { wanted, orphan } = model.of(object);
    if (wanted !== undefined) continue;
    if (originals.some((candidate) => candidate.object === object))
      yield {
        invariant: 'deletions are done',
        what: `${model.noun} ${object} was deleted, and is still on the ${model.home}`,
      };
    if (!orphan && copies.some((candidate) => candidate.object === object))
      yield { invariant: 'deletions are done', what: `${model.noun} ${object} was deleted, and its copy still stands` };
  }
}

/** Without changes, memory does not grow. */
export function* memoryStays(before: number, after: number, inTheBeginning: number): Findings {
  if (after - before > MOST_GROWTH)
    yield {
      invariant: 'memory is bounded',
      what: `${((after - before) / 1_024).toFixed(0)} KiB more are held than before a time in which nothing happened`,
    };
  const held = after - inTheBeginning;
  if (held > MOST_HELD)
    yield { invariant: 'memory is bounded', what: `${(held / 1_024 / 1_024).toFixed(0)} MiB are held` };
}

/** A consumer may do exactly what its exports say, at every provider. */
export function* rightsInStep(rights: Iterable<RightView>): Findings {
  for (const { what, may, wanted } of rights) {
    if (may.length !== wanted.length || may.some((verb) => !wanted.includes(verb)))
      yield {
        invariant: 'rights are what exports say',
        what: `${what} may ${may.join(', ') || 'do nothing'}, its exports say ${wanted.join(', ') || 'nothing'}`,
      };
  }
}

/** If only a webhook keeps an object out of step, the object or its binding reports it. */
export function* standstillIsReported(what: string, isReported: boolean): Findings {
  if (!isReported) yield { invariant: 'standstills are told', what };
}

/** In step, no process writes, except renewals of leases and heartbeats. */
export function* quiet(writes: readonly string[], forMs: number): Findings {
  if (writes.length > 0)
    yield {
      invariant: 'quiet',
      what: `${writes.length} writes in ${forMs / 1000} s although everything was in step: ${[...new Set(writes)].slice(0, 5).join(', ')}`,
    };
}

/**
 * Every offered API is bound, by the current bundle unless a person had bound it by hand. Nothing else is bound, and
 * nothing is left of a deleted bundle.
 */
export function* bundleInStep({ name, uid, wanted, apis }: BundleView): Findings {
  if ((uid !== undefined) !== wanted)
    yield { invariant: 'bundles bind everything', what: `bundle ${name} is ${wanted ? 'not there' : 'still there'}` };
  for (const api of apis) {
    const whose =
      api.owner === undefined
        ? 'not bound'
        : api.owner === null
          ? 'bound by hand'
          : api.owner === uid
            ? 'bound by the bundle'
            : 'bound by another bundle';
    const isRight = api.isWanted ? api.owner === uid || (api.isByHand && api.owner === null) : api.owner === undefined;
    if (!isRight || api.isWanted !== api.isServed)
      yield {
        invariant: 'bundles bind everything',
        what: `${api.name} is ${whose} and ${api.isServed ? '' : 'not '}served, it is ${api.isWanted ? '' : 'not '}wanted`,
      };
  }
}

/** Consumers are offered the schema that the API owner wants for them, and the consumer's CRD has it. */
export function* schemasInStep(
  schemas: ApiSchemas,
  binding: number,
  { crd, offered }: { readonly crd: ApiSchema | undefined; readonly offered: readonly (ApiSchema | undefined)[] },
): Findings {
  const wanted = schemas.of(binding);
  const differs = (schema: ApiSchema | undefined): boolean =>
    schema?.fields !== wanted.fields || schema.limit !== wanted.limit;
  for (const [consumer, schema] of offered.entries())
    if (differs(schema))
      yield {
        invariant: 'schemas are in step',
        what: `consumer ${consumer} is offered ${JSON.stringify(schema)} of API ${binding}, wanted is ${JSON.stringify(wanted)}`,
      };
  if (differs(crd))
    yield {
      invariant: 'schemas are in step',
      what: `the CRD of API ${binding} has ${JSON.stringify(crd)}, wanted is ${JSON.stringify(wanted)}`,
    };
}

/**
 * A flowing change costs the provider two writes for each consumer: its BoundSchema, and the annotation of its export.
 */
export function* twoWritesEach(writes: readonly string[], consumers: number): Findings {
  if (writes.length !== 2 * consumers)
    yield {
      invariant: 'two writes for each consumer',
      what: `a changed schema took ${writes.length} writes for ${consumers} consumers: ${writes.slice(0, 8).join(', ')}`,
    };
}

/** Difficult objects go, too, once their user has deleted them. */
export function* monstersAreGone(left: readonly string[]): Findings {
  if (left.length > 0)
    yield { invariant: 'deletions are done', what: `${left.join(', ')} were deleted, and are still on the consumer` };
}

/** After unbinding: no API, no objects, no finalizers on the consumer; the provider stays as it was. */
export function* unbound(
  crdIsThere: boolean,
  left: readonly Sample[],
  before: readonly Sample[],
  after: readonly Sample[],
): Findings {
  if (crdIsThere)
    yield {
      invariant: 'unbinding finishes',
      what: `the API is still on the consumer${left.length === 0 ? '' : ` with ${left.length} objects, ${left.filter(({ finalizers }) => finalizers.length > 0).length} of them with finalizers`}`,
    };
  const uids = new Set(after.map(({ uid }) => uid));
  for (const { object } of before.filter(({ uid }) => !uids.has(uid)))
    yield { invariant: 'unbinding keeps copies', what: `the copy of object ${object} went with the binding` };
}

/** Claims end with their binding, and claimed objects stay as they are, on both sides. */
export function* claimedSecretsStay(where: string, before: readonly Sample[], after: readonly Sample[]): Findings {
  const stands = (one: Sample): boolean => after.some(({ uid, value }) => uid === one.uid && value === one.value);
  for (const { namespace, name } of before.filter((one) => !stands(one)))
    yield {
      invariant: 'unbinding keeps claimed Secrets',
      what: `Secret ${namespace}/${name} of ${where} was changed or deleted with the binding`,
    };
}
