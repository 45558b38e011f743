import { type KubeObject, isTerminating } from '@hawser/client';
import { isClusterNamespace, isServiceNamespace } from '@hawser/klutch';

/** Spec of a ResourceQuota or LimitRange, as Kubernetes has it. */
export type LimitSpec = Readonly<Record<string, unknown>>;

/** What the namespaces of each consumer are limited to. What is absent is not limited. */
export interface ConsumerLimits {
  /** In cluster namespaces: `hard: { 'count/apiserviceexportrequests.kube-bind.io': '50' }` */
  readonly clusterNamespace?: { readonly resourceQuota?: LimitSpec | undefined } | undefined;
  readonly serviceNamespace?:
    { readonly resourceQuota?: LimitSpec | undefined; readonly limitRange?: LimitSpec | undefined } | undefined;
}

export type LimitKind = 'ResourceQuota' | 'LimitRange';

/** Name of the one ResourceQuota and the one LimitRange. */
export const limitName = 'hawser';
/** Annotation on both: hash of the template that was written last. Without it the object is somebody else's, and is left alone. */
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
 * What to do for one namespace. Pure. A template that has not changed is not written again: who gives one consumer other limits, by editing the object, keeps
 * them until the template changes.
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
