import {
  type Client,
  type KubeObject,
  type ObjectKey,
  type OwnerReference,
  type Resource,
  type UnstructuredObject,
  getIfExists,
  isAlreadyExists,
  isObjectNotFound,
  versionOf,
} from '@hawser/client';
import { FIELD_MANAGER, REWRITTEN_HASH, type ServiceNamespaces, copyPatch } from '@hawser/konnector-sync';

import type { Action } from './decision.js';
import { type Identities, isReplaced } from './identities.js';
import type { Side } from './marks.js';

/** Results of an action that the caches do not show. */
export interface ActResult {
  readonly contents?: Partial<Readonly<Record<Side, UnstructuredObject>>>;
  readonly originalGone?: boolean;
  /** Another cluster answers instead of the served one: a missing object there proves nothing. */
  readonly replaced?: boolean;
  /** Version of the written copy. */
  readonly written?: string;
  /** The next step needs an event. */
  readonly wait?: boolean;
}

export interface ActorOptions {
  readonly clients: Readonly<Record<Side, Client>>;
  readonly resource: Resource;
  /** Identities of both sides. */
  readonly settings: Identities;
  readonly namespaces: ServiceNamespaces;
  /** Owner of requested APIServiceNamespaces: the export that the binding binds. */
  readonly exportOwner: (binding: string) => OwnerReference | undefined;
  readonly observe: (side: Side, object: KubeObject) => void;
  /** Hides a deleted object until the cache has heard of it. */
  readonly forget: (side: Side, gone: KubeObject) => void;
}

/** Keys of the pair on both sides. */
export type Keys = Readonly<Record<Side, ObjectKey | undefined>>;

/** Carries out actions: the only place that writes. Throws every failure as the client's ApiError. */
export type Act = (action: Action, keys: Keys, signal: AbortSignal) => Promise<ActResult>;

type ActionOf<T extends Action['type']> = Extract<Action, { readonly type: T }>;

const NOTHING: ActResult = {};

export function createAct({
  clients,
  resource,
  settings,
  namespaces,
  exportOwner,
  observe,
  forget,
}: ActorOptions): Act {
  /** The current object; undefined if the server says that it does not exist. */
  const readLive = async (side: Side, key: ObjectKey, signal: AbortSignal): Promise<UnstructuredObject | undefined> => {
    const object = await getIfExists(clients[side], resource, key, { signal });
    if (object !== undefined) observe(side, object);
    return object;
  };

  /** A cached object that is gone has an event on the way. */
  const read = async (sides: readonly Side[], keys: Keys, signal: AbortSignal): Promise<ActResult> => {
    const found = await Promise.all(
      sides.map(async (side) => {
        const key = keys[side];
        return key === undefined ? undefined : ([side, await readLive(side, key, signal)] as const);
      }),
    );
    const contents = found.flatMap((entry) => (entry?.[1] === undefined ? [] : [[entry[0], entry[1]] as const]));
    return contents.length < sides.length ? { wait: true } : { contents: Object.fromEntries(contents) };
  };

  /** Fails with a conflict unless the object is at the version decided about. */
  const patchMetadata = async (
    side: Side,
    { metadata: { uid, resourceVersion, namespace, name } }: KubeObject,
    metadata: object,
    signal: AbortSignal,
  ): Promise<ActResult> => {
    const written = await clients[side].patch(
      resource,
      { namespace, name },
      { type: 'merge', patch: { metadata: { uid, resourceVersion, ...metadata } } },
      { fieldManager: FIELD_MANAGER, signal },
    );
    observe(side, written);
    return { contents: { [side]: written } };
  };

  const written = (side: Side, copy: UnstructuredObject): ActResult => {
    observe(side, copy);
    return { written: versionOf(copy), contents: { [side]: copy } };
  };

  /** Adds an export whose claims use a namespace to its owners. */
  const share = async (consumerNamespace: string, binding: string, signal: AbortSignal): Promise<void> => {
    const owner = exportOwner(binding);
    if (owner !== undefined) await namespaces.share(consumerNamespace, owner, signal);
  };

  const shareNamespace = async (
    { consumerNamespace, binding }: ActionOf<'shareNamespace'>,
    signal: AbortSignal,
  ): Promise<ActResult> => {
    await share(consumerNamespace, binding, signal);
    return NOTHING;
  };

  const requestNamespace = async (
    { consumerNamespace, binding }: ActionOf<'requestNamespace'>,
    signal: AbortSignal,
  ): Promise<ActResult> => {
    const owner = exportOwner(binding);
    if (owner === undefined) return { wait: true };
    return (await namespaces.ensure(consumerNamespace, owner, signal)) === 'assigned' ? NOTHING : { wait: true };
  };

  const createCopy = async (
    { side, copy, consumerNamespace, binding }: ActionOf<'createCopy'>,
    keys: Keys,
    signal: AbortSignal,
  ): Promise<ActResult> => {
    await share(consumerNamespace, binding, signal);
    try {
      return written(side, await clients[side].create(resource, copy, { fieldManager: FIELD_MANAGER, signal }));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      // The cache lags behind. The existing object is judged like any other.
      return read([side], keys, signal);
    }
  };

  const patchCopy = async (action: ActionOf<'patchCopy'>, signal: AbortSignal): Promise<ActResult> => {
    const { namespace, name } = action.copy.metadata;
    return written(
      action.side,
      await clients[action.side].patch(resource, { namespace, name }, copyPatch(action), {
        fieldManager: FIELD_MANAGER,
        signal,
      }),
    );
  };

  const proveGone = async (action: ActionOf<'proveGone'>, keys: Keys, signal: AbortSignal): Promise<ActResult> => {
    const key = keys[action.side];
    if (key === undefined) return { wait: true };
    if ((await readLive(action.side, key, signal)) !== undefined) return NOTHING;
    return (await isReplaced(action.side, clients[action.side], settings, signal))
      ? { wait: true, replaced: true }
      : { originalGone: true };
  };

  const deleteCopy = async ({ side, copy }: ActionOf<'deleteCopy'>, signal: AbortSignal): Promise<ActResult> => {
    const { uid = '', resourceVersion, namespace, name } = copy.metadata;
    try {
      // uid and version: delete exactly the object whose marks were read, or nothing.
      const answer = await clients[side].delete(
        resource,
        { namespace, name },
        { preconditions: { uid, resourceVersion }, propagationPolicy: 'Background', signal },
      );
      if (answer.kind === 'terminating') return { wait: true };
    } catch (error) {
      if (!isObjectNotFound(error, resource, { namespace, name })) throw error;
    }
    forget(side, copy);
    return NOTHING;
  };

  return (action, keys, signal) => {
    switch (action.type) {
      case 'requestNamespace':
        return requestNamespace(action, signal);
      case 'shareNamespace':
        return shareNamespace(action, signal);
      case 'read':
        return read(action.sides, keys, signal);
      case 'markOriginal':
        return patchMetadata(action.side, action.original, action.mark, signal);
      case 'recordRewritten':
        return patchMetadata(action.side, action.copy, { annotations: { [REWRITTEN_HASH]: action.hash } }, signal);
      case 'createCopy':
        return createCopy(action, keys, signal);
      case 'patchCopy':
        return patchCopy(action, signal);
      case 'proveGone':
        return proveGone(action, keys, signal);
      case 'deleteCopy':
        return deleteCopy(action, signal);
    }
  };
}
