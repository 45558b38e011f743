import { type Client, isConflict, isNotFound } from '@hawser/client';
import { type APIServiceBinding, finalizers, resources } from '@hawser/kube-bind';
import type { EventRecorder } from '@hawser/telemetry';

import type { Action } from './decide.js';
import { forEach } from './live.js';
import type { ObjectLeft, ResourceLeft } from './observed.js';
import { orphanRecord, orphanRecordName } from './orphan-record.js';
import { OBJECTS_ORPHANED } from './reasons.js';

export interface ActorOptions {
  readonly client: Client;
  readonly events: EventRecorder;
  /** Namespace for the record of orphans. */
  readonly recordNamespace: string;
  readonly now: () => number;
}

/**
 * The only place that writes. Resolves to the present binding; undefined: another writer has changed it, or it is gone.
 */
export async function act(
  options: ActorOptions,
  binding: APIServiceBinding,
  action: Action,
  signal: AbortSignal,
): Promise<APIServiceBinding | undefined> {
  const { client } = options;
  const { finalizers: present = [] } = binding.metadata;
  switch (action.type) {
    case 'addFinalizer':
      return setFinalizers(client, binding, [...present, finalizers.unbind], signal);
    case 'removeFinalizer':
      return setFinalizers(
        client,
        binding,
        present.filter((finalizer) => finalizer !== finalizers.unbind),
        signal,
      );
    case 'deleteObjects':
      await forEach(action.objects, (object) => deleteObject(client, action.left, object, signal));
      return binding;
    case 'deleteCRD':
      await ignoringGone(
        client.delete(
          resources.customResourceDefinitions,
          { name: action.crd.name },
          { preconditions: { uid: action.crd.uid }, propagationPolicy: 'Background', signal },
        ),
      );
      return binding;
    case 'recordOrphans':
      await recordOrphans(options, binding, action, signal);
      return binding;
  }
}

async function setFinalizers(
  client: Client,
  binding: APIServiceBinding,
  next: readonly string[],
  signal: AbortSignal,
): Promise<APIServiceBinding | undefined> {
  const { name, uid, resourceVersion } = binding.metadata;
  try {
    return await client.patch<APIServiceBinding>(
      resources.apiServiceBindings,
      { name },
      { type: 'merge', patch: { metadata: { uid, resourceVersion, finalizers: next.length === 0 ? null : next } } },
      { signal },
    );
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return undefined;
    throw error;
  }
}

async function deleteObject(
  client: Client,
  { resource }: ResourceLeft,
  { key, uid }: ObjectLeft,
  signal: AbortSignal,
): Promise<void> {
  if (resource !== undefined)
    await ignoringGone(
      client.delete(resource, key, { preconditions: { uid }, propagationPolicy: 'Background', signal }),
    );
}

/** Ignores that the object is gone or recreated: nothing is left to delete. */
async function ignoringGone(deletion: Promise<unknown>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

/** First the record, then the Event that names it: nothing is released without a record. */
async function recordOrphans(
  { client, events, recordNamespace, now }: ActorOptions,
  binding: APIServiceBinding,
  { reason, left }: Extract<Action, { type: 'recordOrphans' }>,
  signal: AbortSignal,
): Promise<void> {
  const record = orphanRecord(binding, reason, left, recordNamespace, now());
  const name = orphanRecordName(binding);
  await client.patch(
    resources.configMaps,
    { namespace: recordNamespace, name },
    { type: 'apply', object: record, force: true },
    { fieldManager: 'hawser', signal },
  );
  const { apiVersion, kind, metadata } = binding;
  const message = `Unbinding was broken open: "${reason.slice(0, 200)}". ${record.data['count'] ?? ''} objects were let go of. Their copies may still be on the provider. ConfigMap ${recordNamespace}/${name} lists them. The provider has to delete what is not wanted.`;
  events.record(
    { apiVersion, kind, name: metadata.name, uid: metadata.uid },
    { type: 'Warning', reason: OBJECTS_ORPHANED, message },
  );
}
