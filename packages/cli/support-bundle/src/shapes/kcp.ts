import { isFields } from '@hawser/json';

import { type Shape, address, entries, fields, list, mention, plain, prose, word } from '../shape.js';
import { conditions } from './conditions.js';
import { metadata } from './metadata.js';
import { definition } from './schema.js';

// The fields that a bundle holds of the kinds of kcp and its agents.

const labelSelector = {
  matchLabels: entries(word),
  matchExpressions: list(fields({ key: word, operator: word, values: list(word) })),
};
const sensitive = /pass|secret|token|credential|key/iu;

/** A step that writes a field: drops the written value if the name of the field suggests a secret. */
const step = (written: readonly string[]): Shape => {
  const shown = fields({ path: word, pattern: prose, ...Object.fromEntries(written.map((key) => [key, prose])) });
  const hidden = fields({ path: word, ...Object.fromEntries(written.map((key) => [key, mention])) });
  return (value) => (isFields(value) && sensitive.test(String(value['path'])) ? hidden(value) : shown(value));
};
const regex = step(['replacement']);
const template = step(['template']);
const mutations = list(fields({ delete: fields({ path: word }), regex, template, cel: step(['expression']) }));
const mutation = fields({ spec: mutations, status: mutations });
const reference = fields({ path: word, regex });
const lookup = {
  reference,
  selector: fields({ ...labelSelector, rewrite: fields({ regex, template }) }),
  template,
};

const object = (spec: Shape, status: Readonly<Record<string, Shape>> = {}): Shape =>
  fields({ apiVersion: word, kind: word, metadata, spec, status: fields({ conditions, ...status }) });

const claims = list(
  fields({ group: word, resource: word, identityHash: word, verbs: list(word), all: plain, state: word }),
);

/** By plural: kinds on the service cluster. */
export const syncagentShapes: Readonly<Record<string, Shape>> = {
  publishedresources: object(
    fields({
      resource: fields({ apiGroup: word, kind: word, version: word, versions: list(word) }),
      filter: fields({ resource: fields(labelSelector), namespace: fields(labelSelector) }),
      naming: fields({ name: prose, namespace: prose }),
      enableWorkspacePaths: plain,
      projection: fields({
        group: word,
        version: word,
        versions: entries(word),
        scope: word,
        kind: word,
        plural: word,
        shortNames: list(word),
        categories: list(word),
      }),
      mutation,
      related: list(
        fields({
          identifier: word,
          origin: word,
          group: word,
          version: word,
          resource: word,
          kind: word,
          identityHash: word,
          cleanup: plain,
          projection: fields({ group: word, version: word, resource: word }),
          object: fields({ ...lookup, namespace: fields(lookup) }),
          mutation,
          watch: fields({ byOwner: () => ({}), bySelector: fields(labelSelector) }),
          syncStatus: plain,
        }),
      ),
      synchronization: fields({ enabled: plain }),
    }),
    {
      resourceSchemaName: word,
      observedGeneration: plain,
      phase: word,
      counts: fields({ objects: plain, workspaces: plain, failing: plain }),
      lastError: fields({ reason: word, message: prose, time: word }),
    },
  ),
};

const exportReference = fields({ path: word, name: word });

/** By plural: kinds in the workspace of the export. */
export const kcpShapes: Readonly<Record<string, Shape>> = {
  apiexportendpointslices: object(fields({ export: exportReference, partition: word }), {
    endpoints: list(fields({ url: address })),
  }),
  apiexports: object(
    fields({
      identity: mention,
      latestResourceSchemas: list(word),
      resources: list(
        fields({
          name: word,
          group: word,
          schema: word,
          storage: fields({ crd: () => ({}), virtual: mention }),
        }),
      ),
      permissionClaims: claims,
      maximalPermissionPolicy: mention,
    }),
    { identityHash: word, virtualWorkspaces: list(fields({ url: address })) },
  ),
  apibindings: object(fields({ reference: fields({ export: exportReference }), permissionClaims: claims }), {
    phase: word,
    apiExportClusterName: word,
    boundResources: list(
      fields({
        group: word,
        resource: word,
        schema: fields({ name: word, UID: word, identityHash: word }),
        storageVersions: list(word),
      }),
    ),
    appliedPermissionClaims: claims,
    exportPermissionClaims: claims,
  }),
  apiresourceschemas: object(fields(definition)),
};
