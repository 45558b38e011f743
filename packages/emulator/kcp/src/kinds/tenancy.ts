import type { Kind } from './kind.js';
import { boolean, conditions, labelSelector, object, string, strings } from './schema.js';

const type = object({ name: string, path: string });

/** A workspace, in the logical cluster of its parent. */
export const workspaces: Kind = {
  group: 'tenancy.kcp.io',
  kind: 'Workspace',
  plural: 'workspaces',
  status: true,
  categories: ['kcp'],
  shortNames: ['ws'],
  versions: {
    v1alpha1: {
      schema: object({
        spec: {
          ...object({ type, location: object({ selector: object(labelSelector) }), cluster: string, URL: string }),
          default: {},
        },
        status: {
          ...object({
            phase: {
              type: 'string',
              default: 'Scheduling',
              enum: ['Scheduling', 'Initializing', 'Ready', 'Deleting', 'Terminating', 'Unavailable'],
            },
            conditions,
            initializers: strings,
          }),
          default: {},
        },
      }),
      columns: [
        { name: 'Type', type: 'string', jsonPath: '.spec.type.name' },
        { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
        { name: 'URL', type: 'string', jsonPath: '.spec.URL' },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
    },
  },
};

/** The single object `cluster` of each logical cluster, which describes it. */
export const logicalClusters: Kind = {
  group: 'core.kcp.io',
  kind: 'LogicalCluster',
  plural: 'logicalclusters',
  status: true,
  categories: ['kcp'],
  versions: {
    v1alpha1: {
      schema: object({
        spec: object({
          directlyDeletable: { ...boolean, default: false },
          owner: object({
            apiVersion: string,
            resource: string,
            name: string,
            namespace: string,
            cluster: string,
            uid: string,
          }),
          createdBy: object({ username: string, uid: string, groups: strings }),
          initializers: strings,
        }),
        status: object({ URL: string, phase: string, conditions, initializers: strings }),
      }),
    },
  },
};
