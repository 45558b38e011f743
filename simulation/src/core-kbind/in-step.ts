import { schemaOf } from '../sample.js';
import type { SimCluster } from '../sim-cluster.js';
import type { Foreigners } from './foreigners.js';
import type { People } from './people.js';
import type { Routing } from './routing.js';
import {
  CONNECTIONS,
  CONSUMER,
  CRDS,
  OWNED,
  type Scenario,
  type Slot,
  bindingsOf,
  listsOwned,
  providersOf,
} from './scenario.js';
import { SYNCER, type Thing, thingOf } from './thing.js';
import { resourceOf } from './users.js';
import type { Wishes } from './wishes.js';

export interface Finding {
  readonly invariant: string;
  readonly what: string;
}

export interface Sides {
  readonly scenario: Scenario;
  readonly routing: Routing;
  readonly wishes: Wishes;
  readonly people: People;
  readonly foreigners: Foreigners;
  readonly cluster: (name: string) => SimCluster;
}

/** Differences from people's wishes on either side, after enough time for everything. */
export function* inStep(sides: Sides): Generator<Finding> {
  yield* bindingsWork(sides);
  for (const slot of sides.wishes.slots) yield* objectInStep(sides, slot);
  yield* schemasInStep(sides);
  yield* ownedStays(sides);
}

function* bindingsWork({ scenario, cluster }: Sides): Generator<Finding> {
  const { objects } = cluster(CONSUMER);
  for (const connection of objects.list(CONNECTIONS))
    if (!isTrue(connection['status'], 'Ready'))
      yield {
        invariant: 'Connections work',
        what: `${thingOf(connection).name}: ${JSON.stringify(connection['status'])}`,
      };
  for (const one of scenario.activations) {
    const { name, namespace = '' } = one;
    const binding = objects.get(bindingsOf(one), { namespace, name });
    const description = `${namespace}/${name}`;
    if (binding === undefined || thingOf(binding).terminating)
      yield { invariant: 'what is bound works', what: `${description} is not there` };
    // The ClusterBinding that lists an API reports a CRD of people's own.
    else if (isTrue(binding['status'], 'Conflicts') || isTrue(binding['status'], 'Ready') === listsOwned(one))
      yield { invariant: 'what is bound works', what: `${description}: ${JSON.stringify(binding['status'])}` };
  }
}

function* objectInStep(sides: Sides, slot: Slot): Generator<Finding> {
  const { wishes, routing, cluster } = sides;
  const { wanted, mayStay } = wishes.of(slot.object);
  const object = at(cluster(CONSUMER), slot);
  const description = `object ${slot.object}`;
  yield* copiesGo(sides, slot, wanted === undefined ? undefined : routing.home(slot));
  if (wanted === undefined) {
    if (object !== undefined)
      yield { invariant: 'deletions are done', what: `${description} was deleted, and is still on the consumer` };
    return;
  }
  if (object?.value !== wanted || object.terminating) {
    yield {
      invariant: 'nothing lost',
      what: `${description}: ${wanted} is wanted, ${String(object?.value)} is there${object?.terminating === true ? ', terminating' : ''}`,
    };
    return;
  }
  const home = routing.home(slot);
  const copy = home === undefined ? undefined : at(cluster(home), slot);
  const isCovered = routing.isCovered(slot);
  if (!isCovered) {
    const isAtOtherProvider =
      home !== undefined && copy !== undefined && slot.activation === undefined && !mayStay.has(home);
    if (object.finalizers.includes(SYNCER) || isAtOtherProvider)
      yield { invariant: 'what no binding is for stays alone', what: `${description} has a copy or a finalizer` };
    return;
  }
  if (copy?.value !== wanted)
    yield { invariant: 'in step', what: `${description}: ${wanted} is wanted, its copy has ${String(copy?.value)}` };
  else if (object.status.value !== wanted || object.status.copy !== copy.uid)
    yield {
      invariant: 'in step',
      what: `the status of ${description} says ${JSON.stringify(object.status)}, wanted is ${wanted} of ${copy.uid}`,
    };
  else if (object.annotations['core.kbind.io/conflict'] !== undefined)
    yield { invariant: 'in step', what: `${description} is in step, and says that it has a conflict` };
}

/** Copies without an object to serve, and remains of moves. */
function* copiesGo(
  { wishes, routing, foreigners, cluster }: Sides,
  slot: Slot,
  home: string | undefined,
): Generator<Finding> {
  const { wanted, mayStay } = wishes.of(slot.object);
  if (routing.isLeft(slot))
    yield { invariant: 'moves end', what: `object ${slot.object} still has a copy elsewhere, as it says` };
  for (const provider of providersOf(slot.api)) {
    if (provider === home) continue;
    const copy = at(cluster(provider), slot);
    if (copy === undefined || mayStay.has(provider) || foreigners.isForeign(copy)) continue;
    if (wanted === undefined)
      yield { invariant: 'deletions are done', what: `object ${slot.object} was deleted, and its copy still stands` };
    else if (!routing.isMoving(slot, provider))
      yield { invariant: 'one copy serves', what: `object ${slot.object} has another copy in ${provider}` };
  }
}

function* schemasInStep({ scenario, people, cluster }: Sides): Generator<Finding> {
  for (const [index, { plural, group }] of scenario.apis.entries()) {
    const crd = cluster(CONSUMER).objects.get(CRDS, { namespace: '', name: `${plural}.${group}` });
    const fields = crd === undefined ? undefined : schemaOf(crd).fields;
    if (fields !== people.fields(index))
      yield {
        invariant: 'schemas are in step',
        what: `the CRD of ${plural} has ${String(fields)} new fields, wanted are ${people.fields(index)}`,
      };
  }
}

/** No other owner may take what people have made themselves. */
export function* ownedStays({ cluster }: Pick<Sides, 'cluster'>): Generator<Finding> {
  const name = `${OWNED.plural}.${OWNED.group}`;
  const crd = cluster(CONSUMER).objects.get(CRDS, { namespace: '', name });
  if (crd === undefined || thingOf(crd).terminating || schemaOf(crd).fields !== 7)
    yield { invariant: 'CRDs of people stay as they are', what: name };
}

export function at(cluster: SimCluster, slot: Slot): Thing | undefined {
  const found = cluster.serves(resourceOf(slot)) ? cluster.objects.get(resourceOf(slot), slot) : undefined;
  return found === undefined ? undefined : thingOf(found);
}

function isTrue(status: unknown, type: string): boolean {
  const { conditions = [] } = (status ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}
