import {
  type APIServiceBinding,
  type APIServiceExportRequestSpec,
  type PermissionClaim,
  boundRole,
  claimId,
  claimInWords,
  consentRecordOf,
  fixedNames,
  hawserAnnotations,
  labels,
} from '@hawser/kube-bind';
import type { BindStep } from './bind-step.js';
import type { ChosenSecret } from './chosen-secret.js';
import { claimText } from './claim-text.js';
import { withWanted } from './konnector-role.js';
import type { Observed } from './observed.js';
import { isLeftover } from './refusals-on-consumer.js';
import { type BindingWish, dialectOf, isInline } from './wish.js';

/** The steps on the consumer, in order. */
export function consumerSteps(
  wish: BindingWish,
  observed: Observed,
  binding: APIServiceBinding | undefined,
  secret: ChosenSecret,
  wanted: APIServiceExportRequestSpec | undefined,
): readonly BindStep[] {
  const {
    name: dialect,
    apiGroup,
    apiVersion,
    names: { konnectorNamespace: namespace },
  } = dialectOf(wish);
  return [
    ...(observed.isServed ? [] : [{ kind: 'installCRDs' as const, dialect, apiGroup }]),
    ...(observed.namespace === undefined
      ? [
          {
            kind: 'namespace' as const,
            object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
          },
        ]
      : []),
    ...secretSteps(wish, namespace, secret),
    ...observed.crds
      .filter((crd) => isLeftover(crd, observed.bindings, apiVersion))
      .map(({ metadata: { name, uid } }) => ({ kind: 'awaitCRDGone' as const, name, uid })),
    ...roleSteps(wish, observed, binding, wanted),
    ...(binding === undefined ? [bindingStep(wish, observed, namespace, secret.name, wanted)] : []),
  ];
}

/** Stores the kubeconfig in a new Secret, or updates the existing one if it differs. */
function secretSteps(wish: BindingWish, namespace: string, { name: secret, found }: ChosenSecret): readonly BindStep[] {
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
    return [{ kind: 'createSecret', object }];
  }
  if (found.isSame && !lacksLabel) return [];
  const patch = {
    metadata: { uid: found.uid, resourceVersion: found.resourceVersion, ...(lacksLabel ? marked : {}) },
    ...(found.isSame ? {} : { data }),
  };
  return [{ kind: 'updateSecret', namespace, name: secret, patch }];
}

/** Keeps what was granted for an existing binding. */
function roleSteps(
  wish: BindingWish,
  observed: Observed,
  binding: APIServiceBinding | undefined,
  wanted: APIServiceExportRequestSpec | undefined,
): readonly BindStep[] {
  const found = observed.konnectorRole;
  const asked = observed.export?.spec ?? wanted;
  if (found === 'unknown' || asked === undefined) return [];
  const accepted = claimsToAgreeTo(wish, observed, wanted).map(claimId).filter(agreedBy(binding));
  const role = boundRole(wish.name, asked, accepted);
  const object = found === undefined ? role : withWanted(found, role);
  return object === undefined ? [] : [{ kind: 'grantKonnector', object, found }];
}

/** The claims that an existing binding agrees to. A binding that a Go program made does not record them. */
function agreedBy(binding: APIServiceBinding | undefined): (id: string) => boolean {
  const named = binding?.metadata.annotations?.[hawserAnnotations.acceptedClaims];
  const record = binding === undefined ? undefined : consentRecordOf(binding);
  if (named === undefined && record === undefined) return () => true;
  const ids = new Set(named?.split(',').map((id) => id.trim()));
  return (id) => ids.has(id) || record?.has(id) === true;
}

function bindingStep(
  wish: BindingWish,
  observed: Observed,
  namespace: string,
  secret: string,
  wanted: APIServiceExportRequestSpec | undefined,
): BindStep {
  const claims = isInline(wish) ? [] : claimsToAgreeTo(wish, observed, wanted);
  const object: APIServiceBinding = {
    apiVersion: dialectOf(wish).apiVersion,
    kind: 'APIServiceBinding',
    metadata: {
      name: wish.name,
      ...(isInline(wish) ? {} : { annotations: { [hawserAnnotations.acceptedClaims]: claims.map(claimId).join(',') } }),
    },
    spec: {
      kubeconfigSecretRef: { namespace, name: secret, key: fixedNames.kubeconfigKey },
      ...answeredClaims(wish, observed),
    },
  };
  if (claims.length === 0) return { kind: 'binding', object };
  return {
    kind: 'binding',
    object,
    agreesTo: {
      provider: { server: observed.server, clusterNamespace: wish.clusterNamespace },
      claims: claims.map(claimInWords),
    },
  };
}

/**
 * The binding agrees to the requested claims, or to those that the export has by now. It never agrees to claims that
 * the provider adds meanwhile.
 */
function claimsToAgreeTo(
  { acceptedClaims }: BindingWish,
  { export: existing }: Observed,
  wanted: APIServiceExportRequestSpec | undefined,
): readonly PermissionClaim[] {
  const claims = (existing?.spec ?? wanted)?.permissionClaims ?? [];
  return acceptedClaims === undefined ? claims : claims.filter((claim) => acceptedClaims.includes(claimId(claim)));
}

/** The form of a Klutch binding: each claim with its answer. */
function answeredClaims({ consents }: BindingWish, { claims }: Observed): object {
  const answered = claims.flatMap((claim) => {
    const state = consents?.get(claimText(claim));
    return state === undefined ? [] : [{ ...claim, state }];
  });
  return answered.length === 0 ? {} : { permissionClaims: answered };
}
