import { type Client, getIfExists } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { type BindableResourcesRequest, type Secret, apiVersion, identityHash, resources } from '@hawser/kube-bind';
import { until } from './bind.js';
import type { Refusal } from './refusal.js';

/** A cluster that wants to become a consumer of a provider. */
export interface OnboardingWish {
  /** How the provider tells consumers apart: the uid of a namespace of the consumer (spec/kube-bind-backend.md §7). */
  readonly identity: string;
  /** Name for people. */
  readonly prettyName?: string | undefined;
  /** Name of the requester, for people. */
  readonly author: string;
  /** Namespace on the provider for the request and the Secret with the answer. */
  readonly namespace: string;
}

export interface OnboardOptions {
  /** Client of the provider that may make BindableResourcesRequests and read the Secrets with their answers. */
  readonly provider: Client;
  readonly clock: Clock;
  readonly print: (line: string) => void;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type OnboardResult =
  /** The kubeconfig from the provider. Holds a credential. */
  | { readonly kind: 'onboarded'; readonly kubeconfig: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'waiting'; readonly what: string };

/** The request for a consumer; the same for each attempt. */
export function onboardingRequest({
  identity,
  prettyName,
  author,
  namespace,
}: OnboardingWish): BindableResourcesRequest {
  return {
    apiVersion,
    kind: 'BindableResourcesRequest',
    metadata: { name: `bind-${identityHash(identity)}`, namespace },
    spec: { clusterIdentity: { identity, ...(prettyName === undefined ? {} : { prettyName }) }, author },
  };
}

/** The kubeconfig of an earlier onboarding; undefined if none is available. Only reads. @throws ApiError */
export async function handedOut(
  provider: Client,
  wish: OnboardingWish,
  signal: AbortSignal,
): Promise<string | undefined> {
  const {
    metadata: { name, namespace },
  } = onboardingRequest(wish);
  const request = await getIfExists<BindableResourcesRequest>(
    provider,
    resources.bindableResourcesRequests,
    { namespace, name },
    { signal },
  );
  return request?.status?.phase === 'Succeeded' ? await answerOf(provider, request, signal) : undefined;
}

/**
 * Asks the provider to take a cluster as its consumer, and waits for the kubeconfig. Uses the backend's flow without a
 * browser (spec/kube-bind-backend.md §7.3). Repeatable: waits for an existing request. @throws ApiError if the API
 * server refuses
 */
export async function onboard(
  { provider, clock, print, timeoutMs, signal }: OnboardOptions,
  wish: OnboardingWish,
): Promise<OnboardResult> {
  const wanted = onboardingRequest(wish);
  const {
    metadata: { name, namespace },
  } = wanted;
  const key = { namespace, name };
  const what = `BindableResourcesRequest ${namespace ?? ''}/${name}`;
  if ((await getIfExists(provider, resources.bindableResourcesRequests, key, { signal })) === undefined) {
    print(`create ${what} on the provider, and wait for its answer`);
    await provider.create(resources.bindableResourcesRequests, wanted, { signal });
  }
  const answered = await until(clock, timeoutMs, signal, async () => {
    const live = await provider.get<BindableResourcesRequest>(resources.bindableResourcesRequests, key, { signal });
    return live.status?.phase === 'Succeeded' || live.status?.phase === 'Failed' ? live : undefined;
  });
  if (answered === undefined) return { kind: 'waiting', what: `the provider to answer ${what}` };
  if (answered.status?.phase === 'Failed') {
    const why = answered.status.conditions?.find(({ type }) => type === 'Ready');
    return {
      kind: 'refused',
      refusal: {
        reason: 'OnboardingFailed',
        actor: 'provider',
        remedy: 'removes the cause; then the request is deleted and made again',
        message: `The provider refused ${what}: ${why === undefined ? 'it gives no reason' : `${why.reason}: ${why.message}`}.`,
      },
    };
  }
  const kubeconfig = await answerOf(provider, answered, signal);
  if (kubeconfig !== undefined) return { kind: 'onboarded', kubeconfig };
  return {
    kind: 'refused',
    refusal: {
      reason: 'AnswerMissing',
      actor: 'operator',
      remedy: 'deletes the request, and binds again',
      message: `${what} was answered, but the Secret with its answer is not there, or holds none.`,
    },
  };
}

/** A BindingResourceResponse in a Secret beside the request (spec/kube-bind-backend.md §10.7). */
async function answerOf(
  provider: Client,
  { metadata: { namespace }, status }: BindableResourcesRequest,
  signal: AbortSignal,
): Promise<string | undefined> {
  const ref = status?.kubeconfigSecretRef;
  if (ref === undefined) return undefined;
  const secret = await getIfExists<Secret>(provider, resources.secrets, { namespace, name: ref.name }, { signal });
  const encoded = secret?.data?.[ref.key];
  if (encoded === undefined) return undefined;
  try {
    const { kubeconfig } = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')) as {
      readonly kubeconfig?: unknown;
    };
    return typeof kubeconfig === 'string' ? Buffer.from(kubeconfig, 'base64').toString('utf8') : undefined;
  } catch {
    return undefined;
  }
}
