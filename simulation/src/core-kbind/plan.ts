import { admissionFaults } from '../admission.js';
import type { Fault } from '../fault.js';
import { drawLinkFault, instants } from '../schedule.js';
import { SeededRandom } from '../seeded-random.js';
import {
  ACTIVATIONS,
  CLUSTERS,
  CONSUMER,
  MACHINES,
  PLAIN_ACTIVATIONS,
  PLAIN_APIS,
  PROVIDERS,
  type Place,
  type Provider,
  firstRouted,
  places,
} from './scenario.js';
import { RELATED } from './related-slots.js';

/** Foreign objects in the place of a copy. */
export const foreignWays = ['unmarked', 'of another cluster', 'of kube-bind'] as const;
export type ForeignWay = (typeof foreignWays)[number];

/** Actions of people on an original of related objects, or on its copy. */
export const relatedWays = ['change', 'delete', 'make', 'leave out', 'select', 'tamper', 'occupy'] as const;
export type RelatedWay = (typeof relatedWays)[number];

/** An action in a run with `core.kbind.io`. A lasting one is undone `forMs` later. */
export type KbindAction =
  /**
   * `orphan`: deleted, and the copy is to stay. `tamper`: a person on the provider changes the copy. `keep`: a person
   * clones the copy, with all its marks.
   */
  | {
      readonly at: number;
      readonly kind: 'create' | 'update' | 'delete' | 'recreate' | 'orphan' | 'tamper' | 'keep';
      readonly object: number;
    }
  /** Another owner has an object of that name on the provider, if the name is free. */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly kind: 'occupy';
      readonly object: number;
      readonly way: ForeignWay;
      /** Provider of a routed object. */
      readonly provider?: Provider;
    }
  /** The binding is deleted, and recreated. */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly kind: 'unbind';
      readonly activation: number;
      readonly orphans: boolean;
    }
  /** An API is left out of the list. */
  | { readonly at: number; readonly forMs: number; readonly kind: 'shorten'; readonly api: number }
  /** The binding has conflict policy `Adopt`. */
  | { readonly at: number; readonly forMs: number; readonly kind: 'adopt'; readonly activation: number }
  /** One of its rules for related objects is left out. */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly kind: 'drop-rule';
      readonly activation: number;
      readonly rule: number;
    }
  /** All bindings of a Connection are deleted, with the Connection and its Secret. */
  | { readonly at: number; readonly forMs: number; readonly kind: 'disconnect'; readonly provider: Provider }
  /** The Secret leads to the other provider, or nowhere. */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly kind: 'mislead';
      readonly provider: Provider;
      readonly way: 'other' | 'garbage';
    }
  /** The Secret gets another kubeconfig for the same provider. */
  | { readonly at: number; readonly kind: 'rotate'; readonly provider: Provider }
  /** The token of the Secret is revoked; later the Secret gets another one. */
  | { readonly at: number; readonly forMs: number; readonly kind: 'revoke'; readonly provider: Provider }
  /** A person removes the Connection at once, finalizers or not, while bindings name it. People apply it again. */
  | { readonly at: number; readonly kind: 'lose-connection'; readonly provider: Provider }
  /**
   * An object is deleted, and a foreign one takes the place of its copy. People recreate it under conflict policy
   * `Adopt`.
   */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly kind: 'contest';
      readonly object: number;
      readonly way: ForeignWay;
    }
  /** Another cluster answers at the address of the provider. */
  | { readonly at: number; readonly forMs: number; readonly kind: 'replace-provider'; readonly provider: Provider }
  | { readonly at: number; readonly forMs: number; readonly kind: 'withdraw'; readonly api: number }
  | { readonly at: number; readonly kind: 'add-field'; readonly api: number }
  | { readonly at: number; readonly kind: 'relate'; readonly slot: number; readonly way: RelatedWay }
  /** The label that routes the object. */
  | { readonly at: number; readonly kind: 'place'; readonly object: number; readonly place: Place }
  /** The selector of a binding overlaps with others, or selects nothing. */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly kind: 'select';
      readonly activation: number;
      readonly way: SelectorWay;
    }
  /** A person labels it for another provider, and types `hawser move`. */
  | {
      readonly at: number;
      readonly kind: 'move';
      readonly object: number;
      readonly to: Provider;
      readonly undo: boolean;
      /** The command is aborted that long after the start of a step. */
      readonly breakOff?: { readonly step: number; readonly afterMs: number } | undefined;
    };

/** New state of a binding's selector. */
export const selectorWays = ['all of both', 'none'] as const;
export type SelectorWay = (typeof selectorWays)[number];

/** All actions of a run. */
export interface KbindPlan {
  readonly actions: readonly KbindAction[];
  readonly faults: readonly Fault[];
}

export interface KbindPlanOptions {
  readonly seed: number;
  readonly endMs: number;
  readonly objects: number;
  /** Whether webhooks of the clusters meddle. */
  readonly webhooks: boolean;
  /** Whether an API is routed. */
  readonly routes: boolean;
}

/** Time without actions, for the system to come up. */
const BEGIN_MS = 60_000;
const BETWEEN_ACTIONS_MS = 20_000;
const BETWEEN_OTHERS_MS = 120_000;
const BETWEEN_RELATED_MS = 45_000;
const BETWEEN_FAULTS_MS = 150_000;
const BETWEEN_TROUBLES_MS = 400_000;
const BETWEEN_RESTORED_MS = 600_000;
const BETWEEN_ROUTES_MS = 90_000;
const BETWEEN_WEBHOOKS_MS = 900_000;

/** Draws each part from random numbers of its own. */
export function drawKbindPlan(options: KbindPlanOptions): KbindPlan {
  const restored = drawRestoredBindings(options);
  const actions = [
    ...restored.actions,
    ...drawObjects(options),
    ...drawOthers(options),
    ...drawRelated(options),
    ...drawTroubles(options),
    ...(options.routes ? drawRoutes(options) : []),
  ];
  const faults = [...restored.faults, ...drawFaults(options), ...(options.webhooks ? drawWebhooks(options) : [])];
  return { actions: actions.sort(byTime), faults: faults.sort(byTime) };
}

function drawObjects({ seed, endMs, objects }: KbindPlanOptions): readonly KbindAction[] {
  const random = SeededRandom.stream(seed, 'objects of core.kbind.io');
  const actions: KbindAction[] = Array.from({ length: objects }, (_, object) => ({
    at: BEGIN_MS + random.between(0, 30_000),
    kind: 'create',
    object,
  }));
  for (const at of instants(random, endMs, Math.max(BETWEEN_ACTIONS_MS, endMs / 600))) {
    const dice = random.next();
    const kind =
      dice < 0.45
        ? 'update'
        : dice < 0.58
          ? 'delete'
          : dice < 0.78
            ? 'create'
            : dice < 0.86
              ? 'recreate'
              : dice < 0.91
                ? 'orphan'
                : dice < 0.97
                  ? 'tamper'
                  : 'keep';
    actions.push({ at, kind, object: random.between(0, objects - 1) });
  }
  return actions;
}

function drawOthers({ seed, endMs, objects }: KbindPlanOptions): readonly KbindAction[] {
  const random = SeededRandom.stream(seed, 'bindings of core.kbind.io');
  return [...instants(random, endMs, Math.max(BETWEEN_OTHERS_MS, endMs / 60))].map((at): KbindAction => {
    const common = { at, forMs: Math.min(endMs - at, random.pick([2_000, 30_000, 150_000, 400_000])) };
    const activation = random.between(0, PLAIN_ACTIVATIONS - 1);
    const api = random.between(0, PLAIN_APIS - 1);
    const provider = random.pick(PROVIDERS);
    switch (random.between(0, 13)) {
      case 0:
      case 1:
        return { ...common, kind: 'unbind', activation, orphans: random.chance(0.3) };
      case 2:
        // The second of two: a list is never empty.
        return { ...common, kind: 'shorten', api: 1 };
      case 3:
      case 4:
        return { ...common, kind: 'adopt', activation };
      case 5:
        return { ...common, kind: 'disconnect', provider };
      case 6:
        return { ...common, kind: 'mislead', provider, way: random.pick(['other', 'garbage'] as const) };
      case 7:
        return { at, kind: 'rotate', provider };
      case 8:
        return { ...common, kind: 'replace-provider', provider };
      case 9:
        return { ...common, kind: 'withdraw', api };
      case 10:
        return { at, kind: 'add-field', api };
      case 11:
        return { ...common, kind: 'drop-rule', activation, rule: random.between(0, 1) };
      default:
        return {
          ...common,
          kind: 'occupy',
          object: random.between(0, objects - 1),
          way: random.pick(foreignWays),
        };
    }
  });
}

function drawRelated({ seed, endMs }: KbindPlanOptions): readonly KbindAction[] {
  const random = SeededRandom.stream(seed, 'related objects of core.kbind.io');
  return [...instants(random, endMs, Math.max(BETWEEN_RELATED_MS, endMs / 100))].map((at) => ({
    at,
    kind: 'relate',
    slot: random.between(0, RELATED.length - 1),
    way: random.pick(relatedWays),
  }));
}

function drawTroubles({ seed, endMs, objects }: KbindPlanOptions): readonly KbindAction[] {
  const random = SeededRandom.stream(seed, 'troubles of core.kbind.io');
  return [...instants(random, endMs, Math.max(BETWEEN_TROUBLES_MS, endMs / 20))].map((at): KbindAction => {
    const forMs = Math.min(endMs - at, random.pick([30_000, 150_000, 400_000]));
    const provider = random.pick(PROVIDERS);
    const object = random.between(0, objects - 1);
    const dice = random.next();
    if (dice < 0.35) return { at, forMs, kind: 'revoke', provider };
    if (dice < 0.6) return { at, kind: 'lose-connection', provider };
    return { at, forMs, kind: 'contest', object, way: random.pick(foreignWays) };
  });
}

function drawRoutes({ seed, endMs, objects }: KbindPlanOptions): readonly KbindAction[] {
  const random = SeededRandom.stream(seed, 'routes of core.kbind.io');
  return [...instants(random, endMs, Math.max(BETWEEN_ROUTES_MS, endMs / 100))].map((at): KbindAction => {
    const common = { at, forMs: Math.min(endMs - at, random.pick([5_000, 60_000, 300_000])) };
    const object = random.between(firstRouted(objects, true), objects - 1);
    const activation = random.between(PLAIN_ACTIVATIONS, ACTIVATIONS.length - 1);
    const provider = random.pick(PROVIDERS);
    const dice = random.next();
    if (dice < 0.12) return { at, kind: 'place', object, place: random.pick(places) };
    if (dice < 0.22) return { ...common, kind: 'select', activation, way: random.pick(selectorWays) };
    if (dice < 0.28) return { ...common, kind: 'unbind', activation, orphans: random.chance(0.3) };
    if (dice < 0.34) return { ...common, kind: 'adopt', activation };
    if (dice < 0.42) return { ...common, kind: 'occupy', object, provider, way: random.pick(foreignWays) };
    const breakOff = { step: random.between(1, 4), afterMs: random.pick([0, 3, 200, 5_000]) };
    const isBrokenOff = random.chance(0.4);
    return {
      at,
      kind: 'move',
      object,
      to: provider,
      undo: random.chance(0.15),
      ...(isBrokenOff ? { breakOff } : {}),
    };
  });
}

function drawFaults({ seed, endMs }: KbindPlanOptions): readonly Fault[] {
  const random = SeededRandom.stream(seed, 'faults of core.kbind.io');
  return [...instants(random, endMs, Math.max(BETWEEN_FAULTS_MS, endMs / 200))].map((at) => {
    const forMs = Math.min(endMs - at, random.pick([500, 5_000, 30_000, 120_000, 400_000]));
    return drawFault(random, at, forMs);
  });
}

/** A binding or Connection ends, and a backup of the consumer from before undoes that. */
function drawRestoredBindings({ seed, endMs }: KbindPlanOptions): KbindPlan {
  const random = SeededRandom.stream(seed, 'restored bindings of core.kbind.io');
  const pairs = [...instants(random, endMs, Math.max(BETWEEN_RESTORED_MS, endMs / 20))].map((at) => {
    const end = { at, forMs: Math.min(endMs - at, random.pick([30_000, 150_000])) };
    const dice = random.next();
    const action: KbindAction =
      dice < 0.6
        ? { ...end, kind: 'unbind', activation: random.between(0, PLAIN_ACTIVATIONS - 1), orphans: false }
        : dice < 0.8
          ? { ...end, kind: 'shorten', api: 1 }
          : { ...end, kind: 'disconnect', provider: random.pick(PROVIDERS) };
    const afterMs = Math.min((endMs - at) / 2, random.pick([100, 1_000, 5_000, 20_000]));
    const fault: Fault = {
      at: at + afterMs,
      forMs: Math.min(endMs - at - afterMs, random.pick([500, 5_000])),
      target: 'restore',
      cluster: CONSUMER,
      ageMs: afterMs + random.pick([1_000, 10_000]),
    };
    return { action, fault };
  });
  return { actions: pairs.map(({ action }) => action), faults: pairs.map(({ fault }) => fault) };
}

function drawFault(random: SeededRandom, at: number, forMs: number): Fault {
  const dice = random.next();
  const machine = random.pick(MACHINES);
  const cluster = random.pick(CLUSTERS);
  if (dice < 0.5) return { at, forMs, target: 'link', machine, cluster, fault: drawLinkFault(random) };
  if (dice < 0.57) return { at, target: 'compaction', cluster };
  if (dice < 0.63) return { at, forMs, target: 'restart', cluster };
  if (dice < 0.69)
    return {
      at,
      forMs: Math.min(forMs, 30_000),
      target: 'restore',
      cluster,
      ageMs: Math.min(at - BEGIN_MS, random.pick([10_000, 60_000, 300_000])),
    };
  if (dice < 0.75)
    return { at, forMs, target: 'skew', machine, ms: random.pick([-3_600_000, -20_000, 20_000, 3_600_000]) };
  if (dice < 0.82) return { at, forMs: Math.min(forMs, 60_000), target: 'stall', machine };
  if (dice < 0.96)
    return { at, forMs, target: 'kill', machine, afterRequests: random.between(0, 12), sent: random.chance(0.5) };
  return { at, forMs: Math.min(forMs, 60_000), target: 'steal-lease' };
}

function drawWebhooks({ seed, endMs }: KbindPlanOptions): readonly Fault[] {
  const random = SeededRandom.stream(seed, 'webhooks of core.kbind.io');
  return [...instants(random, endMs, Math.max(BETWEEN_WEBHOOKS_MS, endMs / 8))].map((at) => ({
    at,
    forMs: Math.min(endMs - at, random.pick([5_000, 60_000, 400_000])),
    target: 'admission',
    cluster: random.pick(CLUSTERS),
    webhook: random.pick(admissionFaults),
  }));
}

function byTime(one: { readonly at: number }, other: { readonly at: number }): number {
  return one.at - other.at;
}
