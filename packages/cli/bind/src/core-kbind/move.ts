import {
  type Client,
  type KubeObject,
  type ObjectKey,
  type Resource,
  getIfExists,
  isConflict,
  keyOf,
  listAll,
  objectKey,
} from '@hawser/client';
import type { Clock } from '@hawser/clock';
import {
  type Binding,
  type Connection,
  annotations,
  connectionOf,
  isConditionTrue,
  labels,
  moveAnnotations,
  resources,
} from '@hawser/core-kbind';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';
import { type Assignment, assign, rulesFor, rulesOf } from '@hawser/kbind-binding';
import { storedResource } from '@hawser/kube-bind';

import { until } from '../bind.js';
import type { Refusal } from '../refusal.js';

export interface MoveWish {
  readonly key: ObjectKey;
  /** Name of the new Connection. */
  readonly to: string;
  /** `<plural>.<group>`; undefined: the API that has an object of that name. */
  readonly api?: string | undefined;
  /** Lets go of the prepared copy instead of moving. */
  readonly undo: boolean;
}

export type MoveStep =
  /** Has the konnector prepare a copy at the new provider. The old provider still serves. */
  | { readonly kind: 'prepare'; readonly to: string }
  | { readonly kind: 'awaitReady'; readonly to: string }
  /**
   * From then on the new provider serves. `releases`: the Connection at which a konnector can let go of the old copy.
   */
  | { readonly kind: 'switch'; readonly to: string; readonly from: string; readonly releases: boolean }
  | { readonly kind: 'awaitReleased'; readonly from: string }
  | { readonly kind: 'undo'; readonly to: string }
  | { readonly kind: 'awaitUndone'; readonly to: string };

export interface MovePlan {
  /** The object to move. */
  readonly target: { readonly resource: Resource; readonly key: ObjectKey; readonly title: string } | undefined;
  readonly steps: readonly MoveStep[];
  readonly refusals: readonly Refusal[];
}

export type MoveResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** It did not happen in time. No later step was done; the same command continues from there. */
  | { readonly kind: 'waiting'; readonly what: string };

export interface MoveOptions {
  readonly consumer: Client;
  readonly clock: Clock;
  readonly print: (line: string) => void;
  /** Limit for each wait. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

interface Found {
  readonly crd: CustomResourceDefinition;
  readonly resource: Resource;
  readonly object: KubeObject;
}

/**
 * Plans what remains to serve an object at another Connection; continues where an earlier run ended. Writes nothing.
 * @throws ApiError if the consumer cannot be read
 */
export async function planMove(consumer: Client, wish: MoveWish, signal: AbortSignal): Promise<MovePlan> {
  const found = await find(consumer, wish, signal);
  if ('reason' in found) return { target: undefined, steps: [], refusals: [found] };
  const { crd, resource, object } = found;
  const title = `${crd.spec.names.kind} ${objectKey(wish.key)}`;
  const target = { resource, key: wish.key, title };
  const lists = [resources.clusterBindings, resources.bindings].map((one) =>
    listAll<Binding>(consumer, one, { signal }),
  );
  const rules = rulesOf(crd.metadata.name, (await Promise.all(lists)).flat());
  const assignment = assign(object, rules, connectionOf(crd));
  const from = servedAt(assignment);
  if (from === undefined || object.metadata.deletionTimestamp !== undefined)
    return { target, steps: [], refusals: [notSynced(title)] };
  const leadsTo = (connection: string): boolean =>
    rulesFor(rules, wish.key.namespace).some((rule) => rule.connection === connection);
  const connection = await getIfExists<Connection>(consumer, resources.connections, { name: wish.to }, { signal });
  const works = isConditionTrue(connection?.status?.conditions, 'Ready');
  const planned = wish.undo
    ? planUndo(object, from, wish.to)
    : planSteps(object, { assignment, from, leadsTo, works, title }, wish.to);
  return 'reason' in planned ? { target, steps: [], refusals: [planned] } : { target, steps: planned, refusals: [] };
}

interface Standing {
  readonly assignment: Assignment;
  /** The Connection that serves the object. */
  readonly from: string;
  /** Whether a binding with the object in its scope leads to a Connection. */
  readonly leadsTo: (connection: string) => boolean;
  /** Whether the new Connection works. */
  readonly works: boolean;
  readonly title: string;
}

function planSteps(
  { metadata: { annotations = {} } }: KubeObject,
  { assignment, from, leadsTo, works, title }: Standing,
  to: string,
): readonly MoveStep[] | Refusal {
  const { to: asked, from: left, undo } = moveAnnotations;
  // Without a binding to the Connection, no konnector lets go of a copy there.
  const [former] = [annotations[left] ?? []].flat().filter(leadsTo);
  const [undone] = [annotations[undo] ?? []].flat().filter(leadsTo);
  if (from === to) return former === undefined ? [] : [{ kind: 'awaitReleased', from: former }];
  if (former !== undefined)
    return underWay(`The copy of ${title} at Connection ${former} is not gone yet.`, 'waits for it');
  if (undone !== undefined)
    return underWay(`The copy of ${title} that was prepared at Connection ${undone} is not gone yet.`, 'waits for it');
  const other = annotations[asked];
  if (other !== undefined && other !== to)
    return underWay(
      `${title} is about to move to Connection ${other}.`,
      `undoes that first, with --to ${other} --undo`,
    );
  const chosen = assignment.kind === 'kept' || assignment.kind === 'lost' ? assignment.chosen : undefined;
  if (chosen?.connection !== to)
    return {
      reason: 'ObjectNotSelected',
      message: `No binding that leads to Connection ${to} selects ${title}, or another one comes before it.`,
      actor: 'operator',
      remedy: `changes the labels of the object or the bindings, so that one to ${to} selects it; until it is moved, Connection ${from} serves it`,
    };
  if (!works)
    return {
      reason: 'ConnectionNotReady',
      message: `Connection ${to} does not work.`,
      actor: 'operator',
      remedy: `looks at hawser why connection ${to}`,
    };
  const releases = leadsTo(from);
  return [
    ...(other === to ? [] : [{ kind: 'prepare' as const, to }]),
    { kind: 'awaitReady', to },
    { kind: 'switch', to, from, releases },
    ...(releases ? [{ kind: 'awaitReleased' as const, from }] : []),
  ];
}

function planUndo(
  { metadata: { annotations = {} } }: KubeObject,
  from: string,
  to: string,
): readonly MoveStep[] | Refusal {
  const { to: asked, undo } = moveAnnotations;
  if (from === to)
    return underWay(
      `The object is served at Connection ${to} already.`,
      'moves it back, with --to the other Connection',
    );
  if (annotations[undo] === to) return [{ kind: 'awaitUndone', to }];
  return annotations[asked] === to
    ? [
        { kind: 'undo', to },
        { kind: 'awaitUndone', to },
      ]
    : [];
}

/**
 * Carries out a plan without refusals. Each step reads the object anew and writes only that version. After an abort,
 * the old Connection serves the object; after the switch, the new one does. @throws ApiError if the API server refuses
 */
export async function moveObject(options: MoveOptions, wish: MoveWish, plan: MovePlan): Promise<MoveResult> {
  const { consumer, clock, print, timeoutMs, signal } = options;
  const { target } = plan;
  if (target === undefined) return { kind: 'done' };
  const { resource, key } = target;
  const liveAnnotations = async (): Promise<Readonly<Record<string, string>> | undefined> => {
    const live = await getIfExists<KubeObject>(consumer, resource, key, { signal });
    return live === undefined ? undefined : (live.metadata.annotations ?? {});
  };
  const comes = async (
    what: string,
    isThere: (found: Readonly<Record<string, string>>) => boolean,
  ): Promise<MoveResult> => {
    const end = await until(clock, timeoutMs, signal, async (): Promise<'there' | 'gone' | undefined> => {
      const found = await liveAnnotations();
      if (found === undefined) return 'gone';
      return isThere(found) ? 'there' : undefined;
    });
    return end === undefined ? { kind: 'waiting', what } : { kind: 'done' };
  };
  for (const step of plan.steps) {
    print(moveStepText(step));
    const result = await carryOut(step);
    if (result.kind !== 'done') return result;
  }
  return { kind: 'done' };

  async function carryOut(step: MoveStep): Promise<MoveResult> {
    const { to: asked, ready, from: left, undo } = moveAnnotations;
    switch (step.kind) {
      case 'prepare':
        return await write(step, { [asked]: step.to });
      case 'awaitReady':
        return await comes(
          `the copy at Connection ${step.to} to be ready; hawser why says what keeps it`,
          (found) => found[ready] === step.to,
        );
      case 'switch':
        return await write(step, {
          [annotations.servedBy]: step.to,
          [left]: step.releases ? step.from : null,
          [asked]: null,
          [ready]: null,
        });
      case 'awaitReleased':
        return await comes(`the copy at Connection ${step.from} to go`, (found) => found[left] === undefined);
      case 'undo':
        return await write(step, { [asked]: null, [ready]: null, [undo]: step.to });
      case 'awaitUndone':
        return await comes(`the copy at Connection ${step.to} to go`, (found) => found[undo] === undefined);
    }
  }

  /** Writes only if the current state still calls for the step. */
  async function write(step: MoveStep, marks: Readonly<Record<string, string | null>>): Promise<MoveResult> {
    const done = await until(clock, timeoutMs, signal, async (): Promise<MoveResult | undefined> => {
      const live = await getIfExists<KubeObject>(consumer, resource, key, { signal });
      const now = await planMove(consumer, wish, signal);
      const [refusal] = now.refusals;
      if (refusal !== undefined) return { kind: 'refused', refusal };
      if (live === undefined || !now.steps.some(({ kind }) => kind === step.kind)) return { kind: 'done' };
      if (step.kind === 'switch' && live.metadata.annotations?.[moveAnnotations.ready] !== step.to) return undefined;
      const { uid, resourceVersion } = live.metadata;
      const patch = { type: 'merge', patch: { metadata: { uid, resourceVersion, annotations: marks } } } as const;
      try {
        await consumer.patch(resource, keyOf(live), patch, { representation: 'metadata', signal });
        return { kind: 'done' };
      } catch (error) {
        if (isConflict(error)) return undefined;
        throw error;
      }
    });
    return done ?? { kind: 'waiting', what: 'other writers to leave the object alone' };
  }
}

/** One line that describes a step. */
export function moveStepText(step: MoveStep): string {
  switch (step.kind) {
    case 'prepare':
      return `prepare a copy at Connection ${step.to}`;
    case 'awaitReady':
      return `wait until the copy at Connection ${step.to} is ready`;
    case 'switch':
      return `have Connection ${step.to} serve the object in place of ${step.from}${step.releases ? '' : `; its copy there stays, because no binding leads to ${step.from}`}`;
    case 'awaitReleased':
      return `wait until the copy at Connection ${step.from} is gone (deletion policy Orphan keeps it)`;
    case 'undo':
      return `delete the copy that was prepared at Connection ${step.to}`;
    case 'awaitUndone':
      return `wait until the copy at Connection ${step.to} is gone`;
  }
}

/** The Connection that holds the copy of an object; undefined: no copy exists. */
function servedAt(assignment: Assignment): string | undefined {
  switch (assignment.kind) {
    case 'none':
      return undefined;
    case 'lost':
      return assignment.connection;
    case 'served':
    case 'kept':
      return assignment.rule.connection;
  }
}

async function find(consumer: Client, { key, api }: MoveWish, signal: AbortSignal): Promise<Found | Refusal> {
  const labelSelector = `${labels.managed}=true`;
  const crds = await listAll<CustomResourceDefinition>(consumer, customResourceDefinitions, { labelSelector, signal });
  const found: Found[] = [];
  for (const crd of crds.filter(({ metadata }) => api === undefined || metadata.name === api)) {
    const resource = storedResource(crd.spec);
    const isInScope = (crd.spec.scope === 'Namespaced') === (key.namespace !== undefined);
    const object =
      resource === undefined || !isInScope
        ? undefined
        : await getIfExists<KubeObject>(consumer, resource, key, { signal });
    if (resource !== undefined && object !== undefined) found.push({ crd, resource, object });
  }
  const [one, ...others] = found;
  if (one === undefined)
    return {
      reason: 'ObjectNotFound',
      message: `No bound API${api === undefined ? '' : ` ${api}`} has an object ${objectKey(key)}.`,
      actor: 'operator',
      remedy: 'looks at hawser tree',
    };
  return others.length === 0
    ? one
    : {
        reason: 'ObjectAmbiguous',
        message: `Several bound APIs have an object ${objectKey(key)}: ${found.map(({ crd }) => crd.metadata.name).join(', ')}.`,
        actor: 'operator',
        remedy: 'names one by --resource',
      };
}

function notSynced(title: string): Refusal {
  return {
    reason: 'ObjectNotSynced',
    message: `${title} has no copy, or is being deleted.`,
    actor: 'operator',
    remedy: 'looks at hawser why; an object without a copy goes where the bindings lead',
  };
}

function underWay(message: string, remedy: string): Refusal {
  return { reason: 'MoveUnderWay', message, actor: 'operator', remedy };
}
