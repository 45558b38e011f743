import type { JsonObject } from '@hawser/json';

/** The parts of any object that the simulation looks at. */
export interface Thing {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly terminating: boolean;
  readonly finalizers: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Value of an object of an API. */
  readonly value: number;
  readonly status: { readonly value?: number; readonly copy?: string };
}

export function thingOf(object: JsonObject): Thing {
  const { metadata, spec, status } = object as unknown as {
    readonly metadata: {
      readonly name: string;
      readonly namespace?: string;
      readonly uid: string;
      readonly deletionTimestamp?: string;
      readonly finalizers?: readonly string[];
      readonly labels?: Readonly<Record<string, string>>;
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly spec?: { readonly value?: number };
    readonly status?: Thing['status'];
  };
  const { name, namespace = '', uid, deletionTimestamp, finalizers = [], labels = {}, annotations = {} } = metadata;
  return {
    name,
    namespace,
    uid,
    terminating: deletionTimestamp !== undefined,
    finalizers,
    labels,
    annotations,
    value: spec?.value ?? 0,
    status: status ?? {},
  };
}

export const OBJECT_UID = 'core.kbind.io/consumer-object-uid';
export const CLUSTER_UID = 'core.kbind.io/consumer-cluster-uid';
/** Annotation of an object: the Connection of its copy. */
export const SERVED_BY = 'hawser.dev/connection';
export const SYNCER = 'core.kbind.io/syncer';
