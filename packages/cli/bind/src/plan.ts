import type { KubeObject } from '@hawser/client';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceExportRequestSpec,
  type CustomResourceDefinition,
  type Dialect,
  type PermissionClaim,
  appliedKubeconfigSecretName,
  bindingOwners,
  claimId,
  claimInWords,
  fixedNames,
  hawserAnnotations,
  isOwnedByBinding,
  isWithdrawn,
  labels,
  resourceGroupName,
} from '@hawser/kube-bind';
import { claimText } from './claim-text.js';
import type { KubeconfigSecret, Observed } from './observed.js';
import type { Refusal } from './refusal.js';
import { type BindingWish, dialectOf, isInline } from './wish.js';

/** One thing to be done, in its order. Nothing else is written. */
export type BindStep =
  /** On the provider: asks for the export, and waits for the answer. */
  | { readonly kind: 'request'; readonly object: APIServiceExportRequest }
  /** On the provider: a request that is there has not been answered yet. */
  | { readonly kind: 'awaitRequest'; readonly name: string }
  /** On the consumer: the CRD of a binding that is gone is still there; the garbage collector removes it with its objects. */
  | { readonly kind: 'awaitCRDGone'; readonly name: string; readonly uid: string | undefined }
  /** On the consumer: the CRDs of the dialect. */
  | { readonly kind: 'installCRDs'; readonly dialect: Dialect['name']; readonly apiGroup: string }
  | { readonly kind: 'namespace'; readonly object: KubeObject }
  /** `object` holds a credential. */
  | { readonly kind: 'createSecret'; readonly object: KubeObject }
  | { readonly kind: 'updateSecret'; readonly namespace: string; readonly name: string; readonly patch: object }
  | {
      readonly kind: 'binding';
      readonly object: APIServiceBinding;
      /** Undefined: there are no claims, or each is answered by itself. */ readonly agreesTo?: Agreement | undefined;
    };

/** What a binding lets the provider do with objects of the consumer, by being made. */
export interface Agreement {
  /** Address of its API server, and the namespace that it has assigned. */
  readonly provider: { readonly server: string; readonly clusterNamespace: string };
  /** In words, each. */
  readonly claims: readonly string[];
}

export interface BindPlan {
  /** Of the Secret that the binding refers to, in the namespace of the konnector. */
  readonly secret: string;
  /** What is bound, as `databases.example.com`. */
  readonly resources: readonly string[];
  /** Empty: all is there already. */
  readonly steps: readonly BindStep[];
  /** If there is one, nothing is done. */
  readonly refusals: readonly Refusal[];
  /**
   * Klutch, where consent is part of the binding: claims of the provider, by their `claimText`, to which nothing was said yet. The binding is not made before. Undefined: what is claimed is known once the provider
   * has answered; then it has to be planned again.
   */
  readonly undecided: readonly string[] | undefined;
}

/** What has to be done for a wish. Pure. */
export function planBinding(wish: BindingWish, observed: Observed): BindPlan {
  const { offer, name } = wish;
  const wanted = wantedSpec(wish, observed);
  const resources = wanted?.resources.map(resourceGroupName) ?? [];
  const binding = observed.bindings.find(({ metadata }) => metadata.name === name);
  const secret = chooseSecret(wish, observed, binding);
  const refusals: Refusal[] = [];
  if (observed.clusterBinding === undefined) {
    refusals.push({
      reason: 'NotOnboarded',
      actor: 'provider',
      remedy: 'onboards the consumer and hands out a kubeconfig whose context names the namespace that was assigned',
      message: `There is no ClusterBinding in namespace "${wish.clusterNamespace}" of the provider, so it is no consumer's.`,
    });
  }
  if (wanted === undefined && offer.kind === 'template') {
    refusals.push({
      reason: 'TemplateNotFound',
      actor: 'provider',
      remedy: 'makes the template, or says what it is called',
      message: `The provider has no APIServiceExportTemplate "${offer.name}".`,
    });
  }
  refusals.push(
    ...requestRefusals(wish, observed, wanted),
    ...consumerRefusals(wish, observed, binding, secret, resources),
  );
  const steps = [...providerSteps(wish, observed, wanted), ...consumerSteps(wish, observed, binding, secret, wanted)];
  return {
    secret: secret.name,
    resources,
    refusals,
    steps,
    undecided: binding !== undefined || !isInline(wish) ? [] : undecidedClaims(wish, observed),
  };
}

function undecidedClaims(
  { consents }: BindingWish,
  { export: existing, claims }: Observed,
): readonly string[] | undefined {
  return existing === undefined
    ? undefined
    : [...new Set(claims.map(claimText))].filter((claim) => consents?.has(claim) !== true);
}

/** Those steps of a plan that ask the provider. */
export function stepsOnProvider({ steps }: BindPlan): readonly BindStep[] {
  return steps.filter(({ kind }) => kind === 'request' || kind === 'awaitRequest');
}

/** What is asked for. A template is copied into the request (spec/kube-bind-backend.md §7.4). */
function wantedSpec({ offer }: BindingWish, { template }: Observed): APIServiceExportRequestSpec | undefined {
  if (offer.kind === 'resources') return { resources: offer.resources };
  if (template === undefined) return undefined;
  const { resources, permissionClaims, namespaces, schemaUpdatePolicy } = template.spec;
  return {
    resources,
    ...(permissionClaims === undefined ? {} : { permissionClaims }),
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(schemaUpdatePolicy === undefined ? {} : { schemaUpdatePolicy }),
  };
}

function requestRefusals(
  wish: BindingWish,
  { request, export: existing }: Observed,
  wanted: APIServiceExportRequestSpec | undefined,
): readonly Refusal[] {
  if (wanted === undefined) return [];
  const { name, clusterNamespace } = wish;
  const differs = (spec: Asked): boolean =>
    !isSameSet(spec.resources.map(resourceGroupName), wanted.resources.map(resourceGroupName)) ||
    (wish.offer.kind === 'resources' && lacksVersion(spec, wanted));
  const asked = textOf(wanted);
  if (existing !== undefined && differs(existing.spec)) {
    return [
      {
        reason: 'ExportDiffers',
        actor: 'consumer',
        remedy: 'binds under another name',
        message: `APIServiceExport "${clusterNamespace}/${name}" is there and exports ${textOf(existing.spec)}, not ${asked}; what an export has cannot be changed.`,
      },
    ];
  }
  if (request === undefined || (existing !== undefined && !lacksRequest(existing, request))) return [];
  if (differs(request.spec)) {
    return [
      {
        reason: 'RequestDiffers',
        actor: 'consumer',
        remedy: 'deletes the request, or binds under another name',
        message: `APIServiceExportRequest "${clusterNamespace}/${name}" is there and asks for ${textOf(request.spec)}, not ${asked}.`,
      },
    ];
  }
  if (request.status?.phase === 'Failed')
    return [requestFailed(clusterNamespace, name, request.status.terminalMessage)];
  // In Klutch an export is named as its CRD, and nobody makes it a second time for one request.
  if (!isInline(wish) || existing !== undefined || request.status?.phase !== 'Succeeded') return [];
  return [
    {
      reason: 'RequestSpent',
      actor: 'consumer',
      remedy: 'deletes the request, and binds again',
      message: `APIServiceExportRequest "${clusterNamespace}/${name}" was answered, and the export that it got is gone. No request is answered twice.`,
    },
  ];
}

type Asked = Pick<APIServiceExportRequestSpec, 'resources'>;

/** Whether a version that somebody has named is not among those that are there. */
function lacksVersion({ resources: found }: Asked, { resources: wanted }: Asked): boolean {
  return wanted.some((resource) => {
    const there = found.find((one) => resourceGroupName(one) === resourceGroupName(resource))?.versions ?? [];
    return there.length > 0 && (resource.versions ?? []).some((version) => !there.includes(version));
  });
}

function textOf({ resources }: Asked): string {
  return resources.map((resource) => [resourceGroupName(resource), ...(resource.versions ?? [])].join('/')).join(', ');
}

/** What the provider has said no to. */
export function requestFailed(clusterNamespace: string, name: string, message: string | undefined): Refusal {
  return {
    reason: 'RequestFailed',
    actor: 'provider',
    remedy: 'removes the cause; then the request is deleted and made again',
    message:
      `The provider refused APIServiceExportRequest "${clusterNamespace}/${name}": ${message === undefined || message === '' ? 'it gives no reason' : message}.`.replace(
        /\.\.$/u,
        '.',
      ),
  };
}

function consumerRefusals(
  wish: BindingWish,
  observed: Observed,
  binding: APIServiceBinding | undefined,
  secret: ChosenSecret,
  resources: readonly string[],
): readonly Refusal[] {
  const refusals: Refusal[] = [];
  const { konnectorNamespace: namespace } = dialectOf(wish).names;
  const terminating = (object: KubeObject | undefined): boolean => object?.metadata.deletionTimestamp !== undefined;
  if (terminating(observed.namespace)) {
    refusals.push({
      reason: 'NamespaceTerminating',
      actor: 'operator',
      remedy: 'waits until it is gone',
      message: `Namespace "${namespace}" of the consumer is being deleted.`,
    });
  }
  if (terminating(binding)) {
    refusals.push({
      reason: 'BindingTerminating',
      actor: 'operator',
      remedy: 'waits until it is gone; its condition Unbound says what it waits for',
      message: `APIServiceBinding "${wish.name}" is being deleted.`,
    });
  } else {
    const ref = binding?.spec?.kubeconfigSecretRef;
    if (ref !== undefined && (ref.namespace !== namespace || ref.name !== secret.name)) {
      refusals.push({
        reason: 'BindingDiffers',
        actor: 'operator',
        remedy: 'binds under another name, or unbinds that one first',
        message: `APIServiceBinding "${wish.name}" is there and refers to Secret "${ref.namespace}/${ref.name}", which is another connection.`,
      });
    }
  }
  if (secret.found !== undefined && !reachesSame(secret.found, wish, observed)) {
    refusals.push({
      reason: 'SecretTaken',
      actor: 'operator',
      remedy: 'names another Secret',
      message: `Secret "${namespace}/${secret.name}" is there and ${secret.found.reaches === undefined ? 'holds no kubeconfig' : 'reaches another provider, or another namespace of it'}.`,
    });
  }
  for (const crd of observed.crds) {
    const refusal = crdRefusal(wish.name, dialectOf(wish).apiVersion, crd, binding, observed.bindings);
    if (refusal !== undefined && resources.includes(crd.metadata.name)) refusals.push(refusal);
  }
  return refusals;
}

/** Whether the only owners of a CRD are bindings that are gone: the garbage collector of the cluster removes it. */
function isLeftover(
  crd: CustomResourceDefinition,
  bindings: readonly APIServiceBinding[],
  apiVersion: string,
): boolean {
  const owners = bindingOwners(crd, apiVersion);
  const isGone = (uid: string): boolean => !bindings.some(({ metadata }) => metadata.uid === uid);
  return (
    owners.length > 0 &&
    owners.length === crd.metadata.ownerReferences?.length &&
    owners.every(({ uid }) => isGone(uid))
  );
}

function crdRefusal(
  name: string,
  apiVersion: string,
  crd: CustomResourceDefinition,
  binding: APIServiceBinding | undefined,
  bindings: readonly APIServiceBinding[],
): Refusal | undefined {
  if (binding !== undefined && isOwnedByBinding(crd, binding)) return undefined;
  if (isLeftover(crd, bindings, apiVersion)) return undefined;
  const owner = bindings.find((one) => isOwnedByBinding(crd, one));
  if (owner !== undefined) {
    return {
      reason: 'ResourceBound',
      actor: 'operator',
      remedy: `uses that one, or unbinds it first`,
      message: `${crd.metadata.name} is bound on the consumer already, by APIServiceBinding "${owner.metadata.name}".`,
    };
  }
  return {
    reason: 'ForeignCRD',
    actor: 'operator',
    remedy: 'removes it together with its objects, or does not bind this API',
    message: `CRD "${crd.metadata.name}" is there on the consumer and belongs to no APIServiceBinding: binding "${name}" would not get it.`,
  };
}

interface ChosenSecret {
  readonly name: string;
  readonly found: KubeconfigSecret | undefined;
}

/** The one that is named; else that of the binding; else one that reaches the same (spec/kube-bind-cli-and-charts.md §6.1); else a new one. */
function chooseSecret(wish: BindingWish, observed: Observed, binding: APIServiceBinding | undefined): ChosenSecret {
  const bound = binding?.spec?.kubeconfigSecretRef;
  const named =
    wish.secretName ?? (bound?.namespace === dialectOf(wish).names.konnectorNamespace ? bound.name : undefined);
  const alike = observed.secrets.filter((secret) => reachesSame(secret, wish, observed));
  const name =
    named ??
    (alike.find(({ isSame }) => isSame) ?? alike[0])?.name ??
    appliedKubeconfigSecretName(isInline(wish) ? wish.clusterNamespace : wish.name);
  return { name, found: observed.secrets.find((secret) => secret.name === name) };
}

function reachesSame({ reaches }: KubeconfigSecret, { clusterNamespace }: BindingWish, { server }: Observed): boolean {
  return reaches !== undefined && reaches.clusterNamespace === clusterNamespace && reaches.server === server;
}

function providerSteps(
  wish: BindingWish,
  { request, export: existing }: Observed,
  wanted: APIServiceExportRequestSpec | undefined,
): readonly BindStep[] {
  const { name, clusterNamespace } = wish;
  // A request that has been answered may have been cleaned up; one more would wait for ever (spec/kube-bind-backend.md §10.3).
  if (
    wanted === undefined ||
    (existing !== undefined && !lacksRequest(existing, request)) ||
    request?.status?.phase === 'Succeeded'
  )
    return [];
  if (request !== undefined) return [{ kind: 'awaitRequest', name }];
  return [
    {
      kind: 'request',
      object: {
        apiVersion: dialectOf(wish).apiVersion,
        kind: 'APIServiceExportRequest',
        metadata: { name, namespace: clusterNamespace },
        spec: existing === undefined ? wanted : sameAs(existing, wanted),
      },
    },
  ];
}

/** The provider restores an export only for a request of exactly what it has, claims included: a wish for resources names none. */
function sameAs(
  { spec: { resources, permissionClaims } }: APIServiceExport,
  { namespaces, schemaUpdatePolicy }: APIServiceExportRequestSpec,
): APIServiceExportRequestSpec {
  return {
    resources,
    ...(permissionClaims === undefined ? {} : { permissionClaims }),
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(schemaUpdatePolicy === undefined ? {} : { schemaUpdatePolicy }),
  };
}

/**
 * Whether an export that is there grants nothing, since the request that it was made for is gone: `hawser unbind` takes it back. Another request is
 * admitted as the first one was, and restores the export. Only Hawser's provider records the request or withdraws.
 */
function lacksRequest(
  { metadata }: Pick<APIServiceExport, 'metadata'>,
  request: APIServiceExportRequest | undefined,
): boolean {
  const recorded = metadata.annotations?.[hawserAnnotations.request];
  return recorded === undefined ? isWithdrawn(metadata) && request === undefined : request?.metadata.uid !== recorded;
}

function consumerSteps(
  wish: BindingWish,
  observed: Observed,
  binding: APIServiceBinding | undefined,
  { name: secret, found }: ChosenSecret,
  wanted: APIServiceExportRequestSpec | undefined,
): readonly BindStep[] {
  const steps: BindStep[] = [];
  const {
    name: dialect,
    apiGroup,
    apiVersion,
    names: { konnectorNamespace: namespace },
  } = dialectOf(wish);
  if (!observed.isServed) steps.push({ kind: 'installCRDs', dialect, apiGroup });
  if (observed.namespace === undefined)
    steps.push({ kind: 'namespace', object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } } });
  const data = { [fixedNames.kubeconfigKey]: Buffer.from(wish.kubeconfig).toString('base64') };
  const marked = isInline(wish) ? {} : { labels: { [labels.providerKubeconfig]: 'true' } };
  const lacksLabel = !isInline(wish) && found?.isLabelled === false;
  if (found === undefined) {
    const object = {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'Opaque',
      metadata: { name: secret, namespace, ...marked },
      data,
    };
    steps.push({ kind: 'createSecret', object });
  } else if (!found.isSame || lacksLabel) {
    const patch = {
      metadata: { uid: found.uid, resourceVersion: found.resourceVersion, ...(lacksLabel ? marked : {}) },
      ...(found.isSame ? {} : { data }),
    };
    steps.push({ kind: 'updateSecret', namespace, name: secret, patch });
  }
  for (const crd of observed.crds) {
    if (isLeftover(crd, observed.bindings, apiVersion))
      steps.push({ kind: 'awaitCRDGone', name: crd.metadata.name, uid: crd.metadata.uid });
  }
  if (binding === undefined) {
    const spec = {
      kubeconfigSecretRef: { namespace, name: secret, key: fixedNames.kubeconfigKey },
      ...answeredClaims(wish, observed),
    };
    const claims = isInline(wish) ? [] : claimsToAgreeTo(observed, wanted);
    const object: APIServiceBinding = {
      apiVersion,
      kind: 'APIServiceBinding',
      metadata: {
        name: wish.name,
        ...(isInline(wish)
          ? {}
          : { annotations: { [hawserAnnotations.acceptedClaims]: claims.map(claimId).join(',') } }),
      },
      spec,
    };
    steps.push({
      kind: 'binding',
      object,
      ...(claims.length === 0
        ? {}
        : {
            agreesTo: {
              provider: { server: observed.server, clusterNamespace: wish.clusterNamespace },
              claims: claims.map(claimInWords),
            },
          }),
    });
  }
  return steps;
}

/** Binding agrees to the claims that are asked for, or that the export has by now, and to none that the provider makes of them meanwhile. */
function claimsToAgreeTo(
  { export: existing }: Observed,
  wanted: APIServiceExportRequestSpec | undefined,
): readonly PermissionClaim[] {
  return (existing?.spec ?? wanted)?.permissionClaims ?? [];
}

/** As a binding of Klutch has them: each claim, with the answer to it. */
function answeredClaims({ consents }: BindingWish, { claims }: Observed): object {
  const answered = claims.flatMap((claim) => {
    const state = consents?.get(claimText(claim));
    return state === undefined ? [] : [{ ...claim, state }];
  });
  return answered.length === 0 ? {} : { permissionClaims: answered };
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return new Set(one).size === new Set([...one, ...other]).size && new Set(other).size === new Set(one).size;
}
