import { isTerminating } from '@hawser/client';
import { createHash } from 'node:crypto';
import { canonical } from '@hawser/json';
import { type AppClusterBinding, fixedNames } from '@hawser/klutch';
import { hawserAnnotations } from '@hawser/kube-bind';
import { covers } from './covers.js';
import type { Action } from './decision.js';
import { childLabels, isChildOf, ownNames, revisionAnnotation } from './marks.js';
import type { Deployment, Observed, Settings } from './observed.js';
import { type Container, mergeContainer } from './overrides.js';
import type { Problem } from './problem.js';

export type KonnectorDecision =
  /** None is wanted, and none exists. */
  | { readonly kind: 'none'; readonly actions: readonly Action[] }
  | { readonly kind: 'problem'; readonly problem: Problem; readonly actions: readonly Action[] }
  | { readonly kind: 'deployed'; readonly actions: readonly Action[] };

const none: readonly Action[] = [];

/**
 * Decides about the konnector's Deployment (spec/klutch.md §13 step 6). Writes it when a wanted part is missing, never
 * because of additions by others.
 */
export function decideKonnector(
  { konnectorImage }: Settings,
  { binding, deployments, mirror, unreachable }: Observed,
  root: string,
): KonnectorDecision {
  const found = deployments.find(({ metadata }) => metadata.name === ownNames.deployment);
  if (binding.spec.konnector?.deploy !== true)
    return {
      kind: 'none',
      actions:
        found === undefined || isTerminating(found) || !isChildOf(found, binding)
          ? none
          : [{ type: 'delete', child: 'deployment', object: found }],
    };
  const problem = (one: Problem): KonnectorDecision => ({ kind: 'problem', problem: one, actions: none });
  const other = deployments.find((one) => one !== found && isChildOf(one, binding));
  if (other !== undefined) return problem({ kind: 'otherKonnector', name: other.metadata.name });
  const merged = mergeContainer(konnectorContainer(konnectorImage, root), binding.spec.konnector.overrides);
  if (!merged.ok) return problem({ kind: 'overridesInvalid', message: merged.problem });
  if (merged.container.image === undefined) return problem({ kind: 'imageMissing' });
  const wanted = wantedDeployment(
    binding,
    root,
    merged.container,
    mirror?.metadata.annotations?.[revisionAnnotation],
    found,
  );
  const hash = wanted.metadata.annotations?.[hawserAnnotations.wantedHash] ?? '';
  const isAsked = found?.metadata.annotations?.[hawserAnnotations.wantedHash] === hash;
  const isLost = isAsked && unreachable === `${hash}/${found.metadata.generation ?? 0}`;
  if (found !== undefined && isTerminating(found))
    return problem({
      kind: 'konnectorNotAvailable',
      detail: 'It is being deleted, and is made again once it is gone.',
    });
  if (found === undefined || (!isLost && !(isAsked && covers(found.spec, wanted.spec))))
    return {
      kind: 'problem',
      problem: { kind: 'konnectorNotAvailable', detail: undefined },
      actions: [{ type: 'deploy', object: wanted, found }],
    };
  return isAvailable(found)
    ? { kind: 'deployed', actions: none }
    : problem({ kind: 'konnectorNotAvailable', detail: failureMessage(found) });
}

/** Flags: spec/klutch.md §6. Health: spec/klutch.md §2. */
function konnectorContainer(image: string | undefined, root: string): Container {
  const field = (path: string): object => ({ fieldRef: { fieldPath: path } });
  return {
    name: 'konnector',
    ...(image === undefined ? {} : { image }),
    args: [
      '--control-plane-mode',
      `--app-cluster-kubeconfig-secret-name=${fixedNames.kubeconfigSecret}`,
      `--app-cluster-kubeconfig-secret-namespace=${root}`,
      `--app-cluster-kubeconfig-secret-key=${fixedNames.kubeconfigKey}`,
      `--binding-root-namespace=${root}`,
      `--lease-namespace=${root}`,
    ],
    env: [
      { name: 'POD_NAME', valueFrom: field('metadata.name') },
      { name: 'POD_NAMESPACE', valueFrom: field('metadata.namespace') },
    ],
    readinessProbe: { httpGet: { path: '/healthz', port: 8080 } },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  };
}

/** A selector is immutable: an existing one stays. */
function wantedDeployment(
  binding: AppClusterBinding,
  root: string,
  container: Container,
  revision: string | undefined,
  found: Deployment | undefined,
): Deployment {
  const matchLabels = found?.spec.selector.matchLabels ?? { app: ownNames.deployment, ...childLabels(binding) };
  const spec = {
    selector: { matchLabels },
    template: {
      // Klutch's konnector reads its kubeconfig only at the start: a new one needs a new pod.
      metadata: {
        labels: { ...childLabels(binding), ...matchLabels },
        ...(revision === undefined ? {} : { annotations: { [revisionAnnotation]: revision } }),
      },
      spec: { serviceAccountName: fixedNames.binder, containers: [container] },
    },
  };
  const hash = createHash('sha256').update(canonical(spec)).digest('hex').slice(0, 32);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: ownNames.deployment,
      namespace: root,
      labels: childLabels(binding),
      annotations: { [hawserAnnotations.wantedHash]: hash },
    },
    spec,
  };
}

function isAvailable({ metadata, status }: Deployment): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) && (status?.availableReplicas ?? 0) > 0;
}

function failureMessage({ status }: Deployment): string | undefined {
  const bad = status?.conditions?.find(({ type, status: value }) =>
    type === 'ReplicaFailure' ? value === 'True' : value === 'False',
  );
  return bad?.message === undefined || bad.message === '' ? undefined : `Kubernetes says: ${bad.message}`;
}
