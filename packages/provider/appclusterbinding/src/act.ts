import {
  type Client,
  getIfExists,
  isAlreadyExists,
  isNotFound,
  keyOf,
  type KubeObject,
  type Resource,
} from '@hawser/client';
import { type APIServiceExportRequest, type AppClusterBinding, resources } from '@hawser/klutch';
import { resourceGroupName } from '@hawser/kube-bind';
import { confirmReason, confirmUnbound } from './confirm-reason.js';
import { type Action, type ChildKind, children } from './decision.js';
import { fieldManager } from './marks.js';

/** The written object, or the one found instead; undefined: it is gone. */
export interface Written {
  readonly child: ChildKind | 'self';
  readonly object: KubeObject | undefined;
}

/** Kinds that are deleted only in the version that was decided about. */
const onlyUnchanged: ReadonlySet<ChildKind> = new Set(['rootNamespace', 'serviceNamespace']);
/** Kinds of which only the metadata matters. */
const onlyMetadata: ReadonlySet<ChildKind> = new Set(['rootNamespace', 'serviceNamespace', 'account']);

/**
 * The only place that writes. Deletes nothing unless a live read confirms the AppClusterBinding that wants it.
 * @throws {ApiError | StaleError}
 */
export async function act(
  client: Client,
  binding: AppClusterBinding,
  action: Action,
  signal: AbortSignal,
): Promise<Written> {
  switch (action.type) {
    case 'setFinalizers': {
      const { uid, resourceVersion } = binding.metadata;
      const patch = { metadata: { uid, resourceVersion, finalizers: action.finalizers } };
      return {
        child: 'self',
        object: await client.patch<AppClusterBinding>(
          resources.appClusterBindings,
          keyOf(binding),
          { type: 'merge', patch },
          { fieldManager, signal },
        ),
      };
    }
    case 'create':
      return { child: action.child, object: await create(client, action.child, action.object, signal) };
    case 'patch': {
      const { uid, resourceVersion } = action.object.metadata;
      const { metadata, ...rest } = action.patch;
      const patch = { ...rest, metadata: { ...(metadata as object | undefined), uid, resourceVersion } };
      return {
        child: action.child,
        object: await client.patch(
          children[action.child].resource,
          keyOf(action.object),
          { type: 'merge', patch },
          { fieldManager, signal },
        ),
      };
    }
    case 'deploy':
      return { child: 'deployment', object: await deploy(client, action, signal) };
    case 'delete':
      await confirmReason(client, binding, signal);
      await confirmUnbound(client, binding, apisOf(action), signal);
      await remove(client, children[action.child].resource, action.object, onlyUnchanged.has(action.child), signal);
      return { child: action.child, object: undefined };
    case 'deleteAnswered':
      await confirmReason(client, binding, signal);
      return deleteAnswered(client, action, signal);
  }
}

/** The APIs that must be bound no more before the object is deleted. */
function apisOf({ child, object }: Extract<Action, { readonly type: 'delete' }>): {
  readonly namespace: string | undefined;
  readonly names: readonly string[];
} {
  const { namespace, name } = object.metadata;
  if (child === 'export') return { namespace, names: [name] };
  if (child !== 'request') return { namespace, names: [] };
  return { namespace, names: (object as APIServiceExportRequest).spec.resources.map(resourceGroupName) };
}

/** Uses server-side apply: removed fields go, and additions of others stay. */
function deploy(
  client: Client,
  { object, found }: Extract<Action, { readonly type: 'deploy' }>,
  signal: AbortSignal,
): Promise<KubeObject> {
  const uid = found?.metadata.uid;
  return client.patch(
    children.deployment.resource,
    keyOf(object),
    {
      type: 'apply',
      object: uid === undefined ? object : { ...object, metadata: { ...object.metadata, uid } },
      force: true,
    },
    { fieldManager, signal },
  );
}

/** Deletes a request only if its export does not exist. */
async function deleteAnswered(
  client: Client,
  { object, exportName }: Extract<Action, { readonly type: 'deleteAnswered' }>,
  signal: AbortSignal,
): Promise<Written> {
  const key = { namespace: object.metadata.namespace, name: exportName };
  const found = await getIfExists<KubeObject>(client, resources.apiServiceExports, key, { signal });
  if (found !== undefined) return { child: 'export', object: found };
  await remove(client, resources.apiServiceExportRequests, object, true, signal);
  return { child: 'request', object: undefined };
}

async function create(client: Client, child: ChildKind, object: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  const { resource } = children[child];
  const representation = onlyMetadata.has(child) ? 'metadata' : 'full';
  try {
    return await client.create<KubeObject>(resource, object, { fieldManager, representation, signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    // The cache lags behind. The next round decides about its owner.
    return client.get<KubeObject>(resource, keyOf(object), { representation, signal });
  }
}

async function remove(
  client: Client,
  resource: Resource,
  object: KubeObject,
  unchanged: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  try {
    await client.delete(resource, keyOf(object), {
      preconditions: { uid, ...(unchanged ? { resourceVersion } : {}) },
      propagationPolicy: 'Background',
      signal,
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
