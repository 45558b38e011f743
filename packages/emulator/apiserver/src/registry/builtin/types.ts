import type { PrintedTable } from '@hawser/table';
import { type FieldType, FieldSet, type TrackedType, builtInType } from '../../server-side-apply/index.js';
import type { JsonObject } from '@hawser/json';
import { objectField, stringField } from '../../object/json.js';
import { apiVersionOf, nameOf } from '../../object/meta.js';
import { ManagedFields } from '../managed-fields.js';
import type {
  BeginDeletion,
  FieldLabels,
  ResourceType,
  ServedVersion,
  Strategy,
  Subresource,
} from '../resource-type.js';
import { fieldLabels } from '../selectable-fields.js';
import { defaultTable } from '../table.js';
import { bindingDefaults, leaseDefaults, namespaceDefaults, roleDefaults, secretDefaults } from './defaults.js';
import {
  definitionDefaults,
  definitionMayBeRemoved,
  definitionStatusStrategy,
  definitionStrategy,
  beginDefinitionDeletion,
} from './crd.js';
import { beginNamespaceDeletion } from './namespace-deletion.js';
import { schemaPropsOf } from './schema-props.js';
import {
  configMapStrategy,
  leaseStrategy,
  namespaceFinalizeStrategy,
  namespaceStatusStrategy,
  namespaceStrategy,
  secretStrategy,
  serviceAccountStrategy,
  specFinalizers,
} from './strategies.js';
import {
  clusterRoleBindingStrategy,
  clusterRoleStrategy,
  namespacedRoleStrategy,
  roleBindingStrategy,
} from './rbac-strategies.js';
import {
  bindingTable,
  configMapTable,
  leaseTable,
  namespaceTable,
  secretTable,
  serviceAccountTable,
} from './tables.js';
import { decodeTyped } from './typed.js';
import { eventsType } from './event-types.js';

interface BuiltIn {
  readonly group: string;
  readonly kind: string;
  readonly resource: string;
  readonly singular: string;
  readonly definition: string;
  readonly namespaced: boolean;
  readonly strategy: Strategy;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly defaults?: (object: JsonObject) => JsonObject;
  readonly table?: PrintedTable;
  readonly fields?: FieldLabels;
  readonly subresources?: Readonly<
    Record<
      string,
      { readonly strategy: Strategy; readonly verbs: readonly string[]; readonly reset: readonly (readonly string[])[] }
    >
  >;
  /** Fields that the main endpoint resets. */
  readonly reset?: readonly (readonly string[])[];
  readonly garbageCollection?: ResourceType['garbageCollection'];
  readonly returnsDeletedObject?: boolean;
  readonly beginDeletion?: BeginDeletion;
  readonly mayBeRemoved?: (object: JsonObject) => boolean;
}

const RBAC = 'rbac.authorization.k8s.io';
const CORE = 'io.k8s.api.core.v1.';
const RBAC_DEFINITION = 'io.k8s.api.rbac.v1.';
const VERSION = 'v1';
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

const builtIns: readonly BuiltIn[] = [
  {
    group: '',
    kind: 'Namespace',
    resource: 'namespaces',
    singular: 'namespace',
    definition: `${CORE}Namespace`,
    namespaced: false,
    shortNames: ['ns'],
    strategy: namespaceStrategy,
    defaults: namespaceDefaults,
    table: namespaceTable,
    returnsDeletedObject: true,
    reset: [['status']],
    fields: fieldLabels({
      namespaced: false,
      known: ['status.phase', 'name'],
      extra: (object) => ({
        'status.phase': stringField(objectField(object, 'status'), 'phase'),
        name: nameOf(object),
      }),
      unknown: (label) => `field label not supported: ${label}`,
    }),
    subresources: {
      status: { strategy: namespaceStatusStrategy, verbs: SUBRESOURCE_VERBS, reset: [['spec']] },
      finalize: { strategy: namespaceFinalizeStrategy, verbs: ['update'], reset: [['status']] },
    },
    beginDeletion: beginNamespaceDeletion,
    mayBeRemoved: (object) => specFinalizers(object).length === 0,
  },
  {
    group: '',
    kind: 'Secret',
    resource: 'secrets',
    singular: 'secret',
    definition: `${CORE}Secret`,
    namespaced: true,
    strategy: secretStrategy,
    defaults: secretDefaults,
    table: secretTable,
    fields: fieldLabels({
      namespaced: true,
      known: ['type'],
      extra: (object) => ({ type: stringField(object, 'type') }),
      unknown: (label) => `field label not supported: ${label}`,
    }),
  },
  {
    group: '',
    kind: 'ConfigMap',
    resource: 'configmaps',
    singular: 'configmap',
    definition: `${CORE}ConfigMap`,
    namespaced: true,
    shortNames: ['cm'],
    strategy: configMapStrategy,
    table: configMapTable,
  },
  {
    group: '',
    kind: 'ServiceAccount',
    resource: 'serviceaccounts',
    singular: 'serviceaccount',
    definition: `${CORE}ServiceAccount`,
    namespaced: true,
    shortNames: ['sa'],
    strategy: serviceAccountStrategy,
    table: serviceAccountTable,
    returnsDeletedObject: true,
  },
  {
    group: 'coordination.k8s.io',
    kind: 'Lease',
    resource: 'leases',
    singular: 'lease',
    definition: 'io.k8s.api.coordination.v1.Lease',
    namespaced: true,
    strategy: leaseStrategy,
    defaults: leaseDefaults,
    table: leaseTable,
  },
  {
    group: RBAC,
    kind: 'Role',
    resource: 'roles',
    singular: 'role',
    definition: `${RBAC_DEFINITION}Role`,
    namespaced: true,
    strategy: namespacedRoleStrategy,
    defaults: roleDefaults,
  },
  {
    group: RBAC,
    kind: 'RoleBinding',
    resource: 'rolebindings',
    singular: 'rolebinding',
    definition: `${RBAC_DEFINITION}RoleBinding`,
    namespaced: true,
    strategy: roleBindingStrategy,
    defaults: bindingDefaults,
    table: bindingTable(
      'roleBinding',
      'RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.',
    ),
  },
  {
    group: RBAC,
    kind: 'ClusterRole',
    resource: 'clusterroles',
    singular: 'clusterrole',
    definition: `${RBAC_DEFINITION}ClusterRole`,
    namespaced: false,
    strategy: clusterRoleStrategy,
    defaults: roleDefaults,
  },
  {
    group: RBAC,
    kind: 'ClusterRoleBinding',
    resource: 'clusterrolebindings',
    singular: 'clusterrolebinding',
    definition: `${RBAC_DEFINITION}ClusterRoleBinding`,
    namespaced: false,
    strategy: clusterRoleBindingStrategy,
    defaults: bindingDefaults,
    table: bindingTable(
      'clusterRoleBinding',
      'RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.',
    ),
  },
  {
    group: 'apiextensions.k8s.io',
    kind: 'CustomResourceDefinition',
    resource: 'customresourcedefinitions',
    singular: 'customresourcedefinition',
    definition: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
    namespaced: false,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    strategy: definitionStrategy,
    defaults: definitionDefaults,
    reset: [['status']],
    subresources: {
      status: { strategy: definitionStatusStrategy, verbs: SUBRESOURCE_VERBS, reset: [['metadata'], ['spec']] },
    },
    beginDeletion: beginDefinitionDeletion,
    mayBeRemoved: definitionMayBeRemoved,
  },
];

/** The built-in kinds of every server. */
export function builtInTypes(): readonly ResourceType[] {
  return [...builtIns.map(typeOf), eventsType()];
}

function typeOf(builtIn: BuiltIn): ResourceType {
  const {
    group,
    kind,
    resource,
    singular,
    namespaced,
    definition,
    defaults = (object: JsonObject) => object,
  } = builtIn;
  const apiVersion = apiVersionOf(group, VERSION);
  const fieldType = builtInType(apiVersion, kind);
  const ownership = (subresource: string, reset: readonly (readonly string[])[]): ManagedFields =>
    new ManagedFields({ tracked: trackedType(apiVersion, fieldType, reset), apiVersion, kind, subresource });
  const subresources = new Map<string, Subresource>(
    Object.entries(builtIn.subresources ?? {}).map(([name, each]) => [
      name,
      { kind: 'object', name, strategy: each.strategy, verbs: each.verbs, ownership: ownership(name, each.reset) },
    ]),
  );
  const version: ServedVersion = {
    group,
    version: VERSION,
    kind,
    listKind: `${kind}List`,
    served: true,
    deprecated: false,
    deprecationWarning: undefined,
    schema: schemaPropsOf(definition),
    definition,
    codec: {
      decode(document) {
        const { object, unknownFields } = decodeTyped(definition, document);
        return { object: defaults(object), unknownFields };
      },
      fromStorage: (object) => object,
      toStorage: (object) => object,
    },
    strategy: builtIn.strategy,
    subresources,
    selectableFields: [],
    fields: builtIn.fields ?? fieldLabels({ namespaced }),
    table: builtIn.table ?? defaultTable,
    ownership: ownership('', builtIn.reset ?? []),
  };
  const path = group === '' || group === 'coordination.k8s.io' || group === RBAC ? resource : `${group}/${resource}`;
  return {
    group,
    resource,
    singular,
    kind,
    listKind: `${kind}List`,
    namespaced,
    shortNames: builtIn.shortNames ?? [],
    categories: builtIn.categories ?? [],
    bucket: path,
    storagePath: `/registry/${path}`,
    storageVersion: VERSION,
    versions: [version],
    garbageCollection: builtIn.garbageCollection ?? 'background',
    returnsDeletedObject: builtIn.returnsDeletedObject ?? false,
    custom: false,
    ...(builtIn.beginDeletion === undefined ? {} : { beginDeletion: builtIn.beginDeletion }),
    ...(builtIn.mayBeRemoved === undefined ? {} : { mayBeRemoved: builtIn.mayBeRemoved }),
  };
}

function trackedType(
  apiVersion: string,
  type: FieldType | undefined,
  reset: readonly (readonly string[])[],
): TrackedType {
  const fields = reset.length === 0 ? undefined : FieldSet.fields(...reset);
  return { typeOf: (wanted) => (wanted === apiVersion ? type : undefined), resetFields: () => fields };
}
