import { type Client, getIfExists, isApiError, isConflict, isNotFound, keyOf, type Resource } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import {
  type APIServiceBinding,
  type APIServiceExportRequest,
  type Secret,
  type UnbindPolicy,
  conditionTypes,
  finalizers,
  fixedNames,
  getCondition,
  hawserAnnotations,
  isOwnedByBinding,
  resourceGroupName,
  resources,
  unbindPolicyOf,
} from '@hawser/kube-bind';
import { crdGone, leftCRD, until } from './bind.js';
import { bindingsOf } from './observe.js';
import type { Refusal } from './refusal.js';

export interface UnbindWish {
  readonly name: string;
  /** Instead of the policy that the binding has. */
  readonly policy?: UnbindPolicy | undefined;
  /** Leave the request on the provider: the export stays offered. */
  readonly keepRequest: boolean;
  /** Take the kubeconfig Secret along, if no other binding uses it. */
  readonly deleteSecret: boolean;
}

export type UnbindStep =
  | { readonly kind: 'setPolicy'; readonly binding: APIServiceBinding; readonly policy: UnbindPolicy }
  | { readonly kind: 'deleteBinding'; readonly binding: APIServiceBinding; readonly policy: UnbindPolicy }
  | { readonly kind: 'awaitBinding'; readonly binding: APIServiceBinding }
  | { readonly kind: 'deleteRequest'; readonly request: APIServiceExportRequest }
  | { readonly kind: 'deleteSecret'; readonly secret: Pick<Secret, 'metadata'> }
  /** A CRD goes with its binding, and the consumer's objects with it. */
  | { readonly kind: 'awaitCRDGone'; readonly name: string; readonly uid: string | undefined };

export interface UnbindPlan {
  readonly steps: readonly UnbindStep[];
  readonly refusals: readonly Refusal[];
  /** What is left as it is, and why; one line each. */
  readonly remarks: readonly string[];
}

export interface UnbindSides {
  readonly consumer: Client;
  /** Undefined: there is no way to reach it, for the reason in `unreachable`. */
  readonly provider: Client | undefined;
  readonly unreachable?: string | undefined;
  /** Of the consumer on the provider. */
  readonly clusterNamespace: string | undefined;
  readonly signal: AbortSignal;
}

/** What has to be done to unbind. Reads both sides, and writes nothing. @throws ApiError if the consumer cannot be read */
export async function planUnbinding(
  { consumer, provider, unreachable, clusterNamespace, signal }: UnbindSides,
  wish: UnbindWish,
): Promise<UnbindPlan> {
  const bindings = (await bindingsOf(consumer, signal)) ?? [];
  const binding = bindings.find(({ metadata }) => metadata.name === wish.name);
  if (binding === undefined) {
    return {
      steps: [],
      remarks: [],
      refusals: [
        {
          reason: 'BindingNotFound',
          actor: 'operator',
          remedy: 'looks at hawser bindings',
          message: `There is no APIServiceBinding "${wish.name}" on the consumer.`,
        },
      ],
    };
  }
  const steps: UnbindStep[] = [];
  const remarks: string[] = [];
  const found = unbindPolicyOf(binding.metadata).policy;
  const policy = wish.policy ?? found;
  const isGoing = binding.metadata.deletionTimestamp !== undefined;
  if (policy !== found) steps.push({ kind: 'setPolicy', binding, policy });
  steps.push(isGoing ? { kind: 'awaitBinding', binding } : { kind: 'deleteBinding', binding, policy });
  if (!wish.keepRequest) {
    const request =
      provider === undefined || clusterNamespace === undefined
        ? (unreachable ?? 'its kubeconfig cannot be used')
        : await requestOf(provider, clusterNamespace, wish.name, signal);
    if (typeof request === 'string')
      remarks.push(
        `The provider cannot be asked for the APIServiceExportRequest: ${request}. The provider keeps offering the export until it is told otherwise.`,
      );
    else if (request !== undefined) steps.push({ kind: 'deleteRequest', request });
  }
  const ref = binding.spec?.kubeconfigSecretRef;
  const users = bindings.filter(
    ({ metadata, spec }) =>
      metadata.name !== wish.name &&
      spec?.kubeconfigSecretRef.name === ref?.name &&
      spec?.kubeconfigSecretRef.namespace === ref?.namespace,
  );
  if (wish.deleteSecret && ref !== undefined) {
    const secret = await getIfExists<Secret>(
      consumer,
      resources.secrets,
      { namespace: ref.namespace, name: ref.name },
      { signal, representation: 'metadata' },
    );
    if (users.length > 0)
      remarks.push(
        `Secret ${ref.namespace}/${ref.name} is kept: ${users.map(({ metadata }) => metadata.name).join(', ')} ${users.length === 1 ? 'uses' : 'use'} it.`,
      );
    else if (secret !== undefined) steps.push({ kind: 'deleteSecret', secret });
  }
  for (const name of (binding.status?.boundSchemas ?? []).map(resourceGroupName)) {
    const crd = await getIfExists(
      consumer,
      resources.customResourceDefinitions,
      { name },
      { signal, representation: 'metadata' },
    );
    if (crd !== undefined && isOwnedByBinding(crd, binding))
      steps.push({ kind: 'awaitCRDGone', name, uid: crd.metadata.uid });
  }
  return { steps, refusals: [], remarks };
}

/** Why it cannot be told, or what is there. */
async function requestOf(
  provider: Client,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<APIServiceExportRequest | string | undefined> {
  try {
    return await getIfExists<APIServiceExportRequest>(
      provider,
      resources.apiServiceExportRequests,
      { namespace, name },
      { signal, timeoutMs: 10_000 },
    );
  } catch (error) {
    if (!isApiError(error) || error.code === 'Aborted') throw error;
    return error.message;
  }
}

export type UnbindResult =
  | { readonly kind: 'unbound' }
  /** Not gone in time: the binding, whose condition says what it waits for, or a CRD. Nothing after it was done. */
  | { readonly kind: 'waiting'; readonly what: string };

export interface UnbindOptions {
  readonly consumer: Client;
  readonly provider: Client | undefined;
  readonly clock: Clock;
  readonly tell: (line: string) => void;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Carries out a plan without refusals. Every deletion names the uid of what was looked at. @throws ApiError for what an API server refuses */
export async function unbind(
  { consumer, provider, clock, tell, timeoutMs, signal }: UnbindOptions,
  { steps }: UnbindPlan,
): Promise<UnbindResult> {
  for (const step of steps) {
    tell(unbindStepText(step));
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
        // Waiting for the binding may have taken long, and backends clean up.
        if (provider !== undefined) await remove(provider, resources.apiServiceExportRequests, step.request);
        return undefined;
      case 'awaitCRDGone':
        return (await crdGone({ client: consumer, clock, timeoutMs, signal }, step)) ? undefined : leftCRD(step.name);
      case 'deleteSecret':
        await remove(consumer, resources.secrets, step.secret);
        return undefined;
    }
  }

  /** That it is gone, or another one of that name by now, is as good. */
  async function remove(client: Client, resource: Resource, object: Pick<Secret, 'metadata'>): Promise<void> {
    try {
      await client.delete(resource, keyOf(object), { preconditions: { uid: object.metadata.uid }, signal });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  /** A policy counts once the konnector has put its finalizer on the binding: deleted earlier, it would go under Orphan. */
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
    let told = '';
    const done = await until(clock, timeoutMs, signal, async (): Promise<true | undefined> => {
      const live = await getIfExists<APIServiceBinding>(consumer, resources.apiServiceBindings, { name }, { signal });
      if (live === undefined || live.metadata.uid !== uid) return true;
      const condition = getCondition(live.status?.conditions, conditionTypes.unbound);
      const line = condition === undefined ? '' : `${condition.reason ?? ''}: ${condition.message ?? ''}`;
      if (line !== told) tell(line);
      told = line;
      return undefined;
    });
    return done === true ? undefined : `APIServiceBinding "${name}" to go${told === '' ? '' : ` (${told})`}`;
  }
}

/** One line that says what a step does. */
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
    case 'deleteSecret':
      return `delete Secret ${step.secret.metadata.namespace ?? fixedNames.konnectorNamespace}/${step.secret.metadata.name}`;
  }
}

const MEANINGS: Readonly<Record<UnbindPolicy, string>> = {
  Orphan: "the provider's objects stay",
  Delete: "the provider's objects go with those of the consumer",
  Block: 'it goes once the users have deleted their objects',
};
