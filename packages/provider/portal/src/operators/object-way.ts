import { type Condition, annotations, hawserAnnotations } from '@hawser/kube-bind';
import { toldText } from '@hawser/consumer-states';
import type { FoundCopy } from '../bindings/binding-reader.js';
import type { ToldEvents } from './object-events.js';

/** More are not shown at a time. */
export const MOST_OBJECTS = 200;

/** From an object of a consumer to its copy. */
export interface ObjectWay {
  /** `<plural>.<group>` */
  readonly resource: string;
  /** `<namespace>/<name>` in the cluster of the consumer, as its konnector has written it down; undefined: it has not. */
  readonly object: string | undefined;
  /** `<namespace>/<name>` at the provider. */
  readonly copy: string;
  /** Of the copy. */
  readonly uid: string;
  /** RFC 3339. */
  readonly made: string | undefined;
  /** Since when it is being deleted, RFC 3339. */
  readonly deleting: string | undefined;
  /** What its deletion waits for. */
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
  /** There are more than these. */
  readonly more: boolean;
}

/** What one condition of an export says, which konnector and provider keep there. */
export interface ToldCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** RFC 3339. */
  readonly since: string;
}

/** One object, with what both sides say of it, as far as the provider can know. */
export interface ObjectStory {
  readonly cluster: string;
  readonly binding: string;
  readonly way: ObjectWay;
  /** About the copy. `hidden`: the person may not list Events where it is. */
  readonly ofCopy: ToldEvents | { readonly kind: 'hidden'; readonly namespace: string };
  /** About the binding, in the cluster namespace of the consumer. */
  readonly ofBinding: ToldEvents | { readonly kind: 'hidden'; readonly namespace: string };
  /** Of the export: what konnector and provider report of the binding as a whole. */
  readonly conditions: readonly ToldCondition[];
}

/** Pure. */
export function toldConditions(conditions: readonly Condition[]): readonly ToldCondition[] {
  return conditions.map(({ type, status, reason = '', message = '', lastTransitionTime }) => ({
    type: toldText(type, 128),
    status: toldText(status, 16),
    reason: toldText(reason, 128),
    message: toldText(message),
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
    finalizers: deletionTimestamp === undefined ? [] : finalizers.map((one) => toldText(one, 128)),
  };
}

/** In the words of the consumer. */
function originOf({ name, annotations: marks = {} }: FoundCopy['object']['metadata']): string | undefined {
  const said = marks[hawserAnnotations.consumerObject]?.split('/').slice(1).join('/') ?? '';
  if (said !== '') return toldText(said, 512);
  const namespace = marks[annotations.consumerNamespace] ?? '';
  return namespace === '' ? undefined : toldText(`${namespace}/${name}`, 512);
}
