import { type ApiError, type KubeObject, getIfExists, isRefusal, objectKey } from '@hawser/client';
import { type Controller, ControllerError, createController, done, type Result } from '@hawser/controller';
import { type APIServiceExportTemplate, type BindableResourcesRequest, type ClusterBinding, clusterNamespaceName, consumerIdentityOf, fixedNames, resources, type Secret } from '@hawser/kube-bind';
import { type ActRequestOptions, actRequest, writeOutcome } from './act-request.js';
import { clusterNamespaceOf, decideRequest, identityOf, longestIdentity } from './decide-request.js';
import type { ObservedRequest, OnboardingSettings } from './observed-request.js';
import type { RequestOutcome } from './request-decision.js';
import { isFinished, withOutcome } from './request-outcome.js';

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

const name = 'onboarding';
/** Namespace, ClusterBinding, answer, status; more only if somebody else is writing too. */
const maxRounds = 8;
/** When to look again at a Secret that is in the way: nothing tells when it goes. */
const secretCheckMs = 30_000;

/**
 * Answers each BindableResourcesRequest: a cluster namespace and a ClusterBinding for the consumer, and its kubeconfig in a Secret beside the request
 * (spec/kube-bind-backend.md §6, §10.7). The kubeconfig itself and the rights are other controllers' work, which this one waits for.
 */
export function createOnboardingController(options: OnboardingOptions): Controller<'provider'> {
  const { namespacePrefix, prettyName, requestNamespaces, isOtherConsumers } = options;
  if (prettyName === '') throw new RangeError('prettyName must not be empty');
  const settings: OnboardingSettings = { namespacePrefix, prettyName, requestNamespaces, isOtherConsumers };
  // Informers are shared, and what these indexes say depends on nothing else.
  const byIdentity = `${name}/identity`;
  const byContractName = `${name}/contract-name/${namespacePrefix}`;

  return createController<'provider'>(name, async (ctx, scope) => {
    const { clock, random, logger } = ctx;
    const { client, informers } = ctx.clusters.provider;
    const requests = scope.informer(informers.acquire<BindableResourcesRequest>({ resource: resources.bindableResourcesRequests }));
    const templates = scope.informer(informers.acquire<APIServiceExportTemplate>({ resource: resources.apiServiceExportTemplates }));
    const namespaces = scope.informer(informers.acquire<KubeObject>({ resource: resources.namespaces, projection: 'metadata' }));
    const bindings = scope.informer(informers.acquire<ClusterBinding>({ resource: resources.clusterBindings }));
    const roleBindings = scope.informer(informers.acquire<KubeObject>({ resource: resources.roleBindings, fieldSelector: `metadata.name=${fixedNames.binder}` }));
    const kubeconfigs = scope.informer(informers.acquire<Secret>({ resource: resources.secrets, fieldSelector: `metadata.name=${fixedNames.providerKubeconfigSecret}` }));
    requests.addIndex(byIdentity, (request) => [identityOf(request)]);
    requests.addIndex(byContractName, (request) => (identityOf(request).length > longestIdentity ? [] : [clusterNamespaceName(namespacePrefix, identityOf(request))]));
    namespaces.addIndex(byIdentity, (namespace) => [consumerIdentityOf(namespace) ?? []].flat());
    const actOptions: ActRequestOptions = { client, clock, random, requests, namespaces, bindings };
    const queue = scope.openQueue({ name, concurrency: options.concurrency ?? 4, reconcile });

    const wake = (request: BindableResourcesRequest): void => { if (!isFinished(request)) queue.add(objectKey(request), { resetBackoff: true }); };
    const namespaceChanged = (namespace: KubeObject): void => {
      const identity = consumerIdentityOf(namespace);
      for (const request of requests.byIndex(byContractName, namespace.metadata.name)) wake(request);
      for (const request of identity === undefined ? [] : requests.byIndex(byIdentity, identity)) wake(request);
      for (const request of requests.list(namespace.metadata.name)) wake(request);
    };
    const contentChanged = ({ metadata }: KubeObject): void => {
      const identity = consumerIdentityOf(namespaces.get(metadata.namespace ?? '') ?? nothing);
      for (const request of identity === undefined ? [] : requests.byIndex(byIdentity, identity)) wake(request);
    };
    scope.own(requests.addHandler({
      onAdd: (request) => { queue.add(objectKey(request)); },
      // What we ourselves write into the status is no reason to try sooner.
      onUpdate: (before, after) => { queue.add(objectKey(after), { resetBackoff: before.metadata.generation !== after.metadata.generation }); },
      onDelete: (request) => { queue.add(objectKey(request)); },
    }));
    scope.own(namespaces.addHandler({
      onAdd: namespaceChanged,
      onUpdate(before, after) {
        namespaceChanged(before);
        namespaceChanged(after);
      },
      onDelete: namespaceChanged,
    }));
    for (const informer of [bindings, roleBindings, kubeconfigs]) scope.onChange<KubeObject>(informer, contentChanged);
    scope.onChange(templates, ({ metadata }) => { for (const request of requests.list()) if (request.spec.templateRef?.name === metadata.name) wake(request); });
    await scope.synced();

    async function reconcile(key: string, signal: AbortSignal): Promise<Result> {
      for (let round = 1; round <= maxRounds; round++) {
        try {
          const observed = await observe(key, signal);
          const { action, at } = decideRequest(settings, observed, clock.now());
          if (action === undefined) return at === undefined ? done : { kind: 'requeue', afterMs: Math.max(0, at - clock.now()) + 1, priority: 'background' };
          const outcome = await actRequest(actOptions, action, signal);
          logger.info('A BindableResourcesRequest was worked on.', { key, action: action.type });
          if (outcome !== undefined && observed.request !== undefined) {
            await writeOutcome(actOptions, observed.request, outcome, signal);
            if (outcome.kind === 'problem') return { kind: 'requeue', afterMs: secretCheckMs, priority: 'background' };
          }
        } catch (error) {
          if (isRefusal(error)) await tellRefusal(key, error, signal);
          throw error;
        }
      }
      throw new ControllerError('NotSettled', name);
    }

    async function tellRefusal(key: string, error: ApiError, signal: AbortSignal): Promise<void> {
      const request = requests.get(key);
      if (request === undefined) return;
      const outcome: RequestOutcome = { kind: 'problem', problem: { kind: 'refused', message: error.message } };
      if (withOutcome(request, outcome, clock.now()) === request.status) return;
      await writeOutcome(actOptions, request, outcome, signal);
    }

    async function observe(key: string, signal: AbortSignal): Promise<ObservedRequest> {
      const request = requests.get(key);
      if (request === undefined) return { request, home: undefined, hasTemplate: false, named: undefined, claiming: [], hasRights: false, kubeconfig: undefined, siblings: [] };
      const identity = identityOf(request);
      const { namespace = '' } = request.metadata;
      const claiming = (identity === '' ? [] : namespaces.byIndex(byIdentity, identity)).map((one) => ({ namespace: one, binding: bindings.get({ namespace: one.metadata.name, name: fixedNames.clusterBinding }) }));
      const cluster = clusterNamespaceOf(settings, identity, claiming);
      const home = cluster?.namespace.metadata.name ?? '';
      return {
        request,
        home: namespaces.get(namespace),
        hasTemplate: request.spec.templateRef !== undefined && templates.get(request.spec.templateRef.name) !== undefined,
        named: namespaces.get(clusterNamespaceName(namespacePrefix, identity)),
        claiming,
        hasRights: roleBindings.get({ namespace: home, name: fixedNames.binder }) !== undefined,
        kubeconfig: cluster?.binding === undefined || isFinished(request) ? undefined : await kubeconfigOf(cluster.binding, signal),
        siblings: requests.list(namespace).filter((one) => one !== request),
      };
    }

    async function kubeconfigOf(binding: ClusterBinding, signal: AbortSignal): Promise<Secret | undefined> {
      const key = { namespace: binding.metadata.namespace, name: binding.spec.kubeconfigSecretRef.name };
      if (key.name === fixedNames.providerKubeconfigSecret) return kubeconfigs.get(key);
      return getIfExists<Secret>(client, resources.secrets, key, { signal });
    }
  });
}

const nothing: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: '' } };
