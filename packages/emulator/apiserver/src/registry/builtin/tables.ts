import { type PrintedTable, ageOf } from '@hawser/table';
import type { JsonObject } from '@hawser/json';
import { at, numberField, objectField, objectsField, stringField } from '../../object/json.js';
import { metaOf } from '../../object/meta.js';
import { ageColumn, column, nameColumn } from '../table.js';

const name = (object: JsonObject): string => metaOf(object).name ?? '';
const age = (object: JsonObject, nowMs: number): string => ageOf(metaOf(object).creationTimestamp, nowMs);
const keysOf = (object: JsonObject, key: string): number => Object.keys(objectField(object, key) ?? {}).length;
const text = (object: JsonObject, ...path: readonly string[]): string => {
  const value = at(object, ...path);
  return typeof value === 'string' ? value : '';
};

export const namespaceTable: PrintedTable = {
  columns: [nameColumn, column('Status', { description: 'The status of the namespace' }), ageColumn],
  cells: (object, nowMs) => [name(object), text(object, 'status', 'phase'), age(object, nowMs)],
};

export const secretTable: PrintedTable = {
  columns: [
    nameColumn,
    column('Type', {
      description:
        'Used to facilitate programmatic handling of secret data. More info: https://kubernetes.io/docs/concepts/configuration/secret/#secret-types',
    }),
    column('Data', {
      description:
        "Data contains the secret data. Each key must consist of alphanumeric characters, '-', '_' or '.'. The serialized form of the secret data is a base64 encoded string, representing the arbitrary (possibly non-string) data value here. Described in https://tools.ietf.org/html/rfc4648#section-4",
    }),
    ageColumn,
  ],
  cells: (object, nowMs) => [name(object), text(object, 'type'), keysOf(object, 'data'), age(object, nowMs)],
};

export const configMapTable: PrintedTable = {
  columns: [
    nameColumn,
    column('Data', {
      description:
        "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process.",
    }),
    ageColumn,
  ],
  cells: (object, nowMs) => [name(object), keysOf(object, 'data') + keysOf(object, 'binaryData'), age(object, nowMs)],
};

export const serviceAccountTable: PrintedTable = {
  columns: [nameColumn, ageColumn],
  cells: (object, nowMs) => [name(object), age(object, nowMs)],
};

export const leaseTable: PrintedTable = {
  columns: [
    nameColumn,
    column('Holder', {
      description:
        'holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader Election is used, the holder identity must be equal to the elected LeaseCandidate.metadata.name field.',
    }),
    ageColumn,
  ],
  cells: (object, nowMs) => [name(object), text(object, 'spec', 'holderIdentity'), age(object, nowMs)],
};

/** Bindings show their subjects in wide columns. */
export function bindingTable(kind: 'roleBinding' | 'clusterRoleBinding', roleDescription: string): PrintedTable {
  const wide = (title: string): ReturnType<typeof column> =>
    column(title, { priority: 1, description: `${title} in the ${kind}` });
  return {
    columns: [
      nameColumn,
      column('Role', { description: roleDescription }),
      ageColumn,
      wide('Users'),
      wide('Groups'),
      wide('ServiceAccounts'),
    ],
    cells: (object, nowMs) => [
      name(object),
      `${text(object, 'roleRef', 'kind')}/${text(object, 'roleRef', 'name')}`,
      age(object, nowMs),
      subjects(object, 'User'),
      subjects(object, 'Group'),
      subjects(object, 'ServiceAccount'),
    ],
  };
}

function subjects(object: JsonObject, kind: string): string {
  const named = objectsField(object, 'subjects').filter((subject) => subject['kind'] === kind);
  return named
    .map((subject) =>
      kind === 'ServiceAccount'
        ? `${stringField(subject, 'namespace')}/${stringField(subject, 'name')}`
        : stringField(subject, 'name'),
    )
    .join(', ');
}

const SEEN_DESCRIPTIONS = {
  last: 'The time at which the most recent occurrence of this event was recorded.',
  type: 'Type of this event (Normal, Warning), new types could be added in the future',
  reason:
    "This should be a short, machine understandable string that gives the reason for the transition into the object's current status.",
  object: 'The object that this event is about.',
  source: 'The component reporting this event. Should be a short machine understandable string.',
  message: 'A human-readable description of the status of this operation.',
  first: 'The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)',
  count: 'The number of times this event has occurred.',
  subobject:
    'If referring to a piece of an object instead of an entire object, this string should contain a valid JSON/Go field access statement, such as desiredState.manifest.containers[2]. For example, if the object reference is to a container within a pod, this would take on a value like: "spec.containers{name}" (where "name" refers to the name of the container that triggered the event) or if no container name is specified "spec.containers[2]" (container with index 2 in this pod). This syntax is chosen only to have some well-defined way of referencing a part of an object.',
} as const;

/** For core Events; events.k8s.io ones look the same. */
export const eventTable: PrintedTable = {
  columns: [
    column('Last Seen', { description: SEEN_DESCRIPTIONS.last }),
    column('Type', { description: SEEN_DESCRIPTIONS.type }),
    column('Reason', { description: SEEN_DESCRIPTIONS.reason }),
    column('Object', { description: SEEN_DESCRIPTIONS.object }),
    column('Subobject', { priority: 1, description: SEEN_DESCRIPTIONS.subobject }),
    column('Source', { priority: 1, description: SEEN_DESCRIPTIONS.source }),
    column('Message', { description: SEEN_DESCRIPTIONS.message }),
    column('First Seen', { priority: 1, description: SEEN_DESCRIPTIONS.first }),
    column('Count', { priority: 1, description: SEEN_DESCRIPTIONS.count }),
    { ...nameColumn, priority: 1 },
  ],
  cells(event, nowMs) {
    const first = ageOf(
      text(event, 'firstTimestamp') === '' ? text(event, 'eventTime') : text(event, 'firstTimestamp'),
      nowMs,
    );
    const series = objectField(event, 'series');
    const lastSeen =
      series !== undefined
        ? ageOf(stringField(series, 'lastObservedTime'), nowMs)
        : text(event, 'lastTimestamp') === ''
          ? first
          : ageOf(text(event, 'lastTimestamp'), nowMs);
    const own = numberField(event, 'count') ?? 0;
    const count = series === undefined ? (own === 0 ? 1 : own) : (numberField(series, 'count') ?? 0);
    const kind = text(event, 'involvedObject', 'kind').toLowerCase();
    const target = text(event, 'involvedObject', 'name');
    const component =
      text(event, 'source', 'component') === ''
        ? text(event, 'reportingComponent')
        : text(event, 'source', 'component');
    const instance =
      text(event, 'source', 'host') === '' ? text(event, 'reportingInstance') : text(event, 'source', 'host');
    return [
      lastSeen,
      text(event, 'type'),
      text(event, 'reason'),
      target === '' ? kind : `${kind}/${target}`,
      text(event, 'involvedObject', 'fieldPath'),
      instance === '' ? component : `${component}, ${instance}`,
      text(event, 'message').trim(),
      first,
      count,
      name(event),
    ];
  },
};
