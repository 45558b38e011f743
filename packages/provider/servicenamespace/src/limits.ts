import { type KubeObject, isTerminating } from '@hawser/client';
import { isClusterNamespace, isServiceNamespace } from '@hawser/klutch';

/** Spec of a Kubernetes ResourceQuota or LimitRange. */
export type LimitSpec = Readonly<Record<string, unknown>>;

/** Limits for the namespaces of each consumer. Absent: unlimited. */
export interface ConsumerLimits {
  /** In cluster namespaces: `hard: { 'count/apiserviceexportrequests.kube-bind.io': '50' }` */
  readonly clusterNamespace?: { readonly resourceQuota?: LimitSpec | undefined } | undefined;
  readonly serviceNamespace?:
    { readonly resourceQuota?: LimitSpec | undefined; readonly limitRange?: LimitSpec | undefined } | undefined;
}

export type LimitKind = 'ResourceQuota' | 'LimitRange';

/** Name of the ResourceQuota and the LimitRange. */
export const limitName = 'hawser';
/** Annotation on both: hash of the last written template. An object without it is foreign, and stays unchanged. */
export const templateHashAnnotation = 'hawser.dev/template-hash';

export interface LimitTemplate {
  readonly spec: LimitSpec;
  readonly hash: string;
}

export type LimitTemplates = Readonly<
  Record<'clusterNamespace' | 'serviceNamespace', Readonly<Partial<Record<LimitKind, LimitTemplate>>>>
>;

/** One step. Closed. */
export type LimitAction =
  | { readonly type: 'create'; readonly kind: LimitKind; readonly template: LimitTemplate }
  | {
      readonly type: 'update';
      readonly existing: KubeObject;
      readonly kind: LimitKind;
      readonly template: LimitTemplate;
    };

/**
 * Decides about one namespace. Pure. An unchanged template is not written again: limits edited for one consumer stay
 * until the template changes.
 */
export function decideLimits(
  templates: LimitTemplates,
  namespace: KubeObject | undefined,
  existing: Readonly<Partial<Record<LimitKind, KubeObject | undefined>>>,
): readonly LimitAction[] {
  if (namespace === undefined || isTerminating(namespace)) return [];
  const wanted = templatesFor(templates, namespace);
  const kinds: readonly LimitKind[] = ['ResourceQuota', 'LimitRange'];
  return kinds.flatMap((kind): readonly LimitAction[] => {
    const template = wanted[kind];
    if (template === undefined) return [];
    const found = existing[kind];
    if (found === undefined) return [{ type: 'create', kind, template }];
    const hash = found.metadata.annotations?.[templateHashAnnotation];
    return hash === undefined || hash === template.hash || isTerminating(found)
      ? []
      : [{ type: 'update', existing: found, kind, template }];
  });
}

function templatesFor(templates: LimitTemplates, namespace: KubeObject): LimitTemplates['serviceNamespace'] {
  if (isClusterNamespace(namespace)) return templates.clusterNamespace;
  return isServiceNamespace(namespace) ? templates.serviceNamespace : {};
}
