import type { KubeObject } from '@hawser/client';
import { type Controller, type Result, createController, done } from '@hawser/controller';
import { type APIServiceBinding, type Dialect, bindingOwners, resources } from '@hawser/kube-bind';

import { settle } from './settle.js';

export interface UnbindingOptions {
  /** Namespace on the consumer for the record of what a broken-open unbinding has orphaned. */
  readonly recordNamespace: string;
  /** Of the consumer. */
  readonly dialect: Dialect;
}

const NAME = 'unbinding';

/**
 * Ends bindings as their annotation `hawser.dev/unbind-policy` says. Works on the consumer alone: under `Delete` and `Block` it keeps a finalizer on the
 * binding, deletes the consumer's objects (Delete) or waits for their users (Block), and tells in condition `Unbound` what is left; the copies are deleted
 * by the syncs, on the same proof as ever. Without the annotation it writes nothing.
 */
export function createUnbinding({ recordNamespace, dialect }: UnbindingOptions): Controller<'consumer'> {
  return createController<'consumer'>(NAME, async (ctx, scope) => {
    const { client, informers, events } = ctx.clusters.consumer;
    const crds = scope.informer(
      informers.acquire<KubeObject>({ resource: resources.customResourceDefinitions, projection: 'metadata' }),
    );
    const bindings = scope.informer(informers.acquire<APIServiceBinding>({ resource: resources.apiServiceBindings }));
    const queue = scope.openQueue({ name: NAME, concurrency: 2, reconcile });
    scope.own(
      bindings.addHandler({
        onAdd: ({ metadata }) => {
          queue.add(metadata.name);
        },
        // Our own reports come back here, too: they must not end a back-off.
        onUpdate: (before, { metadata }) => {
          queue.add(metadata.name, {
            resetBackoff:
              before.metadata.generation !== metadata.generation || !sameAnnotations(before, metadata.annotations),
          });
        },
      }),
    );
    scope.own(
      crds.addHandler({
        onDelete: (crd) => {
          for (const { name } of bindingOwners(crd, dialect.apiVersion)) queue.add(name);
        },
      }),
    );
    await Promise.all([crds.synced(scope.signal), bindings.synced(scope.signal)]);

    async function reconcile(name: string, signal: AbortSignal): Promise<Result> {
      const binding = bindings.get(name);
      if (binding === undefined) return done;
      const options = {
        client,
        events,
        recordNamespace,
        now: () => ctx.clock.now(),
        clock: ctx.clock,
        random: ctx.random,
      };
      const { binding: written, requeueAfterMs } = await settle(options, binding, crds.list(), signal);
      if (written !== undefined && written !== binding && (written.metadata.finalizers ?? []).length > 0)
        bindings.observe(written);
      return requeueAfterMs === undefined ? done : { kind: 'requeue', afterMs: requeueAfterMs };
    }
  });
}

function sameAnnotations(
  { metadata: { annotations: before = {} } }: APIServiceBinding,
  after: Readonly<Record<string, string>> = {},
): boolean {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].every((key) => before[key] === after[key]);
}
