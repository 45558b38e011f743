import { type Client, isNotFound, listAll } from '@hawser/client';
import { type Binding, type Connection, connectionOf, labels, resources } from '@hawser/core-kbind';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';

import { type CoreKbindUnbindPlan, type CoreKbindUnbindStep, planCoreKbindUnbinding } from './unbind.js';

export interface CoreKbindUninstallWish {
  /** Keeps the kubeconfig Secrets. */
  readonly keepSecrets: boolean;
  /** Lets go of copies at once, for this reason, without waiting for copies and their finalizers. */
  readonly release?: string | undefined;
}

/** All of `core.kbind.io` on a consumer, in words. If all lists are empty, nothing is left. */
export interface CoreKbindStanding {
  /** ClusterBindings, Bindings and Connections. */
  readonly objects: readonly string[];
  /** CRDs of bound APIs. */
  readonly crds: readonly string[];
}

/** Reads it live. If the kinds are not served, all lists are empty. @throws ApiError */
export async function readCoreKbindStanding(consumer: Client, signal: AbortSignal): Promise<CoreKbindStanding> {
  const { bindings, connections } = await readAll(consumer, signal);
  const labelSelector = `${labels.managed}=true`;
  const crds = await listAll<CustomResourceDefinition>(consumer, customResourceDefinitions, { labelSelector, signal });
  return {
    objects: [...bindings.map(titleOf), ...connections.map(({ metadata }) => `Connection ${metadata.name}`)],
    crds: crds.filter((crd) => connectionOf(crd) !== undefined).map(({ metadata }) => metadata.name),
  };
}

/**
 * Plans the removal of all of `core.kbind.io` from a consumer: bindings by their unbind policies, then Connections,
 * then their Secrets. A konnector carries it out, as it does each unbinding. Writes nothing. @throws ApiError if the
 * consumer cannot be read
 */
export async function planCoreKbindUninstall(
  consumer: Client,
  { keepSecrets, release }: CoreKbindUninstallWish,
  signal: AbortSignal,
): Promise<CoreKbindUnbindPlan> {
  const { bindings, connections } = await readAll(consumer, signal);
  const steps: CoreKbindUnbindStep[] = [];
  for (const binding of bindings) {
    const { name, namespace } = binding.metadata;
    if (release !== undefined) steps.push({ kind: 'release', binding, reason: release });
    const plan = await planCoreKbindUnbinding(consumer, { name, namespace, deleteConnection: false }, signal);
    steps.push(...plan.steps);
  }
  steps.push(...connections.map((connection) => ({ kind: 'deleteConnection', connection }) as const));
  const secrets = new Map(
    connections.map(({ spec: { kubeconfigSecretRef: ref } }) => {
      const key = { namespace: ref.namespace, name: ref.name };
      return [`${key.namespace}/${key.name}`, key] as const;
    }),
  );
  if (!keepSecrets) steps.push(...[...secrets.values()].map((key) => ({ kind: 'deleteSecret', key }) as const));
  return { steps, refusals: [], remarks: [] };
}

async function readAll(
  consumer: Client,
  signal: AbortSignal,
): Promise<{ readonly bindings: readonly Binding[]; readonly connections: readonly Connection[] }> {
  const [clusterBindings, bindings, connections] = await Promise.all([
    listServed<Binding>(consumer, resources.clusterBindings, signal),
    listServed<Binding>(consumer, resources.bindings, signal),
    listServed<Connection>(consumer, resources.connections, signal),
  ]);
  return { bindings: [...clusterBindings, ...bindings], connections };
}

async function listServed<T extends Binding | Connection>(
  consumer: Client,
  resource: typeof resources.connections,
  signal: AbortSignal,
): Promise<readonly T[]> {
  try {
    return await listAll<T>(consumer, resource, { signal });
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

function titleOf({ metadata: { namespace, name } }: Binding): string {
  return namespace === undefined ? `ClusterBinding ${name}` : `Binding ${namespace}/${name}`;
}
