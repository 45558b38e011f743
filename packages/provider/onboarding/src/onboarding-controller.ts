import type { ApiError, KubeObject } from '@hawser/client';
import { type Controller, controller, type Decision, type Setup } from '@hawser/controller';
import { type ActRequestOptions, actRequest, writeOutcome } from './act-request.js';
import { decideRequest } from './decide-request.js';
import { fieldManager } from './field-manager.js';
import { observeRequest } from './observe-request.js';
import type { OnboardingSettings } from './observed-request.js';
import { watchRequests } from './request-caches.js';
import type { RequestAction, RequestDecision, RequestOutcome } from './request-decision.js';
import { withOutcome } from './request-outcome.js';

export interface OnboardingOptions {
  /**
   * Prefix of cluster namespaces' names: `<prefix><hash of the identity>`. At most 49 lower-case letters, digits and
   * dashes.
   */
  readonly namespacePrefix: string;
  /** Display name of the provider. */
  readonly prettyName: string;
  /**
   * The only namespaces in which requests are answered; anyone who can create requests there is trusted with every
   * consumer's kubeconfig. Default: all namespaces, and then each consumer's kubeconfig goes only to the namespace of
   * its first request.
   */
  readonly requestNamespaces?: readonly string[] | undefined;
  /** Whether a namespace belongs to a consumer of another dialect: no request is answered there. Default: never. */
  readonly isOtherConsumers?: ((namespace: KubeObject) => boolean) | undefined;
  /** Requests processed at a time. Default 4. */
  readonly concurrency?: number | undefined;
}

/**
 * Answers each BindableResourcesRequest: creates a cluster namespace and a ClusterBinding for the consumer, and puts
 * its kubeconfig into a Secret beside the request (spec/kube-bind-backend.md §6, §10.7). Waits for other controllers to
 * create the kubeconfig and the rights.
 */
export function createOnboardingController(options: OnboardingOptions): Controller<'provider'> {
  const { namespacePrefix, prettyName, requestNamespaces, isOtherConsumers, concurrency } = options;
  if (prettyName === '') throw new RangeError('prettyName must not be empty');
  const settings: OnboardingSettings = { namespacePrefix, prettyName, requestNamespaces, isOtherConsumers };
  return controller('onboarding', (setup: Setup<'provider'>) => {
    const {
      clusters: {
        provider: { client },
      },
      clock,
    } = setup;
    const caches = watchRequests(setup, namespacePrefix);
    const actOptions: ActRequestOptions = { client, clock, ...caches };
    return {
      concurrency,
      fieldManager,
      observe: async (key, signal) => ({
        ...(await observeRequest(client, caches, settings, key, signal)),
        now: clock.now(),
      }),
      decide: ({ now, ...observed }) => nextOf(decideRequest(settings, observed, now), now),
      act: (action, signal) => actRequest(actOptions, action, signal),
      reportRefusal: (error, { key }, signal) => reportRefusal(actOptions, key, error, signal),
    };
  });
}

function nextOf({ action, at }: RequestDecision, now: number): Decision<RequestAction> {
  return {
    actions: action === undefined ? [] : [action],
    requeueAfterMs: at === undefined ? undefined : Math.max(0, at - now) + 1,
  };
}

async function reportRefusal(
  options: ActRequestOptions,
  key: string,
  { message }: ApiError,
  signal: AbortSignal,
): Promise<void> {
  const request = options.requests.get(key);
  if (request === undefined) return;
  const outcome: RequestOutcome = { kind: 'problem', problem: { kind: 'refused', message } };
  if (withOutcome(request, outcome, options.clock.now()) !== request.status)
    await writeOutcome(options, request, outcome, signal);
}
