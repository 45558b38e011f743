import { type Client, type KubeObject, type ObjectKey, type Resource, getIfExists, isForbidden } from '@hawser/client';
import { type Clock, sleep } from '@hawser/clock';
import { installCRDs as installCoreKbindCRDs, resources as coreKbind } from '@hawser/core-kbind';
import { consumerCRDs as klutchCRDs, installCRDs as installKlutchCRDs } from '@hawser/klutch';
import {
  type APIServiceBinding,
  type APIServiceExportRequest,
  type Condition,
  conditionTypes,
  consumerCRDs,
  getCondition,
  installCRDs,
  resources,
} from '@hawser/kube-bind';
import { type BindPlan, requestFailed } from './plan.js';
import { type BindStep } from './bind-step.js';
import type { Refusal } from './refusal.js';
import { stepText } from './step-text.js';
import type { BindingWish } from './wish.js';

export interface CarryOutOptions {
  readonly consumer: Client;
  readonly provider: Client;
  readonly clock: Clock;
  /** Called before each step and while waiting, with one line free of credentials. */
  readonly print: (line: string) => void;
  /** Limit for each wait, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Outcome of {@link bind}. */
export type BindResult =
  | { readonly kind: 'bound' }
  /** The provider refused. Objects made so far stay; a later attempt reuses them. */
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** `what` did not happen in time; it may still happen. */
  | { readonly kind: 'waiting'; readonly what: string };

/** Interval between looks during a wait. */
const LOOK_MS = 500;

/**
 * Carries out a plan without refusals, in its order: the provider answers before anything is written to the consumer. A
 * refusal thus leaves nothing on the consumer. After a failure, run it again: it continues where it stopped. @throws
 * ApiError if an API server refuses
 */
export async function bind(
  { consumer, provider, clock, print, timeoutMs, signal }: CarryOutOptions,
  wish: Pick<BindingWish, 'clusterNamespace'>,
  plan: BindPlan,
): Promise<BindResult> {
  for (const step of plan.steps) {
    print(stepText(step));
    const result = await carryOut(step);
    if (result !== undefined) return result;
  }
  return { kind: 'bound' };

  async function carryOut(step: BindStep): Promise<BindResult | undefined> {
    switch (step.kind) {
      case 'request':
        await provider.create(resources.apiServiceExportRequests, step.object, { signal });
        return await answered(step.object.metadata.name);
      case 'awaitRequest':
        return await answered(step.name);
      case 'awaitCRDGone':
        return (await crdGone({ client: consumer, clock, timeoutMs, signal }, step))
          ? undefined
          : { kind: 'waiting', what: leftCRD(step.name) };
      case 'installCRDs':
        await install(step.dialect, consumer, { clock, signal, timeoutMs });
        return undefined;
      case 'namespace':
        await consumer.create(resources.namespaces, step.object, { signal });
        return undefined;
      case 'createSecret':
        await consumer.create(resources.secrets, step.object, { signal });
        return undefined;
      case 'updateSecret':
        await consumer.patch(
          resources.secrets,
          { namespace: step.namespace, name: step.name },
          { type: 'merge', patch: step.patch },
          { signal },
        );
        return undefined;
      case 'grantKonnector':
        await grantKonnector(step);
        return undefined;
      case 'connection':
        await consumer.create(coreKbind.connections, step.object, { signal });
        return undefined;
      case 'coreBinding':
        await consumer.create(coreBindingResource(step.object.metadata), step.object, { signal });
        return undefined;
      case 'binding':
        await consumer.create(resources.apiServiceBindings, step.object, { signal });
        return undefined;
    }
  }

  async function grantKonnector({ object, found }: Extract<BindStep, { kind: 'grantKonnector' }>): Promise<void> {
    const { name } = object.metadata;
    try {
      if (found === undefined) await consumer.create(resources.clusterRoles, object, { signal });
      else
        await consumer.patch(
          resources.clusterRoles,
          { name },
          // Updates the object as read, to keep what others have added meanwhile.
          {
            type: 'merge',
            patch: {
              metadata: { uid: found.metadata.uid, resourceVersion: found.metadata.resourceVersion },
              rules: object.rules,
            },
          },
          { signal },
        );
    } catch (error) {
      if (!isForbidden(error)) throw error;
      print(
        `You may not grant that: ${error.message} A konnector with all rights does not need it; for that of the chart, have an administrator of this cluster apply it (hawser rbac prints it).`,
      );
    }
  }

  async function answered(name: string): Promise<BindResult | undefined> {
    const namespace = wish.clusterNamespace;
    let lastLine = '';
    const answer = await until(clock, timeoutMs, signal, async (): Promise<BindResult | 'succeeded' | undefined> => {
      const { status } = await provider.get<APIServiceExportRequest>(
        resources.apiServiceExportRequests,
        { namespace, name },
        { signal },
      );
      if (status?.phase === 'Failed')
        return { kind: 'refused', refusal: requestFailed(namespace, name, status.terminalMessage) };
      if (status?.phase === 'Succeeded') return 'succeeded';
      // A provider that itself waits reports this in a condition, and answers later.
      const line = lineOf(getCondition(status?.conditions, conditionTypes.exportsReady));
      if (line !== '' && line !== lastLine) print(line);
      lastLine = line;
      return undefined;
    });
    if (answer === 'succeeded') return undefined;
    return (
      answer ?? {
        kind: 'waiting',
        what: `the provider to answer APIServiceExportRequest "${namespace}/${name}"${lastLine === '' ? '' : ` (${lastLine})`}`,
      }
    );
  }
}

async function install(
  dialect: Extract<BindStep, { kind: 'installCRDs' }>['dialect'],
  consumer: Client,
  options: Parameters<typeof installCoreKbindCRDs>[1],
): Promise<void> {
  switch (dialect) {
    case 'kube-bind':
      await installCRDs(consumer, consumerCRDs, options);
      return;
    case 'klutch':
      await installKlutchCRDs(consumer, klutchCRDs, options);
      return;
    case 'core-kbind':
      await installCoreKbindCRDs(consumer, options);
  }
}

/** A Binding has a namespace. */
export function coreBindingResource({ namespace }: ObjectKey): Resource {
  return namespace === undefined ? coreKbind.clusterBindings : coreKbind.bindings;
}

/** The object to wait for: an APIServiceBinding, or an object of another resource. */
export interface Awaited {
  readonly resource: Resource;
  readonly key: ObjectKey;
  readonly title: string;
}

/** Waits until the konnector reports a binding as ready. Reports the reason for the delay whenever it changes. */
export async function untilReady(
  { consumer, clock, print, timeoutMs, signal }: Omit<CarryOutOptions, 'provider'>,
  awaited: string | Awaited,
): Promise<BindResult> {
  const { resource, key, title } =
    typeof awaited === 'string'
      ? { resource: resources.apiServiceBindings, key: { name: awaited }, title: `APIServiceBinding "${awaited}"` }
      : awaited;
  let lastLine = '';
  const ready = await until(clock, timeoutMs, signal, async (): Promise<true | undefined> => {
    const { status } = await consumer.get<Pick<APIServiceBinding, keyof KubeObject | 'status'>>(resource, key, {
      signal,
    });
    const condition = getCondition(status?.conditions, conditionTypes.ready);
    if (condition?.status === 'True') return true;
    const line = condition === undefined ? 'no konnector has looked at the binding yet' : lineOf(condition);
    if (line !== lastLine) print(line);
    lastLine = line;
    return undefined;
  });
  return ready === true ? { kind: 'bound' } : { kind: 'waiting', what: `${title} to be ready (${lastLine})` };
}

/** Whether the CRD of this uid disappears in time. */
export async function crdGone(
  {
    client,
    clock,
    timeoutMs,
    signal,
  }: { readonly client: Client; readonly clock: Clock; readonly timeoutMs: number; readonly signal: AbortSignal },
  { name, uid }: { readonly name: string; readonly uid: string | undefined },
): Promise<boolean> {
  const gone = await until(clock, timeoutMs, signal, async (): Promise<true | undefined> => {
    const live = await getIfExists(
      client,
      resources.customResourceDefinitions,
      { name },
      { signal, representation: 'metadata' },
    );
    return live === undefined || live.metadata.uid !== uid ? true : undefined;
  });
  return gone === true;
}

/** Text for a wait on the CRD of a deleted binding. */
export function leftCRD(name: string): string {
  return `CRD "${name}" of the consumer to go with its objects: finalizers of objects may hold it, or the cluster's garbage collector does not run`;
}

/** Why a condition is not True; empty if the condition is absent. */
function lineOf(condition: Condition | undefined): string {
  if (condition === undefined || condition.status === 'True') return '';
  const { reason = 'not ready', message = '' } = condition;
  return message === '' ? reason : `${reason}: ${message}`;
}

/** Returns what `look` finds, or undefined if it finds nothing in time. */
export async function until<T>(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const deadline = clock.monotonic() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (clock.monotonic() >= deadline) return undefined;
    await sleep(clock, LOOK_MS, signal);
  }
}
