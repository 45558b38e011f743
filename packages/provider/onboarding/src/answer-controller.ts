import { getIfExists, objectKey } from '@hawser/client';
import { type Controller, type Result, createController, done } from '@hawser/controller';
import { type BindableResourcesRequest, type ClusterBinding, fixedNames, resources, type Secret } from '@hawser/kube-bind';
import { answerText, isOutdatedAnswer } from './answer-text.js';
import { fieldManager } from './field-manager.js';

export interface AnswerOptions {
  /** As of `createOnboardingController`: the only namespaces in which answers are looked at, and perhaps the only ones in which they may be. Default: all. */
  readonly requestNamespaces?: readonly string[] | undefined;
}

const name = 'onboarding-answers';
const byNamespace = `${name}/namespace`;

/**
 * Keeps the answers that were given to BindableResourcesRequests in step with the kubeconfigs that they are copies of, as long as the credential in them is the same: a consumer that has not
 * fetched its answer before the provider's certificate authority was replaced can use it all the same. An answer whose token was replaced stays as it is, and one that somebody else wrote does.
 */
export function createAnswerController({ requestNamespaces }: AnswerOptions = {}): Controller<'provider'> {
  return createController<'provider'>(name, async (ctx, scope) => {
    const { client, informers } = ctx.clusters.provider;
    const requests = scope.informer(informers.acquire<BindableResourcesRequest>({ resource: resources.bindableResourcesRequests }));
    const bindings = scope.informer(informers.acquire<ClusterBinding>({ resource: resources.clusterBindings }));
    const kubeconfigs = scope.informer(informers.acquire<Secret>({ resource: resources.secrets, fieldSelector: `metadata.name=${fixedNames.providerKubeconfigSecret}` }));
    requests.addIndex(byNamespace, ({ status }) => (status?.phase === 'Succeeded' && status.namespace !== undefined ? [status.namespace] : []));
    const queue = scope.openQueue({ name, concurrency: 2, reconcile });
    // Answers are not watched, so that the right to list Secrets is not needed: each is looked at when the process starts, and when its kubeconfig changes.
    scope.onChange(kubeconfigs, ({ metadata }) => {
      for (const request of requests.byIndex(byNamespace, metadata.namespace ?? '')) queue.add(objectKey(request), { priority: 'background' });
    });
    await scope.synced();
    for (const request of requests.list()) if (request.status?.phase === 'Succeeded') queue.add(objectKey(request), { priority: 'background' });

    async function reconcile(key: string, signal: AbortSignal): Promise<Result> {
      const request = requests.get(key);
      const kubeconfig = kubeconfigOf(request);
      const asked = request?.status?.kubeconfigSecretRef;
      if (request === undefined || kubeconfig === undefined || asked === undefined) return done;
      const { namespace = '', uid: owner } = request.metadata;
      if (requestNamespaces?.includes(namespace) === false) return done;
      const answer = await getIfExists<Secret>(client, resources.secrets, { namespace, name: asked.name }, { signal });
      const isOurs = answer?.metadata.ownerReferences?.some(({ uid, controller }) => controller === true && uid === owner) === true;
      if (answer === undefined || !isOurs || !isOutdatedAnswer(answer.data?.[asked.key], kubeconfig)) return done;
      const { uid, resourceVersion } = answer.metadata;
      await client.patch(resources.secrets, { namespace, name: asked.name }, { type: 'merge', patch: { metadata: { uid, resourceVersion }, data: { [asked.key]: answerText(kubeconfig) } } }, { fieldManager, representation: 'metadata', signal });
      ctx.logger.info('The answer to a BindableResourcesRequest follows the kubeconfig of its consumer.', { key });
      return done;
    }

    /** Base64. Undefined where the consumer has none under the name of the contract. */
    function kubeconfigOf(request: BindableResourcesRequest | undefined): string | undefined {
      const namespace = request?.status?.namespace;
      const wanted = bindings.get({ namespace, name: fixedNames.clusterBinding })?.spec.kubeconfigSecretRef;
      if (wanted?.name !== fixedNames.providerKubeconfigSecret) return undefined;
      const data = kubeconfigs.get({ namespace, name: wanted.name })?.data ?? {};
      return Object.hasOwn(data, wanted.key) ? data[wanted.key] : undefined;
    }
  });
}
