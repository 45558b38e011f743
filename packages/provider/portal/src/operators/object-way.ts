import { type Condition, annotations, hawserAnnotations } from '@hawser/kube-bind';
import { sanitizeText } from '@hawser/consumer-states';
import type { FoundCopy } from '../bindings/binding-reader.js';
import type { ShownEvents } from './object-events.js';

/** Maximum number shown at a time. */
export const MOST_OBJECTS = 200;

/** A consumer's object and its copy. */
export interface ObjectWay {
  /** `<plural>.<group>` */
  readonly resource: string;
  /** `<namespace>/<name>` in the consumer's cluster, as recorded by its konnector; undefined: not recorded. */
  readonly object: string | undefined;
  /** `<namespace>/<name>` at the provider. */
  readonly copy: string;
  /** uid of the copy. */
  readonly uid: string;
  /** RFC 3339. */
  readonly made: string | undefined;
  /** Start of its deletion, RFC 3339. */
  readonly deleting: string | undefined;
  /** Finalizers that its deletion waits for. */
  readonly finalizers: readonly string[];
}

/** The objects of a binding. */
export interface BindingObjects {
  readonly cluster: string;
  readonly binding: string;
  /** Resources that the person may not list. */
  readonly hidden: readonly string[];
  /** Undefined: they could not be read. */
  readonly objects: readonly ObjectWay[] | undefined;
  /** More objects exist than these. */
  readonly more: boolean;
}

/** A condition of an export, kept by konnector and provider. */
export interface ShownCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** RFC 3339. */
  readonly since: string;
}

/** One object, with the reports of both sides, as far as the provider knows them. */
export interface ObjectStory {
  readonly cluster: string;
  readonly binding: string;
  readonly way: ObjectWay;
  /** About the copy. `hidden`: the person may not list Events in its namespace. */
  readonly ofCopy: ShownEvents | { readonly kind: 'hidden'; readonly namespace: string };
  /** About the binding, in the consumer's cluster namespace. */
  readonly ofBinding: ShownEvents | { readonly kind: 'hidden'; readonly namespace: string };
  /** Of the export: reports of konnector and provider on the whole binding. */
  readonly conditions: readonly ShownCondition[];
}

/** Pure. */
export function shownConditions(conditions: readonly Condition[]): readonly ShownCondition[] {
  return conditions.map(({ type, status, reason = '', message = '', lastTransitionTime }) => ({
    type: sanitizeText(type, 128),
    status: sanitizeText(status, 16),
    reason: sanitizeText(reason, 128),
    message: sanitizeText(message),
    since: lastTransitionTime,
  }));
}

/** Pure. */
export function objectWay({ resource, object: { metadata } }: FoundCopy): ObjectWay {
  const { namespace, name, uid = '', creationTimestamp, deletionTimestamp, finalizers = [] } = metadata;
  return {
    resource,
    object: originOf(metadata),
    copy: namespace === undefined ? name : `${namespace}/${name}`,
    uid,
    made: creationTimestamp,
    deleting: deletionTimestamp,
    finalizers: deletionTimestamp === undefined ? [] : finalizers.map((one) => sanitizeText(one, 128)),
  };
}

/** The consumer's own name of the object. */
function originOf({ name, annotations: marks = {} }: FoundCopy['object']['metadata']): string | undefined {
  const recorded = marks[hawserAnnotations.consumerObject]?.split('/').slice(1).join('/') ?? '';
  if (recorded !== '') return sanitizeText(recorded, 512);
  const namespace = marks[annotations.consumerNamespace] ?? '';
  return namespace === '' ? undefined : sanitizeText(`${namespace}/${name}`, 512);
}
