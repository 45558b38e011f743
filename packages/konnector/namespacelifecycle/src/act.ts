import { type Client, isNotFound } from '@hawser/client';
import { type Setup, createOrRead } from '@hawser/controller';
import { conditionEvents } from '@hawser/konnector-connection';
import {
  type APIServiceNamespace,
  hawserAnnotations,
  labels,
  owners,
  resources,
  setCondition,
} from '@hawser/kube-bind';
import type { Action } from './decide.js';
import type { LifecycleCaches } from './lifecycle-caches.js';
import type { MadeNamespaces } from './made-namespaces.js';
import { creationFailed, deletionFailed } from './problems.js';
import type { Reports } from './reports.js';

type ActionOf<Type extends Action['type']> = Extract<Action, { readonly type: Type }>;

export interface ActorContext {
  readonly setup: Setup<'consumer' | 'provider'>;
  readonly caches: LifecycleCaches;
  readonly reports: Reports;
  readonly made: MadeNamespaces;
}

/** Carries out decisions. A failed create or delete is reported and retried. */
export class Actor {
  readonly #context: ActorContext;

  constructor(context: ActorContext) {
    this.#context = context;
  }

  async act(action: Action, signal: AbortSignal): Promise<void> {
    const { reports } = this.#context;
    switch (action.type) {
      case 'createNamespace':
        return reports.attempt(action.request, creationFailed, () => this.#create(action, signal));
      case 'deleteRequest':
        return reports.attempt(action.request, deletionFailed, () => this.#delete(action, signal));
      case 'writeCondition':
        return this.#writeCondition(action, signal);
    }
  }

  /** Succeeds also if another writer was faster. */
  async #create({ request, provider }: ActionOf<'createNamespace'>, signal: AbortSignal): Promise<void> {
    const { setup, caches, made } = this.#context;
    const { name } = request.metadata;
    const namespace = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name,
        labels: { [labels.owner]: owners.provider },
        annotations: { [hawserAnnotations.providerIdentity]: provider },
      },
    };
    const options = { representation: 'metadata', signal } as const;
    await made.making(name, () =>
      createOrRead(caches.namespaces, setup.clusters.consumer.client, resources.namespaces, namespace, options),
    );
  }

  async #delete({ request }: ActionOf<'deleteRequest'>, signal: AbortSignal): Promise<void> {
    const { setup, reports } = this.#context;
    await deleteRequest(setup.clusters.provider.client, request, signal);
    reports.report(request, undefined);
    setup.logger.info('APIServiceNamespace deleted: its namespace is gone', { namespace: request.metadata.name });
  }

  async #writeCondition({ binding, condition }: ActionOf<'writeCondition'>, signal: AbortSignal): Promise<void> {
    const { setup, caches } = this.#context;
    await caches.bindings.commitStatus(
      binding,
      (status) => ({ ...status, conditions: setCondition(status.conditions, condition, setup.clock.now()) }),
      signal,
      conditionEvents(binding, [condition]),
    );
  }
}

/** Deletes the version decided about. Succeeds also if it is gone. */
async function deleteRequest(
  provider: Client,
  { metadata: { namespace, name, uid, resourceVersion } }: APIServiceNamespace,
  signal: AbortSignal,
): Promise<void> {
  try {
    await provider.delete(
      resources.apiServiceNamespaces,
      { namespace, name },
      { preconditions: { uid, resourceVersion }, signal },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
