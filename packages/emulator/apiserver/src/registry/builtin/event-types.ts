import { builtInType } from '../../server-side-apply/built-in-types.js';
import type { TrackedType } from '../../server-side-apply/tracked-type.js';
import { ManagedFields } from '../managed-fields.js';
import type { ResourceType, ServedVersion } from '../resource-type.js';
import { fieldLabels } from '../selectable-fields.js';
import {
  toEventsGroup,
  fromEventsGroup,
  coreEventStrategy,
  eventDefaults,
  eventFieldLabels,
  eventFields,
  eventsGroupStrategy,
  eventsGroupDefaults,
  eventsGroupAliases,
} from './events.js';
import { schemaPropsOf } from './schema-props.js';
import { eventTable } from './tables.js';
import { decodeTyped } from './typed.js';

/** Stored as core/v1, served in two groups with different rules. */
export function eventsType(): ResourceType {
  return {
    group: '',
    resource: 'events',
    singular: 'event',
    kind: 'Event',
    listKind: 'EventList',
    namespaced: true,
    shortNames: ['ev'],
    categories: [],
    bucket: 'events',
    storagePath: '/registry/events',
    storageVersion: VERSION,
    versions: [coreEvents(), groupedEvents()],
    garbageCollection: 'unsupported',
    returnsDeletedObject: false,
    custom: false,
  };
}

const VERSION = 'v1';

const CORE_EVENT = 'io.k8s.api.core.v1.Event';

const EVENTS_API_VERSION = 'events.k8s.io/v1';

const sharedOfEvents = {
  version: VERSION,
  kind: 'Event',
  listKind: 'EventList',
  served: true,
  deprecated: false,
  deprecationWarning: undefined,
  subresources: new Map(),
  selectableFields: [],
} as const;

const unknownEventField = (label: string): string => `field label not supported: ${label}`;

function ownershipOfEvents(apiVersion: string): ManagedFields {
  const tracked: TrackedType = {
    typeOf: (wanted) => builtInType(wanted, 'Event'),
    convert: (object, wanted) =>
      wanted === object['apiVersion']
        ? object
        : wanted === EVENTS_API_VERSION
          ? toEventsGroup(object)
          : fromEventsGroup(object),
  };
  return new ManagedFields({ tracked, apiVersion, kind: 'Event', subresource: '' });
}

function coreEvents(): ServedVersion {
  return {
    ...sharedOfEvents,
    group: '',
    definition: CORE_EVENT,
    schema: schemaPropsOf(CORE_EVENT),
    strategy: coreEventStrategy,
    table: eventTable,
    codec: {
      decode(document) {
        const { object, unknownFields } = decodeTyped(CORE_EVENT, document);
        return { object: eventDefaults(object), unknownFields };
      },
      fromStorage: (object) => object,
      toStorage: (object) => object,
    },
    fields: fieldLabels({ namespaced: true, known: eventFieldLabels, extra: eventFields, unknown: unknownEventField }),
    ownership: ownershipOfEvents('v1'),
  };
}

function groupedEvents(): ServedVersion {
  return {
    ...sharedOfEvents,
    group: 'events.k8s.io',
    definition: 'io.k8s.api.events.v1.Event',
    schema: schemaPropsOf('io.k8s.api.events.v1.Event'),
    strategy: eventsGroupStrategy,
    table: { columns: eventTable.columns, cells: (object, nowMs) => eventTable.cells(fromEventsGroup(object), nowMs) },
    codec: {
      decode(document) {
        const { object, unknownFields } = decodeTyped('io.k8s.api.events.v1.Event', document);
        return { object: eventsGroupDefaults(object), unknownFields };
      },
      fromStorage: toEventsGroup,
      toStorage: fromEventsGroup,
    },
    fields: fieldLabels({
      namespaced: true,
      known: eventFieldLabels,
      aliases: eventsGroupAliases,
      extra: (object) => eventFields(fromEventsGroup(object)),
      unknown: unknownEventField,
    }),
    ownership: ownershipOfEvents(EVENTS_API_VERSION),
  };
}
