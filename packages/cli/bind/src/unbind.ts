import { type Client, type Resource, getIfExists, isConflict, isNotFound, keyOf } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import {
  type APIServiceBinding,
  type Secret,
  type UnbindPolicy,
  conditionTypes,
  finalizers,
  fixedNames,
  getCondition,
  hawserAnnotations,
  resources,
} from '@hawser/kube-bind';
import { crdGone, leftCRD, until } from './bind.js';
import type { UnbindPlan, UnbindStep } from './plan-unbinding.js';

export type UnbindResult =
  | { readonly kind: 'unbound' }
  /**
   * The binding or a CRD remains too long; the condition of the binding says what it waits for. No later step was done.
   */
  | { readonly kind: 'waiting'; readonly what: string };

export interface UnbindOptions {
  readonly consumer: Client;
  readonly provider: Client | undefined;
  readonly clock: Clock;
  readonly print: (line: string) => void;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Carries out a plan without refusals. Every deletion names the uid of the object in the plan. @throws ApiError if an
 * API server refuses
 */
export async function unbind(
  { consumer, provider, clock, print, timeoutMs, signal }: UnbindOptions,
  { steps }: UnbindPlan,
): Promise<UnbindResult> {
  for (const step of steps) {
    print(unbindStepText(step));
    const left = await carryOut(step);
    if (left !== undefined) return { kind: 'waiting', what: left };
  }
  return { kind: 'unbound' };

  async function carryOut(step: UnbindStep): Promise<string | undefined> {
    switch (step.kind) {
      case 'setPolicy': {
        const { uid } = step.binding.metadata;
        await consumer.patch(
          resources.apiServiceBindings,
          keyOf(step.binding),
          {
            type: 'merge',
            patch: { metadata: { uid, annotations: { [hawserAnnotations.unbindPolicy]: step.policy } } },
          },
          { signal },
        );
        return undefined;
      }
      case 'deleteBinding':
        if (step.policy !== 'Orphan' && !(await protectedByFinalizer(step.binding)))
          return `the konnector to take up the unbind policy ${step.policy} of APIServiceBinding "${step.binding.metadata.name}"; nothing was deleted`;
        await remove(consumer, resources.apiServiceBindings, step.binding);
        return await gone(step.binding);
      case 'awaitBinding':
        return await gone(step.binding);
      case 'deleteRequest':
        // The wait for the binding may have taken long, and backends clean up.
        if (provider !== undefined) await remove(provider, resources.apiServiceExportRequests, step.request);
        return undefined;
      case 'awaitCRDGone':
        return (await crdGone({ client: consumer, clock, timeoutMs, signal }, step)) ? undefined : leftCRD(step.name);
      case 'deleteRole':
        await remove(consumer, resources.clusterRoles, step.role);
        return undefined;
      case 'deleteSecret':
        await remove(consumer, resources.secrets, step.secret);
        return undefined;
    }
  }

  /** Counts as gone: a missing object, or a new one of that name. */
  async function remove(client: Client, resource: Resource, object: Pick<Secret, 'metadata'>): Promise<void> {
    try {
      await client.delete(resource, keyOf(object), { preconditions: { uid: object.metadata.uid }, signal });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  /**
   * A policy counts once the konnector has put its finalizer on the binding. Before that, a deletion acts as Orphan.
   */
  async function protectedByFinalizer({ metadata: { name, uid } }: APIServiceBinding): Promise<boolean> {
    const found = await until(clock, timeoutMs, signal, async (): Promise<true | undefined> => {
      const live = await getIfExists<APIServiceBinding>(consumer, resources.apiServiceBindings, { name }, { signal });
      return live === undefined ||
        live.metadata.uid !== uid ||
        live.metadata.finalizers?.includes(finalizers.unbind) === true
        ? true
        : undefined;
    });
    return found === true;
  }

  async function gone({ metadata: { name, uid } }: APIServiceBinding): Promise<string | undefined> {
    let lastLine = '';
    const done = await until(clock, timeoutMs, signal, async (): Promise<true | undefined> => {
      const live = await getIfExists<APIServiceBinding>(consumer, resources.apiServiceBindings, { name }, { signal });
      if (live === undefined || live.metadata.uid !== uid) return true;
      const condition = getCondition(live.status?.conditions, conditionTypes.unbound);
      const line = condition === undefined ? '' : `${condition.reason ?? ''}: ${condition.message ?? ''}`;
      if (line !== lastLine) print(line);
      lastLine = line;
      return undefined;
    });
    return done === true ? undefined : `APIServiceBinding "${name}" to go${lastLine === '' ? '' : ` (${lastLine})`}`;
  }
}

/** One line that describes a step. */
export function unbindStepText(step: UnbindStep): string {
  switch (step.kind) {
    case 'setPolicy':
      return `set the unbind policy of APIServiceBinding ${step.binding.metadata.name} to ${step.policy}`;
    case 'deleteBinding':
      return `delete APIServiceBinding ${step.binding.metadata.name} under policy ${step.policy} (${MEANINGS[step.policy]})`;
    case 'awaitBinding':
      return `wait for APIServiceBinding ${step.binding.metadata.name}, which is being deleted`;
    case 'deleteRequest':
      return `delete APIServiceExportRequest ${step.request.metadata.namespace ?? ''}/${step.request.metadata.name} on the provider`;
    case 'awaitCRDGone':
      return `wait until CRD ${step.name} of the consumer is gone with its objects`;
    case 'deleteRole':
      return `delete ClusterRole ${step.role.metadata.name} with the konnector's rights for the binding`;
    case 'deleteSecret':
      return `delete Secret ${step.secret.metadata.namespace ?? fixedNames.konnectorNamespace}/${step.secret.metadata.name}`;
  }
}

const MEANINGS: Readonly<Record<UnbindPolicy, string>> = {
  Orphan: "the provider's objects stay",
  Delete: "the provider's objects go with those of the consumer",
  Block: 'it goes once the users have deleted their objects',
};
