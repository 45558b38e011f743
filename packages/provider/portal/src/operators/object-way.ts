import { annotations, hawserAnnotations } from '@hawser/kube-bind';
import type { FoundCopy } from '../bindings/binding-reader.js';
import { toldText } from '../bindings/told-text.js';

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

/** Pure. */
export function objectWay({ resource, object: { metadata } }: FoundCopy): ObjectWay {
  const { namespace, name, creationTimestamp, deletionTimestamp, finalizers = [] } = metadata;
  return {
    resource,
    object: originOf(metadata),
    copy: namespace === undefined ? name : `${namespace}/${name}`,
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
