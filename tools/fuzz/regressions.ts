import * as samples from './samples.ts';

/** Input that once made a reader fail, minimised. */
export interface Regression {
  readonly reader: string;
  readonly what: string;
  readonly value: unknown;
}

const bound = (schema: unknown): unknown => ({
  ...samples.boundSchema,
  spec: {
    ...samples.boundSchema.spec,
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});
const claiming = (labelSelector: unknown): unknown => ({
  ...samples.apiExport,
  spec: {
    ...samples.apiExport.spec,
    permissionClaims: [{ group: '', resource: 'secrets', selector: { labelSelector } }],
  },
});

export const regressions: readonly Regression[] = [
  {
    reader: 'list',
    what: 'an item without metadata',
    value: { ...samples.list, items: [{ spec: {} }, samples.database] },
  },
  {
    reader: 'list',
    what: 'labels that are numbers',
    value: { ...samples.list, items: [{ metadata: { name: 'a', labels: { app: 1 } } }] },
  },
  { reader: 'list', what: 'a continuation that is not a text', value: { ...samples.list, metadata: { continue: {} } } },
  {
    reader: 'pair: object',
    what: 'finalizers that are no list',
    value: { ...samples.database, metadata: { ...samples.database.metadata, finalizers: 'x' } },
  },
  {
    reader: 'pair: copy',
    what: 'owner references that are no list',
    value: { ...samples.copy, metadata: { ...samples.copy.metadata, ownerReferences: {} } },
  },
  {
    reader: 'failure',
    what: 'a Status whose causes are no list',
    value: { ...samples.status, message: { a: 1 }, details: { causes: 'x' } },
  },
  {
    reader: 'candidate',
    what: 'a property whose schema is null',
    value: bound({ type: 'object', properties: { spec: null } }),
  },
  { reader: 'candidate', what: 'no schema', value: bound(null) },
  { reader: 'claims', what: 'match expressions that are no list', value: claiming({ matchExpressions: 'x' }) },
  { reader: 'claims', what: 'a match expression that is null', value: claiming({ matchExpressions: [null] }) },
  { reader: 'cluster binding', what: 'no reference to a Secret', value: { ...samples.clusterBinding, spec: {} } },
  {
    reader: 'projection',
    what: 'a required field that is an object',
    value: {
      ...samples.crd,
      spec: {
        ...samples.crd.spec,
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', required: [{ toString: [] }] } },
          },
        ],
      },
    },
  },
  {
    reader: 'projection',
    what: 'an object in place of whether a version is served',
    value: {
      ...samples.crd,
      spec: {
        ...samples.crd.spec,
        versions: [
          { name: 'v1', served: { toString: [] }, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
        ],
      },
    },
  },
  {
    reader: 'expression',
    what: 'a list compared with itself for each of its elements',
    value: ['[1, 2, 3].map(a, self == self)'],
  },
];
