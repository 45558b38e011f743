import type { ObjectKey, Resource, UnstructuredObject } from '@hawser/client';
import { annotations } from '@hawser/syncagent-api';

import { type ObjectEvent, type Observer, observe } from '../observer.js';
import { sample, sampleStatus } from '../sample.js';
import { writers } from '../writers.js';
import type { AgentInstallation, BoundWorkspace } from './installation.js';

/**
 * Actions of users in their workspaces and of the service cluster's operator, and the time until the other side shows
 * each. Milliseconds.
 */
export interface AgentLoad {
  /** Creates `count` objects, one workspace after the other; ends when the service cluster has their copies. */
  create(count: number): Promise<number>;
  /** Creates `count` objects without waiting. */
  leave(count: number): Promise<void>;
  /** Monotonic time at which the service cluster has copies of `count` objects that had none. */
  copied(count: number): Promise<number>;
  /** Sets the status of `count` copies; ends when the workspaces show it on all. */
  setStatus(count: number): Promise<number>;
  /** One change of object `index`: time from the answer to the write until the other side shows it. */
  changeDown(index: number): Promise<number>;
  changeUp(index: number): Promise<number>;
  /**
   * Makes a change that is not synced yet. `shown` resolves to the monotonic time at which the service cluster shows
   * it.
   */
  pendingChange(index: number): Promise<{ readonly shown: Promise<number> }>;
  /**
   * Creates one object in a workspace; returns the monotonic time at which its copy exists. Retries until the workspace
   * accepts it.
   */
  first(workspace: BoundWorkspace): Promise<{ readonly acceptedAt: number; readonly copiedAt: number }>;
  /** Deletes `count` objects; ends when neither side has any. */
  delete(count: number): Promise<number>;
  close(): void;
}

const WIDTH = 32;
/** For a whole phase; the slowest machine does a few objects per second. */
const TIMEOUT_MS = 1_800_000;

/** `prefix` distinguishes the objects of this load from others. */
export async function openAgentLoad(
  { serviceClient, workspaces, wildcard }: AgentInstallation,
  resource: Resource,
  prefix: string,
): Promise<AgentLoad> {
  const inKcp: Observer = await observe(await wildcard(), resource);
  const onService: Observer = await observe(
    serviceClient,
    resource,
    undefined,
    (copy) => copy.metadata.annotations?.[annotations.remoteName] ?? copy.metadata.name,
  );
  const name = (index: number): string => `${prefix}-${index}`;
  const key = (index: number): ObjectKey => ({ namespace: 'default', name: name(index) });
  const mine = (object: UnstructuredObject): boolean => nameOf(object).startsWith(`${prefix}-`);
  /** Keys of the copies. */
  const copies = new Map<string, ObjectKey>();
  const isCopy = ({ type, object }: ObjectEvent): boolean => {
    if (type === 'DELETED' || !mine(object) || copies.has(nameOf(object))) return false;
    copies.set(nameOf(object), { namespace: object.metadata.namespace, name: object.metadata.name });
    return true;
  };
  const home = (index: number): BoundWorkspace => {
    const workspace = workspaces[index % workspaces.length];
    if (workspace === undefined) throw new Error('there is no workspace');
    return workspace;
  };
  const copyOf = (index: number): ObjectKey => {
    const found = copies.get(name(index));
    if (found === undefined) throw new Error(`${name(index)} has no copy`);
    return found;
  };
  let changes = 0;
  const changeOf = (object: UnstructuredObject, field: 'spec' | 'status'): unknown =>
    (object[field] as { change?: string } | undefined)?.change;
  const make = (workspace: BoundWorkspace, of: string): Promise<unknown> =>
    workspace.client.create(resource, sample(resource, 'default', of), { representation: 'metadata' });
  const leave = async (count: number): Promise<void> => {
    await writers(count, WIDTH, (index) => make(home(index), name(index)));
  };
  const pendingChange = async (index: number): Promise<{ readonly shown: Promise<number> }> => {
    const wanted = `change-${changes++}`;
    const shown = onService.count(
      1,
      ({ type, object }) =>
        type === 'MODIFIED' && nameOf(object) === name(index) && changeOf(object, 'spec') === wanted,
      TIMEOUT_MS,
    );
    await home(index).client.patch(
      resource,
      key(index),
      { type: 'merge', patch: { spec: { change: wanted } } },
      { representation: 'metadata' },
    );
    return { shown };
  };
  return {
    leave,
    copied: (count) => onService.count(count, isCopy, TIMEOUT_MS),
    async create(count) {
      const copied = onService.count(count, isCopy, TIMEOUT_MS);
      const start = performance.now();
      await leave(count);
      return (await copied) - start;
    },
    async setStatus(count) {
      const reported = inKcp.count(
        count,
        ({ type, object }) => type === 'MODIFIED' && mine(object) && object['status'] !== undefined,
        TIMEOUT_MS,
      );
      const start = performance.now();
      await writers(count, WIDTH, (index) =>
        serviceClient.patch(
          resource,
          copyOf(index),
          { type: 'merge', patch: { status: sampleStatus(name(index)) } },
          { subresource: 'status', representation: 'metadata' },
        ),
      );
      return (await reported) - start;
    },
    pendingChange,
    async changeDown(index) {
      const start = performance.now();
      const { shown } = await pendingChange(index);
      return (await shown) - start;
    },
    async changeUp(index) {
      const wanted = `change-${changes++}`;
      const shown = inKcp.count(
        1,
        ({ type, object }) =>
          type === 'MODIFIED' && object.metadata.name === name(index) && changeOf(object, 'status') === wanted,
        60_000,
      );
      const start = performance.now();
      await serviceClient.patch(
        resource,
        copyOf(index),
        { type: 'merge', patch: { status: { change: wanted } } },
        { subresource: 'status', representation: 'metadata' },
      );
      return (await shown) - start;
    },
    async first(workspace) {
      const of = `${prefix}-first-${workspace.cluster}`;
      const copied = onService.count(1, ({ type, object }) => type === 'ADDED' && nameOf(object) === of, 120_000);
      for (;;) {
        try {
          await make(workspace, of);
          break;
        } catch {
          // A Ready binding is not served everywhere at once.
        }
      }
      const acceptedAt = performance.now();
      return { acceptedAt, copiedAt: await copied };
    },
    async delete(count) {
      const gone = inKcp.count(count, ({ type, object }) => type === 'DELETED' && mine(object), TIMEOUT_MS);
      const goneDown = onService.count(count, ({ type, object }) => type === 'DELETED' && mine(object), TIMEOUT_MS);
      const start = performance.now();
      await writers(count, WIDTH, (index) => home(index).client.delete(resource, key(index)));
      const end = Math.max(await gone, await goneDown);
      copies.clear();
      return end - start;
    },
    close() {
      inKcp.close();
      onService.close();
    },
  };
}

function nameOf({ metadata }: UnstructuredObject): string {
  return metadata.annotations?.[annotations.remoteName] ?? metadata.name;
}
