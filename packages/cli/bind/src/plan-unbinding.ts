import { type Client, type KubeObject, getIfExists, isApiError } from '@hawser/client';
import {
  type APIServiceBinding,
  type APIServiceExportRequest,
  type Secret,
  type UnbindPolicy,
  isOwnedByBinding,
  resourceGroupName,
  resources,
  unbindPolicyOf,
} from '@hawser/kube-bind';
import { isGathered, readKonnectorRole } from './konnector-role.js';
import { bindingsOf } from './observe.js';
import { type Refusal, bindingNotFound } from './refusal.js';

export interface UnbindWish {
  readonly name: string;
  /** Replaces the policy of the binding. */
  readonly policy?: UnbindPolicy | undefined;
  /** Keeps the request on the provider: the export stays offered. */
  readonly keepRequest: boolean;
  /** Also deletes the kubeconfig Secret, if no other binding uses it. */
  readonly deleteSecret: boolean;
}

export type UnbindStep =
  | { readonly kind: 'setPolicy'; readonly binding: APIServiceBinding; readonly policy: UnbindPolicy }
  | { readonly kind: 'deleteBinding'; readonly binding: APIServiceBinding; readonly policy: UnbindPolicy }
  | { readonly kind: 'awaitBinding'; readonly binding: APIServiceBinding }
  | { readonly kind: 'deleteRequest'; readonly request: APIServiceExportRequest }
  /** Deletes the role that the konnector needed for the binding on the consumer. */
  | { readonly kind: 'deleteRole'; readonly role: Pick<KubeObject, 'metadata'> }
  | { readonly kind: 'deleteSecret'; readonly secret: Pick<Secret, 'metadata'> }
  /** A CRD goes with its binding, and takes the consumer's objects along. */
  | { readonly kind: 'awaitCRDGone'; readonly name: string; readonly uid: string | undefined };

export interface UnbindPlan {
  readonly steps: readonly UnbindStep[];
  readonly refusals: readonly Refusal[];
  /** What stays as it is, and why; one line each. */
  readonly remarks: readonly string[];
}

export interface UnbindSides {
  readonly consumer: Client;
  /** Undefined: the provider is unreachable, for the reason in `unreachable`. */
  readonly provider: Client | undefined;
  readonly unreachable?: string | undefined;
  /** Cluster namespace of the consumer on the provider. */
  readonly clusterNamespace: string | undefined;
  readonly signal: AbortSignal;
}

/** Plans an unbinding. Reads both sides, and writes nothing. @throws ApiError if the consumer cannot be read */
export async function planUnbinding(sides: UnbindSides, wish: UnbindWish): Promise<UnbindPlan> {
  const bindings = (await bindingsOf(sides.consumer, sides.signal)) ?? [];
  const binding = bindings.find(({ metadata }) => metadata.name === wish.name);
  if (binding === undefined)
    return { steps: [], remarks: [], refusals: [bindingNotFound(`APIServiceBinding "${wish.name}"`)] };
  const found = unbindPolicyOf(binding.metadata).policy;
  const policy = wish.policy ?? found;
  const isGoing = binding.metadata.deletionTimestamp !== undefined;
  const request = wish.keepRequest ? nothingElse : await ofRequest(sides, wish.name);
  const secret = wish.deleteSecret ? await ofSecret(sides, binding, bindings) : nothingElse;
  return {
    steps: [
      ...(policy === found ? [] : [{ kind: 'setPolicy' as const, binding, policy }]),
      isGoing ? { kind: 'awaitBinding', binding } : { kind: 'deleteBinding', binding, policy },
      ...request.steps,
      ...(await ofRole(sides, wish.name)),
      ...secret.steps,
      ...(await crdsToGo(sides, binding)),
    ],
    refusals: [],
    remarks: [...request.remarks, ...secret.remarks],
  };
}

type PartOfPlan = Pick<UnbindPlan, 'steps' | 'remarks'>;

const nothingElse: PartOfPlan = { steps: [], remarks: [] };

async function ofRequest(
  { provider, unreachable, clusterNamespace, signal }: UnbindSides,
  name: string,
): Promise<PartOfPlan> {
  const request =
    provider === undefined || clusterNamespace === undefined
      ? (unreachable ?? 'its kubeconfig cannot be used')
      : await requestOf(provider, clusterNamespace, name, signal);
  if (typeof request === 'string')
    return {
      steps: [],
      remarks: [
        `The provider cannot be asked for the APIServiceExportRequest: ${request}. The provider keeps offering the export until it is told otherwise.`,
      ],
    };
  return request === undefined ? nothingElse : { steps: [{ kind: 'deleteRequest', request }], remarks: [] };
}

/** The role grants rights on an API that goes. A role made for another purpose does not belong to the konnector. */
async function ofRole({ consumer, signal }: UnbindSides, name: string): Promise<readonly UnbindStep[]> {
  const role = await readKonnectorRole(consumer, name, signal);
  return role === undefined || role === 'unknown' || !isGathered(role) ? [] : [{ kind: 'deleteRole', role }];
}

/** The kubeconfig of the binding, unless others use it too. */
async function ofSecret(
  { consumer, signal }: UnbindSides,
  binding: APIServiceBinding,
  bindings: readonly APIServiceBinding[],
): Promise<PartOfPlan> {
  const ref = binding.spec?.kubeconfigSecretRef;
  if (ref === undefined) return nothingElse;
  const users = bindings.filter(
    ({ metadata, spec }) =>
      metadata.name !== binding.metadata.name &&
      spec?.kubeconfigSecretRef.name === ref.name &&
      spec.kubeconfigSecretRef.namespace === ref.namespace,
  );
  const secret = await getIfExists<Secret>(
    consumer,
    resources.secrets,
    { namespace: ref.namespace, name: ref.name },
    { signal, representation: 'metadata' },
  );
  if (users.length > 0)
    return {
      steps: [],
      remarks: [
        `Secret ${ref.namespace}/${ref.name} is kept: ${users.map(({ metadata }) => metadata.name).join(', ')} ${users.length === 1 ? 'uses' : 'use'} it.`,
      ],
    };
  return secret === undefined ? nothingElse : { steps: [{ kind: 'deleteSecret', secret }], remarks: [] };
}

async function crdsToGo({ consumer, signal }: UnbindSides, binding: APIServiceBinding): Promise<readonly UnbindStep[]> {
  const steps: UnbindStep[] = [];
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
  return steps;
}

/** The request on the provider, or why it cannot be read. */

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
      { signal, timeoutMs: 10000 },
    );
  } catch (error) {
    if (!isApiError(error) || error.code === 'Aborted') throw error;
    return error.message;
  }
}
