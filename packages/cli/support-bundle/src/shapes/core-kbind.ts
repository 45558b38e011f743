import { type Shape, entries, fields, list, plain, prose, word } from '../shape.js';
import { conditions } from './conditions.js';
import { metadata } from './metadata.js';

// The fields that a bundle holds of the kinds of core.kbind.io.

const object = (spec: Shape, status: Readonly<Record<string, Shape>>): Shape =>
  fields({ apiVersion: word, kind: word, metadata, spec, status: fields({ conditions, ...status }) });

const labelSelector = fields({
  matchLabels: entries(word),
  matchExpressions: list(fields({ key: word, operator: word, values: list(word) })),
});

const binding = object(
  fields({
    connectionRef: fields({ name: word }),
    apis: list(fields({ name: word })),
    conflictPolicy: word,
    relatedResources: list(
      fields({
        group: word,
        resource: word,
        direction: word,
        selector: fields({ labelSelector, names: list(word) }),
      }),
    ),
  }),
  { boundAPIs: list(fields({ name: word, crdHash: word, conflictCount: plain })) },
);

/** Shapes by plural. */
export const coreKbindShapes: Readonly<Record<string, Shape>> = {
  connections: object(
    fields({
      kubeconfigSecretRef: fields({ namespace: word, name: word, key: word }),
      schema: fields({ source: word, pullPolicy: word, updatePolicy: word }),
      autoBind: plain,
    }),
    {
      remoteClusterUID: prose,
      localClusterUID: prose,
      activeSchemaSource: word,
      exportedAPIs: list(fields({ name: word, group: word, resource: word, scope: word, versions: list(word) })),
    },
  ),
  clusterbindings: binding,
  bindings: binding,
};
