import {
  type Client,
  type ObjectKey,
  type Resource,
  getIfExists,
  isConflict,
  isNotFound,
  keyOf,
  listAll,
} from '@hawser/client';
import { type Binding, type Connection, getCondition, resources } from '@hawser/core-kbind';
import { type UnbindPolicy, hawserAnnotations, resources as kubeResources, unbindPolicyOf } from '@hawser/kube-bind';

import { until } from '../bind.js';
import { type Refusal, bindingNotFound } from '../refusal.js';
import type { UnbindOptions, UnbindResult } from '../unbind.js';

export interface CoreKbindUnbindWish {
  readonly name: string;
  /** Namespace of a Binding; undefined: a ClusterBinding. */
  readonly namespace: string | undefined;
  readonly policy?: UnbindPolicy | undefined;
  /** Also deletes the Connection and its Secret, if no other binding uses them. */
  readonly deleteConnection: boolean;
}

export type CoreKbindUnbindStep =
  | { readonly kind: 'setPolicy'; readonly binding: Binding; readonly policy: UnbindPolicy }
  /** Nothing of it is waited for any more. */
  | { readonly kind: 'release'; readonly binding: Binding; readonly reason: string }
  | { readonly kind: 'deleteBinding'; readonly binding: Binding; readonly policy: UnbindPolicy }
  | { readonly kind: 'deleteConnection'; readonly connection: Connection }
  | { readonly kind: 'deleteSecret'; readonly key: ObjectKey };

export interface CoreKbindUnbindPlan {
  readonly steps: readonly CoreKbindUnbindStep[];
  readonly refusals: readonly Refusal[];
  /** What stays as it is, and why; one line each. */
  readonly remarks: readonly string[];
}

/** Finds the requested binding, if it exists. */
export async function findCoreKbindBinding(
  consumer: Client,
  { name, namespace }: Pick<CoreKbindUnbindWish, 'name' | 'namespace'>,
  signal: AbortSignal,
): Promise<Binding | undefined> {
  const resource = namespace === undefined ? resources.clusterBindings : resources.bindings;
  try {
    return await getIfExists<Binding>(consumer, resource, { name, namespace }, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Plans an unbinding. Writes nothing. @throws ApiError if the consumer cannot be read */
export async function planCoreKbindUnbinding(
  consumer: Client,
  wish: CoreKbindUnbindWish,
  signal: AbortSignal,
): Promise<CoreKbindUnbindPlan> {
  const binding = await findCoreKbindBinding(consumer, wish, signal);
  if (binding === undefined) return { steps: [], remarks: [], refusals: [bindingNotFound(titleOf(wish))] };
  // By default, the contract deletes copies with the binding (spec/kbind-v2.md §20.1).
  const annotated = binding.metadata.annotations?.[hawserAnnotations.unbindPolicy] ?? '';
  const found = annotated === '' ? 'Delete' : unbindPolicyOf(binding.metadata).policy;
  const policy = wish.policy ?? found;
  const more = wish.deleteConnection ? await connectionSteps(consumer, binding, signal) : { steps: [], remarks: [] };
  return {
    refusals: [],
    remarks: more.remarks,
    steps: [
      ...(policy === found ? [] : [{ kind: 'setPolicy' as const, binding, policy }]),
      { kind: 'deleteBinding', binding, policy },
      ...more.steps,
    ],
  };
}

async function connectionSteps(
  consumer: Client,
  binding: Binding,
  signal: AbortSignal,
): Promise<Pick<CoreKbindUnbindPlan, 'steps' | 'remarks'>> {
  const { name } = binding.spec.connectionRef;
  const connections = await listAll<Connection>(consumer, resources.connections, { signal });
  const connection = connections.find(({ metadata }) => metadata.name === name);
  if (connection === undefined) return { steps: [], remarks: [] };
  const lists = [resources.clusterBindings, resources.bindings].map((resource) =>
    listAll<Binding>(consumer, resource, { signal }),
  );
  const users = (await Promise.all(lists))
    .flat()
    .filter(({ metadata, spec }) => metadata.uid !== binding.metadata.uid && spec.connectionRef.name === name);
  if (users.length > 0)
    return {
      steps: [],
      remarks: [
        `Connection ${name} is kept: ${users.map(({ metadata }) => titleOf(metadata)).join(', ')} ${users.length === 1 ? 'uses' : 'use'} it.`,
      ],
    };
  const { namespace, name: secret } = connection.spec.kubeconfigSecretRef;
  const isShared = connections.some(
    ({ metadata, spec: { kubeconfigSecretRef: ref } }) =>
      metadata.name !== name && ref.namespace === namespace && ref.name === secret,
  );
  return {
    steps: [
      { kind: 'deleteConnection', connection },
      ...(isShared ? [] : [{ kind: 'deleteSecret' as const, key: { namespace, name: secret } }]),
    ],
    remarks: isShared ? [`Secret ${namespace}/${secret} is kept: another Connection uses it.`] : [],
  };
}

/** Carries out a plan without refusals. @throws ApiError if an API server refuses */
export async function unbindCoreKbind(
  { consumer, clock, print, timeoutMs, signal }: Omit<UnbindOptions, 'provider'>,
  { steps }: CoreKbindUnbindPlan,
): Promise<UnbindResult> {
  for (const step of steps) {
    print(coreKbindUnbindStepText(step));
    const left = await carryOut(step);
    if (left !== undefined) return { kind: 'waiting', what: left };
  }
  return { kind: 'unbound' };

  async function carryOut(step: CoreKbindUnbindStep): Promise<string | undefined> {
    switch (step.kind) {
      case 'setPolicy': {
        const { uid } = step.binding.metadata;
        const patch = { metadata: { uid, annotations: { [hawserAnnotations.unbindPolicy]: step.policy } } };
        await consumer.patch(resourceOf(step.binding), keyOf(step.binding), { type: 'merge', patch }, { signal });
        return undefined;
      }
      case 'release': {
        const { uid } = step.binding.metadata;
        const patch = { metadata: { uid, annotations: { [hawserAnnotations.release]: step.reason } } };
        await consumer.patch(resourceOf(step.binding), keyOf(step.binding), { type: 'merge', patch }, { signal });
        return undefined;
      }
      case 'deleteBinding':
        return await remove(resourceOf(step.binding), step.binding);
      case 'deleteConnection':
        return await remove(resources.connections, step.connection);
      case 'deleteSecret':
        await consumer.delete(kubeResources.secrets, step.key, { signal }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
        return undefined;
    }
  }

  /** Returns what it waits for, if the object remains too long. A new object of that name counts as gone. */
  async function remove(resource: Resource, object: Binding | Connection): Promise<string | undefined> {
    const { uid } = object.metadata;
    try {
      await consumer.delete(resource, keyOf(object), { preconditions: { uid }, signal });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    let lastLine = '';
    const done = await until(clock, timeoutMs, signal, async (): Promise<true | undefined> => {
      const live = await getIfExists<Binding | Connection>(consumer, resource, keyOf(object), { signal });
      if (live === undefined || live.metadata.uid !== uid) return true;
      const ready = getCondition(live.status?.conditions, 'Ready');
      const line = ready === undefined || ready.status === 'True' ? '' : `${ready.reason}: ${ready.message}`;
      if (line !== '' && line !== lastLine) print(line);
      lastLine = line;
      return undefined;
    });
    const title = object.kind === 'Connection' ? `Connection "${object.metadata.name}"` : titleOf(object.metadata);
    return done === true ? undefined : `${title} to go${lastLine === '' ? '' : ` (${lastLine})`}`;
  }
}

function resourceOf({ metadata }: Binding): Resource {
  return metadata.namespace === undefined ? resources.clusterBindings : resources.bindings;
}

/** One line that describes a step. */
export function coreKbindUnbindStepText(step: CoreKbindUnbindStep): string {
  switch (step.kind) {
    case 'setPolicy':
      return `set the unbind policy of ${titleOf(step.binding.metadata)} to ${step.policy}`;
    case 'release':
      return `let go of what ${titleOf(step.binding.metadata)} has bound; its copies stay on the provider (${step.reason})`;
    case 'deleteBinding':
      return `delete ${titleOf(step.binding.metadata)} under policy ${step.policy} (${meaningOf(step.policy, step.binding)})`;
    case 'deleteConnection':
      return `delete Connection ${step.connection.metadata.name}`;
    case 'deleteSecret':
      return `delete Secret ${step.key.namespace ?? ''}/${step.key.name}`;
  }
}

function meaningOf(policy: UnbindPolicy, { metadata }: Binding): string {
  switch (policy) {
    case 'Orphan':
      return 'objects and copies stay on both sides';
    case 'Block':
      return 'it goes once the users have deleted their objects';
    case 'Delete':
      return metadata.namespace === undefined
        ? 'the CRDs that it installed go, with all objects and their copies'
        : 'the copies go; the objects and the CRD stay';
  }
}

function titleOf({ namespace, name }: { readonly namespace?: string | undefined; readonly name: string }): string {
  return namespace === undefined ? `ClusterBinding ${name}` : `Binding ${namespace}/${name}`;
}
