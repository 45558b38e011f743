import { getIfExists, isConflict, isForbidden, isRefusal, type KubeObject, isTerminating } from '@hawser/client';
import { type Controller, createController, done, type Result } from '@hawser/controller';
import { equal } from '@hawser/json';
import { apiVersion, type AppClusterBinding, finalizers, resources } from '@hawser/klutch';
import { commitStatus, getCondition, hawserAnnotations, resources as core, type Secret } from '@hawser/kube-bind';
import type { ObjectReference } from '@hawser/telemetry';
import { act } from './act.js';
import { openCaches } from './caches.js';
import { covers } from './covers.js';
import { decide } from './decide.js';
import { decideDeletion } from './decide-deletion.js';
import { type Action, children } from './decision.js';
import { observeDeletion } from './observe-deletion.js';
import type { Deployment, Observed, Settings, Source } from './observed.js';
import { type ConditionType, conditionTypes, problemCondition } from './problem.js';
import { createSourceWatches } from './source-watches.js';
import { type Report, withReport } from './status.js';

export interface AppClusterBindingOptions {
  /** Image of the konnectors that are deployed. Default: each AppClusterBinding has to name its own in `spec.konnector.overrides.image`. */
  readonly konnectorImage?: string | undefined;
  /** Name of the provider for people. Default `Hawser`. */
  readonly prettyName?: string | undefined;
  /** AppClusterBindings that are worked on at a time. Default 4. */
  readonly concurrency?: number | undefined;
  /** How often it is looked whether what is being deleted is gone. Default 2 s. */
  readonly deletionPollMs?: number | undefined;
}

const name = 'appclusterbinding';
/** When to look again whether there are still instances, which nothing tells. */
const heldPollMs = 30_000;

/**
 * Klutch's control plane mode (spec/klutch.md §13): for each AppClusterBinding a root namespace with all that a konnector needs to bring APIs into an app cluster from here, and, if it is asked for, the
 * konnector. Deleting an AppClusterBinding deletes no namespace that holds instances unless its annotation `hawser.dev/deletion-policy` is `Delete`.
 */
export function createAppClusterBindingController(options: AppClusterBindingOptions = {}): Controller<'provider'> {
  const settings: Settings = { konnectorImage: options.konnectorImage, prettyName: options.prettyName ?? 'Hawser' };
  const { deletionPollMs = 2_000 } = options;

  return createController<'provider'>(name, async (ctx, scope) => {
    const { clock, random, logger } = ctx;
    const { client, informers, events } = ctx.clusters.provider;
    const queue = scope.openQueue({ name, concurrency: options.concurrency ?? 4, reconcile });
    const changed = (key: string): void => {
      queue.add(key);
    };
    const caches = openCaches(informers, scope, changed);
    const sources = createSourceWatches(informers, changed);
    scope.own(() => {
      sources.close();
    });
    /** By AppClusterBinding: see `Observed.unreachable`. */
    const unreachable = new Map<string, string>();
    await scope.synced();

    async function reconcile(key: string, signal: AbortSignal): Promise<Result> {
      const binding = caches.self.get(key);
      if (binding === undefined || isTerminating(binding)) {
        sources.follow(key, undefined);
        unreachable.delete(key);
        return binding?.metadata.finalizers?.includes(finalizers.appClusterBindingCleanup) === true
          ? takeDown(binding, signal)
          : done;
      }
      sources.follow(key, binding.spec.kubeconfigSecretRef);
      const observed: Observed = {
        ...caches.snapshot(binding),
        source: await readSecret(binding, signal),
        unreachable: unreachable.get(key),
      };
      const decision = decide(settings, observed);
      if (decision.actions.length === 0) {
        await report(binding, decision, signal);
        return done;
      }
      try {
        await perform(key, binding, decision.actions, signal);
      } catch (error) {
        return failed(binding, decision, error, signal);
      }
      // What was deleted, the watch tells of.
      return decision.actions.every(({ type }) => type === 'delete') ? done : { kind: 'requeue', afterMs: 0 };
    }

    async function takeDown(binding: AppClusterBinding, signal: AbortSignal): Promise<Result> {
      const { actions, condition, stays } = decideDeletion(await observeDeletion(client, binding, signal));
      const current: Report = { conditions: condition === undefined ? [] : [condition], without: [] };
      // Before anything can fail: else nobody would know what it waits for.
      const written = await report(binding, current, signal);
      try {
        await perform(undefined, written, actions, signal);
      } catch (error) {
        return failed(written, { conditions: [], without: [] }, error, signal, conditionTypes.cleanedUp);
      }
      if (stays === undefined)
        return actions.length === 0 && condition?.severity !== 'Info'
          ? { kind: 'requeue', afterMs: heldPollMs * (0.8 + 0.4 * random()), priority: 'background' }
          : { kind: 'requeue', afterMs: deletionPollMs };
      logger.info('An AppClusterBinding is cleaned up.', {
        key: `${binding.metadata.namespace ?? ''}/${binding.metadata.name}`,
        stays: stays.join(', '),
      });
      if (stays.length > 0)
        events.record(referenceTo(binding), {
          type: 'Normal',
          reason: 'NamespacesKept',
          message: `The AppClusterBinding is gone, and this stays with all that is in it: ${stays.join(', ')}. An AppClusterBinding of the same name gets it back; what is not needed the provider has to delete.`,
        });
      return done;
    }

    async function perform(
      key: string | undefined,
      binding: AppClusterBinding,
      actions: readonly Action[],
      signal: AbortSignal,
    ): Promise<void> {
      for (const action of actions) {
        try {
          const written = await act(client, binding, action, signal);
          logger.info('Something was done for an AppClusterBinding.', {
            namespace: binding.metadata.namespace,
            name: binding.metadata.name,
            action: action.type,
            child: written.child,
          });
          if (written.object === undefined) continue;
          caches.observe(written.child, written.object);
          if (action.type === 'deploy' && key !== undefined)
            rememberDeployment(key, action.object, written.object as Deployment);
        } catch (error) {
          throw new ActionError(conditionOf(action), error);
        }
      }
    }

    /** A webhook may change a Deployment each time: then it is not written again before something else is wanted, or somebody has changed it. */
    function rememberDeployment(key: string, wanted: Deployment, answer: Deployment): void {
      if (covers(answer.spec, wanted.spec)) unreachable.delete(key);
      else
        unreachable.set(
          key,
          `${wanted.metadata.annotations?.[hawserAnnotations.wantedHash] ?? ''}/${answer.metadata.generation ?? 0}`,
        );
    }

    async function failed(
      binding: AppClusterBinding,
      current: Report,
      error: unknown,
      signal: AbortSignal,
      type?: ConditionType,
    ): Promise<Result> {
      const { cause, condition } =
        error instanceof ActionError ? error : { cause: error, condition: conditionTypes.rootNamespaceReady };
      // The cache lags behind.
      if (isConflict(cause)) return { kind: 'requeue', afterMs: 500 };
      if (isRefusal(cause)) {
        const refused = problemCondition({ kind: 'refused', condition: type ?? condition, message: cause.message });
        await report(
          binding,
          { ...current, conditions: [...current.conditions.filter((one) => one.type !== refused.type), refused] },
          signal,
        );
      }
      throw cause;
    }

    /** The object as it stands then. */
    async function report(
      binding: AppClusterBinding,
      current: Report,
      signal: AbortSignal,
    ): Promise<AppClusterBinding> {
      const before = binding.status?.conditions;
      if (equal(withReport(binding, current, clock.now()), before)) return binding;
      const written = await commitStatus(
        client,
        resources.appClusterBindings,
        binding,
        (status, latest) => ({ ...status, conditions: withReport(latest, current, clock.now()) }),
        { clock, random, signal },
      );
      if (written === undefined) return binding;
      caches.self.observe(written);
      for (const { type, status, severity, reason = '', message = '' } of current.conditions) {
        const old = getCondition(before, type);
        const isBad = status === 'False' && (severity === 'Error' || severity === 'Warning');
        if (isBad && (old?.reason !== reason || old.message !== message))
          events.record(referenceTo(binding), { type: 'Warning', reason, message });
      }
      return written;
    }

    async function readSecret({ spec }: AppClusterBinding, signal: AbortSignal): Promise<Source> {
      const { namespace, name: secretName } = spec.kubeconfigSecretRef;
      try {
        const secret = await getIfExists<Secret>(client, core.secrets, { namespace, name: secretName }, { signal });
        return secret === undefined ? { kind: 'absent' } : { kind: 'found', secret };
      } catch (error) {
        if (isForbidden(error)) return { kind: 'forbidden' };
        throw error;
      }
    }
  });
}

/** A step failed; in which condition that shows. */
class ActionError extends Error {
  override readonly name = 'ActionError';
  readonly code = 'StepFailed';

  constructor(
    readonly condition: ConditionType,
    cause: unknown,
  ) {
    super('a step for an AppClusterBinding failed', { cause });
  }
}

function conditionOf(action: Action): ConditionType {
  switch (action.type) {
    case 'setFinalizers':
      return conditionTypes.rootNamespaceReady;
    case 'deploy':
      return conditionTypes.konnectorDeployed;
    case 'deleteAnswered':
      return conditionTypes.apisBound;
    case 'create':
    case 'patch':
    case 'delete':
      return children[action.child].condition;
  }
}

function referenceTo({ metadata: { namespace, name: of, uid } }: KubeObject): ObjectReference {
  return { apiVersion, kind: 'AppClusterBinding', namespace, name: of, uid };
}
