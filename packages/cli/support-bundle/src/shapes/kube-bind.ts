import { type Shape, entries, fields, list, mention, plain, prose, word } from '../shape.js';
import { conditions } from './conditions.js';
import { metadata } from './metadata.js';
import { acceptedNames, definition } from './schema.js';

// The fields that a bundle holds of the kinds of kube-bind and Klutch. Fields with the same name mean the same in both.

const secretRef = fields({ namespace: word, name: word, key: word });
const groupResource = { group: word, resource: word };
const labelSelector = fields({
  matchLabels: entries(word),
  matchExpressions: list(fields({ key: word, operator: word, values: list(word) })),
});

const permissionClaim = fields({
  ...groupResource,
  version: word,
  versions: list(word),
  state: word,
  required: plain,
  autoAdopt: plain,
  autoDonate: plain,
  selector: fields({
    labelSelector,
    namedResources: list(fields({ name: word, namespace: word })),
    references: list(
      fields({ ...groupResource, versions: list(word), jsonPath: fields({ name: word, namespace: word }) }),
    ),
    names: list(word),
    namespaces: list(word),
    owner: word,
  }),
});
const permissionClaims = list(permissionClaim);
const exportedResources = list(fields({ ...groupResource, versions: list(word), permissionClaims }));

const object = (spec: Shape, status: Readonly<Record<string, Shape>> = {}): Shape =>
  fields({ apiVersion: word, kind: word, metadata, spec, status: fields({ conditions, ...status }) });

/** Shapes by plural. */
export const kubeBindShapes: Readonly<Record<string, Shape>> = {
  apiservicebindings: object(fields({ kubeconfigSecretRef: secretRef, permissionClaims }), {
    providerPrettyName: prose,
    boundSchemas: list(fields(groupResource)),
    permissionClaims,
  }),
  apiservicebindingbundles: object(fields({ kubeconfigSecretRef: secretRef })),
  apiserviceexports: object(
    fields({
      ...definition,
      resources: exportedResources,
      permissionClaims,
      informerScope: word,
      isolation: word,
      clusterScopedIsolation: word,
    }),
    { acceptedNames, storedVersions: list(word) },
  ),
  apiserviceexportrequests: object(
    fields({
      // Parameters of a consumer for a provider may hold anything.
      parameters: mention,
      resources: exportedResources,
      permissionClaims,
      namespaces: list(fields({ name: word })),
      schemaUpdatePolicy: word,
    }),
    { phase: word, terminalMessage: prose },
  ),
  apiserviceexporttemplates: object(
    fields({
      description: prose,
      scope: word,
      resources: exportedResources,
      APIServiceSelector: fields({ ...groupResource, version: word }),
      permissionClaims,
      namespaces: list(fields({ name: word })),
      schemaUpdatePolicy: word,
    }),
  ),
  apiservicenamespaces: object(() => undefined, { namespace: word }),
  boundschemas: object(fields(definition), { acceptedNames, storedVersions: list(word), instantiations: plain }),
  clusterbindings: object(
    fields({ kubeconfigSecretRef: secretRef, providerPrettyName: prose, serviceProviderSpec: mention }),
    {
      lastHeartbeatTime: word,
      heartbeatInterval: word,
      konnectorVersion: word,
      consumerSecretRef: secretRef,
    },
  ),
  clusters: object(() => undefined),
  collections: object(fields({ description: prose, templates: list(fields({ name: word })) })),
  // Author and identity show who asks, and from where.
  bindableresourcesrequests: object(
    fields({
      author: mention,
      clusterIdentity: mention,
      templateRef: fields({ name: word }),
      kubeconfigSecretRef: secretRef,
      ttlAfterFinished: word,
    }),
    { phase: word, namespace: word, completionTime: word, kubeconfigSecretRef: secretRef },
  ),
  appclusterbindings: object(
    fields({
      kubeconfigSecretRef: secretRef,
      apiExports: list(fields(groupResource)),
      konnector: fields({ deploy: plain, overrides: mention }),
    }),
  ),
};
