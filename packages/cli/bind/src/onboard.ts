import { type Client, getIfExists } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { type BindableResourcesRequest, type Secret, apiVersion, identityHash, resources } from '@hawser/kube-bind';
import { until } from './bind.js';
import type { Refusal } from './refusal.js';

/** Somebody who is to become a consumer of a provider. */
export interface OnboardingWish {
  /** What the provider tells consumers apart by: the uid of a namespace of the consumer (spec/kube-bind-backend.md §7). */
  readonly identity: string;
  /** For people. */
  readonly prettyName?: string | undefined;
  /** Who asks, for people. */
  readonly author: string;
  /** On the provider: where the request is made, and the answer stored. */
  readonly namespace: string;
}

export interface OnboardOptions {
  /** The provider, as somebody who may make BindableResourcesRequests and read the Secrets with their answers. */
  readonly provider: Client;
  readonly clock: Clock;
  readonly tell: (line: string) => void;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type OnboardResult =
  /** What the provider hands out. Holds a credential. */
  | { readonly kind: 'onboarded'; readonly kubeconfig: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'waiting'; readonly what: string };

/** The request that stands for a consumer; the same for each attempt. */
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

/** The kubeconfig that an earlier onboarding has given; undefined if there is none to be had. Only reads. @throws ApiError */
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
 * Asks the provider to take a cluster as its consumer, as its backend's flow without a browser has it (spec/kube-bind-backend.md §7.3), and waits for
 * the kubeconfig. Repeatable: a request that is there already is waited for. @throws ApiError for what the API server refuses
 */
export async function onboard(
  { provider, clock, tell, timeoutMs, signal }: OnboardOptions,
  wish: OnboardingWish,
): Promise<OnboardResult> {
  const wanted = onboardingRequest(wish);
  const {
    metadata: { name, namespace },
  } = wanted;
  const key = { namespace, name };
  const what = `BindableResourcesRequest ${namespace ?? ''}/${name}`;
  if ((await getIfExists(provider, resources.bindableResourcesRequests, key, { signal })) === undefined) {
    tell(`create ${what} on the provider, and wait for its answer`);
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
