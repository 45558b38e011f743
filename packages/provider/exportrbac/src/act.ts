import { type Client, isNotFound, type KubeObject, type Resource } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import { createOrRead } from '@hawser/controller';
import type { Informer } from '@hawser/informer';
import { equal } from '@hawser/json';
import { annotations, type BoundSchema, commitStatus, type Dialect, isClaimable, resources } from '@hawser/kube-bind';
import type { BackendObject } from './backend-rights.js';
import type { Action } from './decision.js';
import type { ExportObject } from './export-object.js';
import { fieldManager } from './field-manager.js';
import type { BindingObject, RoleObject } from './rbac-objects.js';
import { type RequestObject, withRequestRights } from './request-rights.js';
import { withRightsOutcome } from './rights-outcome.js';

export interface ActOptions {
  readonly dialect: Dialect;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly exports: Informer<ExportObject>;
  readonly requests: Informer<RequestObject>;
  /** None where exports carry their schemas. */
  readonly boundSchemas: Informer<BoundSchema> | undefined;
  readonly roleBindings: Informer<BindingObject>;
  readonly clusterRoleBindings: Informer<BindingObject>;
}

/** Carries out an action: the only place that writes for consumers. Failures are the client's ApiErrors. */
export async function act(options: ActOptions, action: Action, signal: AbortSignal): Promise<void> {
  const { client } = options;
  switch (action.type) {
    case 'grant':
      await grant(options, action.binding, signal);
      return;
    case 'repair':
      await repair(options, action, signal);
      return;
    case 'withdraw':
      await remove(client, resourceOf(action.existing), action.existing, signal);
      return;
    case 'narrow':
      await narrow(options, action, signal);
      return;
    case 'removeBackendBinding':
      await removeBackendBinding(client, action.existing, signal);
      return;
    case 'writeCondition': {
      const { clock, random } = options;
      const written = await commitStatus(
        client,
        options.dialect.resources.apiServiceExports,
        action.export,
        (status) => withRightsOutcome(status, action.outcome, clock.now()),
        { clock, random, signal },
      );
      if (written !== undefined) options.exports.observe(written);
      return;
    }
    case 'writeRequest': {
      const { clock, random } = options;
      const written = await commitStatus(
        client,
        options.dialect.resources.apiServiceExportRequests,
        action.request,
        (status) => withRequestRights(status, action.rights, clock.now()),
        { clock, random, signal },
      );
      if (written !== undefined) options.requests.observe(written);
    }
  }
}

/** Deletes a cluster-wide object of the Go backend, at the version that was checked. */
export async function removeBackendObject(
  client: Client,
  { kind, object }: BackendObject,
  signal: AbortSignal,
): Promise<void> {
  await remove(client, kind === 'ClusterRole' ? resources.clusterRoles : resources.clusterRoleBindings, object, signal);
}

type ActionOf<Type extends Action['type']> = Extract<Action, { readonly type: Type }>;

async function repair(
  options: ActOptions,
  { existing, binding }: ActionOf<'repair'>,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name, uid, resourceVersion } = existing.metadata;
  const { labels, ownerReferences } = binding.metadata;
  const patch = { metadata: { uid, resourceVersion, labels, ownerReferences }, subjects: binding.subjects };
  informerOf(options, binding).observe(
    await options.client.patch<BindingObject>(
      resourceOf(binding),
      { namespace, name },
      { type: 'merge', patch },
      { fieldManager, signal },
    ),
  );
}

async function narrow(
  { client, boundSchemas }: ActOptions,
  { schema, hash }: ActionOf<'narrow'>,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name, uid, resourceVersion } = schema.metadata;
  const patch = {
    metadata: { uid, resourceVersion, annotations: { [annotations.sourceSpecHash]: hash } },
    spec: { informerScope: 'Namespaced' },
  };
  boundSchemas?.observe(
    await client.patch<BoundSchema>(
      resources.boundSchemas,
      { namespace, name },
      { type: 'merge', patch },
      { fieldManager, signal },
    ),
  );
}

async function grant(options: ActOptions, binding: BindingObject, signal: AbortSignal): Promise<void> {
  await createOrRead(informerOf(options, binding), options.client, resourceOf(binding), binding, {
    fieldManager,
    signal,
  });
}

/** Deletes the RoleBinding, then its own Role if that grants exactly the backend's rights for claims. */
async function removeBackendBinding(client: Client, binding: BindingObject, signal: AbortSignal): Promise<void> {
  await remove(client, resources.roleBindings, binding, signal);
  if (binding.roleRef.kind !== 'Role') return;
  const { namespace, name } = binding.metadata;
  try {
    const role = await client.get<RoleObject>(resources.roles, { namespace, name }, { signal });
    const isForClaims = (role.rules ?? []).every(
      ({ apiGroups = [], resources: claimed = [] }) =>
        equal(apiGroups, ['']) && claimed.every((resource) => isClaimable({ group: '', resource })),
    );
    if (isForClaims) await remove(client, resources.roles, role, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function remove(
  client: Client,
  resource: Resource,
  { metadata: { namespace, name, uid, resourceVersion } }: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.delete(resource, { namespace, name }, { preconditions: { uid, resourceVersion }, signal });
  } catch (error) {
    // Succeeds also if it is gone.
    if (!isNotFound(error)) throw error;
  }
}

function resourceOf({ metadata: { namespace } }: KubeObject): Resource {
  return namespace === undefined ? resources.clusterRoleBindings : resources.roleBindings;
}

function informerOf(
  { roleBindings, clusterRoleBindings }: ActOptions,
  { metadata: { namespace } }: KubeObject,
): Informer<BindingObject> {
  return namespace === undefined ? clusterRoleBindings : roleBindings;
}
