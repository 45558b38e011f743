import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceExportRequestSpec,
  hawserAnnotations,
  isWithdrawn,
  requestSpecOf,
  resourceGroupName,
} from '@hawser/kube-bind';
import { claimText } from './claim-text.js';
import type { Observed } from './observed.js';
import type { Refusal } from './refusal.js';
import { type BindingWish, dialectOf, isInline } from './wish.js';
import type { BindStep } from './bind-step.js';
import { consumerRefusals } from './refusals-on-consumer.js';
import { chooseSecret } from './chosen-secret.js';
import { consumerSteps } from './consumer-steps.js';

export interface BindPlan {
  /** Name of the Secret that the binding refers to, in the namespace of the konnector. */
  readonly secret: string;
  /** The bound resources, as `databases.example.com`. */
  readonly resources: readonly string[];
  /** Empty: everything exists already. */
  readonly steps: readonly BindStep[];
  /** If there is one, hawser does nothing. */
  readonly refusals: readonly Refusal[];
  /**
   * Klutch, where the binding records consent: unanswered claims of the provider, by their `claimText`. The binding
   * needs all answers first. Undefined: the claims are unknown until the provider answers; then plan again.
   */
  readonly undecided: readonly string[] | undefined;
}

/** Plans a wish. Pure. */
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
      message: `There is no ClusterBinding in namespace "${wish.clusterNamespace}" of the provider, so it is not a consumer's.`,
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

/** Plans the connection alone: a konnector then reports to the provider before any binding exists. Pure. */
export function planConnection(wish: Omit<BindingWish, 'offer'>, observed: Observed): BindPlan {
  const plan = planBinding({ ...wish, offer: { kind: 'request', spec: { resources: [] } } }, observed);
  return { ...plan, steps: plan.steps.filter(({ kind }) => ofConnection.has(kind)) };
}

const ofConnection: ReadonlySet<BindStep['kind']> = new Set([
  'installCRDs',
  'namespace',
  'createSecret',
  'updateSecret',
]);

function undecidedClaims(
  { consents }: BindingWish,
  { export: existing, claims }: Observed,
): readonly string[] | undefined {
  return existing === undefined
    ? undefined
    : [...new Set(claims.map(claimText))].filter((claim) => consents?.has(claim) !== true);
}

/** The steps of a plan that ask the provider. */
export function stepsOnProvider({ steps }: BindPlan): readonly BindStep[] {
  return steps.filter(({ kind }) => kind === 'request' || kind === 'awaitRequest');
}

/** The spec to request. Copies a template into the request (spec/kube-bind-backend.md §7.4). */
function wantedSpec({ offer }: BindingWish, { template }: Observed): APIServiceExportRequestSpec | undefined {
  if (offer.kind === 'resources') return { resources: offer.resources };
  if (offer.kind === 'request') return offer.spec;
  return template === undefined ? undefined : requestSpecOf(template.spec);
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
  // In Klutch, an export has the name of its CRD, and one request makes it only once.
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

/** Whether a requested version does not exist. */
function lacksVersion({ resources: found }: Asked, { resources: wanted }: Asked): boolean {
  return wanted.some((resource) => {
    const there = found.find((one) => resourceGroupName(one) === resourceGroupName(resource))?.versions ?? [];
    return there.length > 0 && (resource.versions ?? []).some((version) => !there.includes(version));
  });
}

function textOf({ resources }: Asked): string {
  return resources.map((resource) => [resourceGroupName(resource), ...(resource.versions ?? [])].join('/')).join(', ');
}

/** The provider's refusal of a request. */
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

function providerSteps(
  wish: BindingWish,
  { request, export: existing }: Observed,
  wanted: APIServiceExportRequestSpec | undefined,
): readonly BindStep[] {
  const { name, clusterNamespace } = wish;
  // The provider may have cleaned up an answered request; another one would wait for ever (spec/kube-bind-backend.md
  // §10.3).
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

/**
 * The provider restores an export only for a request of exactly its contents, claims included. A wish for resources
 * names none.
 */
function sameAs(
  { spec: { resources, permissionClaims } }: APIServiceExport,
  { namespaces, schemaUpdatePolicy }: APIServiceExportRequestSpec,
): APIServiceExportRequestSpec {
  return requestSpecOf({ resources, permissionClaims, namespaces, schemaUpdatePolicy });
}

/**
 * Whether an existing export grants nothing because its request is gone: `hawser unbind` deletes it. The provider
 * admits another request like the first one, and restores the export. Only Hawser's provider records the request or
 * withdraws.
 */
function lacksRequest(
  { metadata }: Pick<APIServiceExport, 'metadata'>,
  request: APIServiceExportRequest | undefined,
): boolean {
  const recorded = metadata.annotations?.[hawserAnnotations.request];
  return recorded === undefined ? isWithdrawn(metadata) && request === undefined : request?.metadata.uid !== recorded;
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return new Set(one).size === new Set([...one, ...other]).size && new Set(other).size === new Set(one).size;
}
