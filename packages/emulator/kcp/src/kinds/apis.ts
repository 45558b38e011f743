import type { JsonSchemaProps } from '@hawser/schema';
import type { Kind } from './kind.js';
import { boolean, conditions, labelSelector, list, object, rule, string, stringMap, strings } from './schema.js';

const GROUP = 'apis.kcp.io';
const categories = ['kcp'];
const resourceName: JsonSchemaProps = { type: 'string', pattern: '^[a-z][-a-z0-9]*[a-z0-9]$' };
const identity = object({ secretRef: object({ name: string, namespace: string }) });
const maximalPermissionPolicy = object({ local: object({}) });
const exportStatus = object({
  identityHash: string,
  conditions,
  virtualWorkspaces: list(object({ url: string }, 'url'), 'url'),
});
const anything: JsonSchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const anyOrSome = [
  rule(
    '(has(self.all) && self.all) != (has(self.resourceSelector) && size(self.resourceSelector) > 0)',
    'either "all" or "resourceSelector" must be set',
  ),
];
const claim1: Readonly<Record<string, JsonSchemaProps>> = {
  group: { ...string, default: '' },
  resource: resourceName,
  all: boolean,
  resourceSelector: list(object({ name: string, namespace: string })),
  identityHash: string,
};
const claim2: Readonly<Record<string, JsonSchemaProps>> = {
  group: { ...string, default: '' },
  resource: resourceName,
  identityHash: { ...string, default: '' },
  verbs: { ...strings, minItems: 1, 'x-kubernetes-list-type': 'set' },
};
const selector = object({ matchAll: boolean, ...labelSelector });

export const apiResourceSchemas: Kind = {
  group: GROUP,
  kind: 'APIResourceSchema',
  plural: 'apiresourceschemas',
  status: false,
  categories,
  versions: {
    v1alpha1: {
      schema: object({
        spec: {
          ...object(
            {
              group: string,
              names: object(
                {
                  plural: string,
                  singular: string,
                  kind: string,
                  listKind: string,
                  shortNames: strings,
                  categories: strings,
                },
                'plural',
                'singular',
                'kind',
                'listKind',
              ),
              scope: { type: 'string', enum: ['Cluster', 'Namespaced'] },
              versions: {
                ...list(
                  object(
                    {
                      name: { type: 'string', pattern: '^v[1-9][0-9]*([a-z]+[1-9][0-9]*)?$', minLength: 1 },
                      served: boolean,
                      storage: boolean,
                      deprecated: boolean,
                      deprecationWarning: string,
                      schema: anything,
                      subresources: object({
                        status: object({}),
                        scale: object({
                          specReplicasPath: string,
                          statusReplicasPath: string,
                          labelSelectorPath: string,
                        }),
                      }),
                      additionalPrinterColumns: list(
                        object(
                          {
                            name: string,
                            type: string,
                            jsonPath: string,
                            description: string,
                            format: string,
                            priority: { type: 'integer', format: 'int32' },
                          },
                          'name',
                          'type',
                          'jsonPath',
                        ),
                      ),
                      selectableFields: list(object({ jsonPath: string }, 'jsonPath')),
                    },
                    'name',
                    'served',
                    'storage',
                    'schema',
                  ),
                  'name',
                ),
                minItems: 1,
              },
              nameValidation: {
                type: 'string',
                enum: ['DNS1123Subdomain', 'PathSegmentName'],
                default: 'DNS1123Subdomain',
              },
              conversion: object(
                { strategy: { type: 'string', enum: ['None', 'Webhook'] }, webhook: anything },
                'strategy',
              ),
            },
            'group',
            'names',
            'scope',
            'versions',
          ),
          'x-kubernetes-validations': [
            rule(
              'size(self.versions) == 1 || has(self.conversion)',
              'Conversion must be specified when multiple versions exist',
            ),
          ],
        },
      }),
    },
  },
};

export const apiExports: Kind = {
  group: GROUP,
  kind: 'APIExport',
  plural: 'apiexports',
  status: true,
  categories,
  versions: {
    v1alpha1: {
      schema: object({
        spec: object({
          latestResourceSchemas: { ...strings, 'x-kubernetes-list-type': 'set' },
          identity,
          maximalPermissionPolicy,
          permissionClaims: list(
            { ...object(claim1, 'resource'), 'x-kubernetes-validations': anyOrSome },
            'group',
            'resource',
          ),
        }),
        status: exportStatus,
      }),
    },
    v1alpha2: {
      schema: object({
        spec: object({
          resources: list(
            object(
              {
                name: { ...string, minLength: 1 },
                group: string,
                schema: { ...string, minLength: 1 },
                storage: {
                  ...object({ crd: object({}), virtual: object({ reference: anything, identityHash: string }) }),
                  default: { crd: {} },
                },
              },
              'name',
              'group',
              'schema',
            ),
            'name',
            'group',
          ),
          identity,
          maximalPermissionPolicy,
          permissionClaims: list(
            object({ ...claim2, defaultSelector: selector }, 'resource', 'verbs'),
            'group',
            'resource',
          ),
        }),
        status: exportStatus,
      }),
    },
  },
};

const reference = {
  ...object({ export: object({ path: string, name: { ...string, minLength: 1 } }, 'name') }),
  'x-kubernetes-validations': [rule('self == oldSelf', 'APIExport reference must not be changed')],
};
const state: JsonSchemaProps = { type: 'string', enum: ['Accepted', 'Rejected'] };

const bindingStatus = (claim: JsonSchemaProps, applied: JsonSchemaProps): JsonSchemaProps =>
  object({
    apiExportClusterName: string,
    phase: { type: 'string', enum: ['', 'Binding', 'Bound'] },
    conditions,
    boundResources: list(
      object(
        {
          group: string,
          resource: string,
          schema: object({ name: string, UID: string, identityHash: string }),
          storageVersions: { ...strings, 'x-kubernetes-list-type': 'set' },
        },
        'group',
        'resource',
      ),
      'group',
      'resource',
    ),
    exportPermissionClaims: list(claim),
    appliedPermissionClaims: list(applied),
  });

export const apiBindings: Kind = {
  group: GROUP,
  kind: 'APIBinding',
  plural: 'apibindings',
  status: true,
  categories,
  versions: {
    v1alpha1: {
      schema: object(
        {
          spec: object(
            {
              reference,
              permissionClaims: list({
                ...object({ ...claim1, state }, 'resource', 'state'),
                'x-kubernetes-validations': anyOrSome,
              }),
            },
            'reference',
          ),
          status: bindingStatus(object(claim1), object(claim1)),
        },
        'spec',
      ),
    },
    v1alpha2: {
      schema: object(
        {
          spec: object(
            {
              reference,
              permissionClaims: list(
                object({ ...claim2, selector, state }, 'resource', 'verbs', 'selector', 'state'),
                'group',
                'resource',
                'identityHash',
              ),
            },
            'reference',
          ),
          status: bindingStatus(object({ ...claim2, defaultSelector: selector }), object({ ...claim2, selector })),
        },
        'spec',
      ),
    },
  },
};

export const apiExportEndpointSlices: Kind = {
  group: GROUP,
  kind: 'APIExportEndpointSlice',
  plural: 'apiexportendpointslices',
  status: true,
  categories,
  versions: {
    v1alpha1: {
      schema: object(
        {
          spec: object(
            {
              export: {
                ...object({ path: string, name: { ...string, minLength: 1 } }, 'name'),
                'x-kubernetes-validations': [rule('self == oldSelf', 'APIExport reference must not be changed')],
              },
              partition: string,
            },
            'export',
          ),
          status: object({
            // The selector exists after 0.32.3.
            endpoints: list(
              object({ url: string, shards: object({ matchAll: boolean, selector: object(labelSelector) }) }, 'url'),
              'url',
            ),
            conditions,
            shardSelector: string,
            labels: stringMap,
          }),
        },
        'spec',
      ),
    },
  },
};
