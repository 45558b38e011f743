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
  /** Of the names of cluster namespaces: `<prefix><hash of the identity>`. At most 49 lower-case letters, digits and dashes. */
  readonly namespacePrefix: string;
  /** Name of the provider for people. */
  readonly prettyName: string;
  /**
   * The only namespaces in which requests are answered; whoever may make requests there is trusted with every consumer's kubeconfig. Default: all namespaces, and then each consumer's
   * kubeconfig is given out only where it was first asked for.
   */
  readonly requestNamespaces?: readonly string[] | undefined;
  /** Whether a namespace is a consumer's of another dialect, where no request is answered. Default: none is. */
  readonly isOtherConsumers?: ((namespace: KubeObject) => boolean) | undefined;
  /** Requests that are worked on at a time. Default 4. */
  readonly concurrency?: number | undefined;
}

/**
 * Answers each BindableResourcesRequest: a cluster namespace and a ClusterBinding for the consumer, and its kubeconfig in a Secret beside the request
 * (spec/kube-bind-backend.md §6, §10.7). The kubeconfig itself and the rights are other controllers' work, which this one waits for.
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
      reportRefusal: (error, { key }, signal) => tellRefusal(actOptions, key, error, signal),
    };
  });
}

function nextOf({ action, at }: RequestDecision, now: number): Decision<RequestAction> {
  return {
    actions: action === undefined ? [] : [action],
    requeueAfterMs: at === undefined ? undefined : Math.max(0, at - now) + 1,
  };
}

async function tellRefusal(
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
