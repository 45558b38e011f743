import {
  type Controller,
  type Decision,
  type Reconciler,
  type Setup,
  controller,
  createEfforts,
  done,
  generationChanged,
  toOwnKey,
} from '@hawser/controller';
import { BindingStatuses } from '@hawser/konnector-connection';
import { type APIServiceBinding, type Dialect, bindingOwners, resources } from '@hawser/kube-bind';

import { type Decision as UnbindingDecision, decide } from './decide.js';
import { observe } from './observe.js';
import type { Observed } from './observed.js';
import { carryOut, isCarriedOut, reportForbidden } from './settle.js';

export interface UnbindingOptions {
  /** Namespace on the consumer for the record of objects that a broken-open unbinding has orphaned. */
  readonly recordNamespace: string;
  /** Dialect of the consumer. */
  readonly dialect: Dialect;
}

/**
 * Ends bindings by their annotation `hawser.dev/unbind-policy`. Works only on the consumer. Under `Delete` and `Block`
 * it keeps a finalizer on the binding. Then it deletes the consumer's objects (Delete) or waits for their users
 * (Block), and reports in condition `Unbound` what is left. The syncs delete the copies, on the same proof as always.
 * Without the annotation it writes nothing.
 */
export function createUnbinding({ recordNamespace, dialect }: UnbindingOptions): Controller<'consumer'> {
  return controller('unbinding', (setup: Setup<'consumer'>): Reconciler<Seen | undefined, Decision<Pass>> => {
    const { clock, clusters, random, watch } = setup;
    const { consumer } = clusters;
    const { client, events } = consumer;
    const statuses = new BindingStatuses({ client, events, clock, random });
    const holds = createEfforts(clock, random);
    const options = { client, events, recordNamespace, now: () => clock.now(), statuses, random, holds };
    const crds = watch(
      consumer,
      { resource: resources.customResourceDefinitions, kind: 'CustomResourceDefinition', projection: 'metadata' },
      (crd, change) => (change === 'delete' ? bindingOwners(crd, dialect.apiVersion).map(({ name }) => name) : []),
    );
    const bindings = watch<APIServiceBinding>(
      consumer,
      { resource: resources.apiServiceBindings, kind: 'APIServiceBinding' },
      toOwnKey,
      // Our own reports arrive here, too: they must not end a back-off.
      { cures: (before, after) => generationChanged(before, after) || !sameAnnotations(before, after) },
    );
    return {
      concurrency: 2,
      async observe(name, signal) {
        const binding = bindings.get(name);
        if (binding === undefined) return undefined;
        return { observed: await observe(client, binding, crds.list(), signal), now: clock.now() };
      },
      decide: decideUnbinding,
      async act({ binding, decision }, signal) {
        const { binding: written, requeueAfterMs } = await carryOut(options, binding, decision, signal);
        if (written !== undefined && written !== binding && (written.metadata.finalizers ?? []).length > 0)
          bindings.observe(written);
        return requeueAfterMs === undefined ? done : { kind: 'requeue', afterMs: requeueAfterMs };
      },
      async reportRefusal(error, { key }, signal) {
        const binding = bindings.get(key);
        if (binding !== undefined) await reportForbidden(options, binding, error, signal);
      },
    };
  });
}

interface Seen {
  readonly observed: Observed;
  readonly now: number;
}

/** Reports and carries out the decision about a binding in one pass. */
interface Pass {
  readonly type: 'settle';
  readonly binding: APIServiceBinding;
  readonly decision: UnbindingDecision;
}

/** Pure. */
function decideUnbinding(seen: Seen | undefined): Decision<Pass> {
  if (seen === undefined) return { actions: [] };
  const { binding } = seen.observed;
  const decision = decide(seen.observed);
  return isCarriedOut(binding, decision, seen.now)
    ? { actions: [], requeueAfterMs: decision.requeueAfterMs, requeuePriority: 'normal' }
    : { actions: [{ type: 'settle', binding, decision }] };
}

function sameAnnotations(
  { metadata: { annotations: before = {} } }: APIServiceBinding,
  { metadata: { annotations: after = {} } }: APIServiceBinding,
): boolean {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].every((key) => before[key] === after[key]);
}
