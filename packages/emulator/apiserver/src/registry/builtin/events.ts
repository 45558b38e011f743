import type { JsonObject, JsonValue } from '@hawser/json';
import { equal } from '@hawser/json';
import type { FieldError } from '@hawser/schema';
import { invalid, required } from '../../object/invalid.js';
import { byteLength, field, numberField, objectField, stringField } from '../../object/json.js';
import { metaOf } from '../../object/meta.js';
import { dns1123Subdomain, nameIsSubdomain, qualifiedName } from '../../object/names.js';
import { validateMeta, validateMetaUpdate } from '../../object/validate-meta.js';
import type { Strategy } from '../resource-type.js';

/** Fields with different names in the two groups: [core/v1, events.k8s.io/v1]. */
const RENAMED: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

function renamed(object: JsonObject, apiVersion: string, from: 0 | 1): JsonObject {
  const to = from === 0 ? 1 : 0;
  const names = new Map(RENAMED.map((pair) => [pair[from], pair[to]]));
  return Object.fromEntries(
    Object.entries({ ...object, apiVersion }).map(([key, value]) => [names.get(key) ?? key, value]),
  );
}

/** A core Event in its events.k8s.io form. */
export function toEventsGroup(event: JsonObject): JsonObject {
  const result: Record<string, JsonValue | undefined> = { ...renamed(event, 'events.k8s.io/v1', 0) };
  if (result['reportingController'] === '') Reflect.deleteProperty(result, 'reportingController');
  if (result['reportingInstance'] === '') Reflect.deleteProperty(result, 'reportingInstance');
  return result;
}

export function fromEventsGroup(event: JsonObject): JsonObject {
  return eventDefaults(renamed(event, 'v1', 1));
}

/** Fields that Go always writes for a core Event. */
export function eventDefaults(event: JsonObject): JsonObject {
  return {
    involvedObject: {},
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
    reportingComponent: '',
    reportingInstance: '',
    ...event,
  };
}

export function eventsGroupDefaults(event: JsonObject): JsonObject {
  return {
    eventTime: null,
    regarding: {},
    deprecatedSource: {},
    deprecatedFirstTimestamp: null,
    deprecatedLastTimestamp: null,
    ...event,
  };
}

const LIMITS = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const;

/** For events of either group, in the form of core/v1. */
function validateLegacy(event: JsonObject, core: boolean): readonly FieldError[] {
  const { namespace = '' } = metaOf(event);
  const involved = stringField(objectField(event, 'involvedObject'), 'namespace');
  const controllerField = core ? 'reportingComponent' : 'reportingController';
  const errors: FieldError[] = [];
  const namespaceMismatch = invalid('involvedObject.namespace', involved, 'does not match event.namespace');
  if (stringField(event, 'eventTime') === '') {
    if (involved === '' ? namespace !== '' && namespace !== 'default' : namespace !== involved)
      errors.push(namespaceMismatch);
  } else {
    if (involved === '' && namespace !== 'default' && namespace !== 'kube-system') errors.push(namespaceMismatch);
    const controller = stringField(event, 'reportingComponent');
    if (controller === '') errors.push(required(controllerField, ''));
    errors.push(...qualifiedName(controller).map((message) => invalid(controllerField, controller, message)));
    for (const key of ['reportingInstance', 'action', 'reason'] as const)
      if (stringField(event, key) === '') errors.push(required(key, ''));
    for (const [key, limit] of Object.entries(LIMITS)) {
      if (byteLength(stringField(event, key)) > limit)
        errors.push(invalid(key, '', `can have at most ${limit} characters`));
    }
  }
  return [...errors, ...dns1123Subdomain(namespace).map((message) => invalid('namespace', namespace, message))];
}

function validateSeries(event: JsonObject): readonly FieldError[] {
  const series = objectField(event, 'series');
  if (series === undefined) return [];
  const errors: FieldError[] =
    (numberField(series, 'count') ?? 0) < 2 ? [invalid('series.count', '', 'should be at least 2')] : [];
  return stringField(series, 'lastObservedTime') === '' ? [...errors, required('series.lastObservedTime', '')] : errors;
}

function validateStrictly(event: JsonObject): readonly FieldError[] {
  const source = objectField(event, 'source');
  const type = stringField(event, 'type');
  const unset = (key: string, isSet: boolean): readonly FieldError[] =>
    isSet ? [invalid(key, '', 'needs to be unset')] : [];
  return [
    ...validateMeta(metaOf(event), true, nameIsSubdomain),
    ...validateSeries(event),
    ...(stringField(event, 'eventTime') === '' ? [required('eventTime', '')] : []),
    ...(type === 'Normal' || type === 'Warning' ? [] : [invalid('type', '', `has invalid value: ${type}`)]),
    ...unset('firstTimestamp', stringField(event, 'firstTimestamp') !== ''),
    ...unset('lastTimestamp', stringField(event, 'lastTimestamp') !== ''),
    ...unset('count', (numberField(event, 'count') ?? 0) !== 0),
    ...unset('source', stringField(source, 'component') !== '' || stringField(source, 'host') !== ''),
  ];
}

const IMMUTABLE = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
] as const;

function validateStrictUpdate(event: JsonObject, old: JsonObject): readonly FieldError[] {
  const errors = [
    ...validateMetaUpdate(metaOf(event), metaOf(old)),
    ...(equal(field(event, 'series'), field(old, 'series')) ? [] : validateSeries(event)),
  ];
  const changed = IMMUTABLE.filter((key) => !equal(field(event, key), field(old, key))).map((key) =>
    invalid(key, field(event, key) ?? '', 'field is immutable'),
  );
  const controller = equal(event['reportingComponent'], old['reportingComponent'])
    ? []
    : [invalid('reportingController', stringField(event, 'reportingComponent'), 'field is immutable')];
  const instance = equal(event['reportingInstance'], old['reportingInstance'])
    ? []
    : [invalid('reportingInstance', stringField(event, 'reportingInstance'), 'field is immutable')];
  return [...errors, ...changed, ...controller, ...instance];
}

const same = (object: JsonObject): JsonObject => object;
const common = {
  prepareForCreate: same,
  prepareForUpdate: same,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
};

export const coreEventStrategy: Strategy = {
  ...common,
  validate: (event) => validateLegacy(event, true),
  validateUpdate: (event) => validateLegacy(event, true),
};

/** Stricter: forbids the fields for core Events only. */
export const eventsGroupStrategy: Strategy = {
  ...common,
  validate(event) {
    const core = fromEventsGroup(event);
    return [...validateLegacy(core, false), ...validateStrictly(core)];
  },
  validateUpdate(event, old) {
    const core = fromEventsGroup(event);
    return [...validateLegacy(core, false), ...validateStrictUpdate(core, fromEventsGroup(old))];
  },
};

const SELECTABLE = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

/** Values of field selectors, by core names. */
export function eventFields(event: JsonObject): Readonly<Record<string, string>> {
  const involved = objectField(event, 'involvedObject');
  const component = stringField(objectField(event, 'source'), 'component');
  return {
    ...Object.fromEntries(SELECTABLE.map((key) => [`involvedObject.${key}`, stringField(involved, key)])),
    reason: stringField(event, 'reason'),
    reportingComponent: stringField(event, 'reportingComponent'),
    source: component === '' ? stringField(event, 'reportingComponent') : component,
    type: stringField(event, 'type'),
  };
}

export const eventFieldLabels = [
  ...SELECTABLE.map((key) => `involvedObject.${key}`),
  'reason',
  'reportingComponent',
  'source',
  'type',
];

/** events.k8s.io allows its own field names as labels, and the core ones too. */
export const eventsGroupAliases: Readonly<Record<string, string>> = {
  ...Object.fromEntries(SELECTABLE.map((key) => [`regarding.${key}`, `involvedObject.${key}`])),
  reportingController: 'reportingComponent',
};
