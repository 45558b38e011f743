import { ApiError, type ApiErrorCode, type Client, type KubeObject, getIfExists, isNotFound } from '@hawser/client';
import type { InformerHandle } from '@hawser/informer';
import { type APIServiceBinding, type APIServiceBindingBundle, resources } from '@hawser/kube-bind';
import type { Action } from './decide.js';
import { type BundleProblem, writeFailed } from './problems.js';

export interface Actor {
  readonly consumer: Client;
  readonly bindings: Pick<InformerHandle<APIServiceBinding>, 'observe'>;
  /** Called after each completed write. */
  readonly recordEvent: (reason: 'BindingCreated' | 'BindingDeleted', message: string) => void;
  /** Whether the connection still serves the bundle. Checked before each write. */
  readonly serves: () => boolean;
}

export interface Acted {
  readonly problems: readonly BundleProblem[];
  /** Failures to retry with back-off. */
  readonly errors: readonly Error[];
}

/** Carries out the decision about `bundle`: the only place that writes bindings. */
export async function act(
  actor: Actor,
  bundle: APIServiceBindingBundle,
  actions: readonly Action[],
  signal: AbortSignal,
): Promise<Acted> {
  const problems: BundleProblem[] = [];
  const errors: Error[] = [];
  if (actions.some(({ kind }) => kind === 'create') && !(await stands(actor.consumer, bundle, signal)))
    return { problems, errors };
  for (const action of actions) {
    if (!actor.serves()) break;
    const { name } = action.binding.metadata;
    try {
      await write(actor, action, signal);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'Aborted') throw error;
      errors.push(error);
      // The cache lagged behind: no failure to report; look again.
      if (!outdated.has(error.code)) problems.push(writeFailed(action.kind, name, error.message));
    }
  }
  return { problems, errors };
}

/** Reads the bundle live. A deleted bundle's new bindings would be collected at once, with all their objects. */
async function stands(consumer: Client, bundle: APIServiceBindingBundle, signal: AbortSignal): Promise<boolean> {
  const { name, uid } = bundle.metadata;
  const live = await getIfExists<KubeObject>(
    consumer,
    resources.apiServiceBindingBundles,
    { name },
    { representation: 'metadata', signal },
  );
  return live !== undefined && live.metadata.uid === uid && live.metadata.deletionTimestamp === undefined;
}

const outdated: ReadonlySet<ApiErrorCode> = new Set<ApiErrorCode>(['AlreadyExists', 'Conflict']);

async function write(
  { consumer, bindings, recordEvent }: Actor,
  { kind, binding }: Action,
  signal: AbortSignal,
): Promise<void> {
  const { name, uid, resourceVersion } = binding.metadata;
  switch (kind) {
    case 'create':
      bindings.observe(await consumer.create<APIServiceBinding>(resources.apiServiceBindings, binding, { signal }));
      recordEvent('BindingCreated', `The provider exports ${name}: APIServiceBinding ${name} was created.`);
      break;
    case 'delete':
      try {
        // A takeover of the binding from the bundle has changed its version.
        await consumer.delete(
          resources.apiServiceBindings,
          { name },
          { preconditions: { uid, resourceVersion }, signal },
        );
      } catch (error) {
        if (isNotFound(error)) return;
        throw error;
      }
      recordEvent(
        'BindingDeleted',
        `The provider has withdrawn export ${name}: APIServiceBinding ${name} was deleted.`,
      );
      break;
  }
}
