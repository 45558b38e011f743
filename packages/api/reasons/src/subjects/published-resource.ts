import type { Reason, ReasonSubject } from '../reason.js';

const ready = [
  { reason: 'Published', cause: 'the schema is in kcp and in the APIExport', actor: 'nobody', remedy: 'do nothing' },
  { reason: 'Pending', cause: 'the agent is adding the schema to the APIExport', actor: 'nobody', remedy: 'wait' },
] as const satisfies readonly Reason[];

const valid = [
  { reason: 'Valid', cause: 'the rules can be used', actor: 'nobody', remedy: 'do nothing' },
  {
    reason: 'RulesInvalid',
    cause: 'the agent cannot use a template, pattern, expression or path. It touches no object',
    actor: 'provider',
    remedy: 'correct the fields that the message lists',
  },
] as const satisfies readonly Reason[];

const schemaPublished = [
  {
    reason: 'ResourceNotDiscovered',
    cause: 'the service cluster has no such kind, or does not answer',
    actor: 'provider',
    remedy: 'install the resource, or correct `spec.resource`. The agent retries with back-off',
    event: 'Warning',
  },
  {
    reason: 'ProjectionInvalid',
    cause: 'the agent cannot publish the resource under these names, versions or this group',
    actor: 'provider',
    remedy: 'correct the fields that the message lists',
    event: 'Warning',
  },
  {
    reason: 'KindTaken',
    cause:
      'another PublishedResource publishes another resource of the same kind and group, or the APIExport still has an older one. Objects that consumers apply could go to either',
    actor: 'provider',
    remedy:
      'give one of them another kind or group by `spec.projection`, or delete it; or have the operator remove unused resources from the APIExport',
    event: 'Warning',
  },
  {
    reason: 'SchemaNameTaken',
    cause: 'an APIResourceSchema of the same name has other content',
    actor: 'operator',
    remedy: 'delete the APIResourceSchema, if no APIExport lists it',
    event: 'Warning',
  },
  {
    reason: 'SchemaNotWritten',
    cause: 'kcp refuses the APIResourceSchema',
    actor: 'operator',
    remedy: 'check the schema, and the rights of the agent in the provider workspace; the message quotes kcp',
    event: 'Warning',
  },
  {
    reason: 'ReconcilingError',
    cause: 'the Event for each of these reasons',
    actor: 'provider',
    remedy: 'check the condition',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const schemaUpdateHeld = [
  {
    reason: 'BreakingSchemaChange',
    cause: 'the CRD has changed in a way that may break objects in workspaces',
    actor: 'provider',
    remedy: 'take the change back, or approve it by `hawser.dev/schema-approved` as the message says',
    event: 'Warning',
  },
  {
    reason: 'IncompatibleSchemaChange',
    cause: 'objects in workspaces do not fit the changed CRD',
    actor: 'provider',
    remedy: 'publish another version or kind instead, or approve the change by `hawser.dev/schema-approved`',
    event: 'Warning',
  },
  {
    reason: 'SchemaUpdatesOff',
    cause: 'the CRD has changed, and `hawser.dev/schema-update` is `Never`',
    actor: 'provider',
    remedy: 'approve the change by `hawser.dev/schema-approved`, or change the policy',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const paused = [
  {
    reason: 'Paused',
    cause: 'the annotation `hawser.dev/paused` on the PublishedResource stops all writes for its objects',
    actor: 'provider',
    remedy: 'remove the annotation',
  },
] as const satisfies readonly Reason[];

const exported = [
  {
    reason: 'Exported',
    cause: 'the APIExport lists the schema, and claims the resources that it needs',
    actor: 'nobody',
    remedy: 'do nothing',
  },
  {
    reason: 'APIExportNotFound',
    cause: 'the provider workspace has no such APIExport',
    actor: 'operator',
    remedy: 'create it, or name another one',
  },
  {
    reason: 'APIExportOfAnotherAgent',
    cause: 'another agent has set its name on the APIExport',
    actor: 'operator',
    remedy: 'use another APIExport; or stop the other agent, and remove the annotation `syncagent.kcp.io/agent-name`',
  },
  {
    reason: 'APIExportUnreadable',
    cause: 'an annotation in which kcp stores claims or resources is broken',
    actor: 'operator',
    remedy: 'correct or remove the annotation',
  },
  {
    reason: 'APIExportRefused',
    cause: 'kcp refuses the entries of this PublishedResource for the APIExport',
    actor: 'provider',
    remedy: "follow kcp's answer in the message. The agent retries after five minutes",
  },
  {
    reason: 'ResourcePublishedTwice',
    cause: 'an older PublishedResource publishes a resource of the same plural and group',
    actor: 'provider',
    remedy: 'project one of them to another kind, plural or group, or delete it',
  },
  {
    reason: 'ResourceStoredElsewhere',
    cause: 'the APIExport already has the resource, with virtual storage',
    actor: 'provider',
    remedy: 'project the resource to another plural or group',
  },
  {
    reason: 'SchemaNameInvalid',
    cause: '`status.resourceSchemaName` is not a valid schema name',
    actor: 'operator',
    remedy: 'empty that field',
  },
  {
    reason: 'ClaimNeedsIdentityHash',
    cause: 'a related resource comes from another APIExport, but the rule does not name it',
    actor: 'provider',
    remedy: 'set `identityHash` in `spec.related`',
  },
  {
    reason: 'ClaimOfAnotherIdentity',
    cause: 'the APIExport already claims the related resource of another APIExport',
    actor: 'provider',
    remedy: 'use the same `identityHash`, or publish through another APIExport',
  },
] as const satisfies readonly Reason[];

const objectsInSync = [
  { reason: 'InStep', cause: 'all objects are in step', actor: 'nobody', remedy: 'do nothing' },
  {
    reason: 'ObjectsFailing',
    cause: 'objects are not in step, for several reasons',
    actor: 'provider',
    remedy: 'check the objects in the message; for each, it says who must act',
  },
  {
    reason: 'EndpointSliceNotFound',
    cause: 'the APIExportEndpointSlice does not exist',
    actor: 'operator',
    remedy: 'create it, or name another one',
  },
  {
    reason: 'EndpointUnusable',
    cause: 'the agent cannot use an address in the APIExportEndpointSlice',
    actor: 'operator',
    remedy: 'correct the address of the shard of kcp',
  },
  {
    reason: 'NotServed',
    cause: 'no endpoint of kcp serves the resource',
    actor: 'operator',
    remedy:
      'wait; if it lasts, check whether the APIExport lists the schema, and whether the agent may use `apiexports/content`',
  },
] as const satisfies readonly Reason[];

const startEvents = [
  {
    reason: 'KcpNotReached',
    cause: 'the agent cannot look for its APIExport, because kcp does not answer or refuses the request',
    actor: 'operator',
    remedy:
      'check kcp, the kubeconfig of the agent, and its rights in the provider workspace. The agent retries with back-off',
    event: 'Warning',
  },
  {
    reason: 'ExportNotLocated',
    cause: 'the APIExportEndpointSlice does not exist, or the APIExport that it names does not',
    actor: 'operator',
    remedy: 'create it, or name another one. The agent looks again with back-off',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const stateEvents = [
  {
    reason: 'EndpointMissing',
    cause:
      'the PublishedResource is being deleted, and has objects at an endpoint that is missing from the APIExportEndpointSlice. The agent cannot release these objects',
    actor: 'operator',
    remedy:
      'restore the shard of kcp. If it never comes back, annotate the Secret in the message with `hawser.dev/lost-endpoints: <url>`',
    event: 'Warning',
  },
  {
    reason: 'StateForgotten',
    cause:
      'a workspace no longer exists, and nothing of its objects remains on the service cluster. The agent has deleted their state Secrets',
    actor: 'nobody',
    remedy: 'do nothing',
    event: 'Normal',
  },
] as const satisfies readonly Reason[];

const exportEvents = [
  {
    reason: 'AddingPermissionClaims',
    cause: 'the agent has added claims, and consumers must accept them',
    actor: 'consumer',
    remedy: 'accept the claims in the APIBinding',
    event: 'Normal',
  },
  {
    reason: 'AddingResourceSchemas',
    cause: 'the agent has added schemas',
    actor: 'nobody',
    remedy: 'do nothing',
    event: 'Normal',
  },
  {
    reason: 'RemovingResourceSchemas',
    cause: 'the agent has replaced schemas by newer ones of the same resource',
    actor: 'nobody',
    remedy: 'do nothing',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

export const publishedResourceReasons = [
  ...ready,
  ...valid,
  ...schemaPublished,
  ...schemaUpdateHeld,
  ...paused,
  ...exported,
  ...objectsInSync,
  ...startEvents,
  ...stateEvents,
] as const;

export const publishedResourceSubject = {
  kind: 'PublishedResource',
  title: 'PublishedResource (on the service cluster of a syncagent)',
  intro:
    'The syncagent writes the status. Phase and last error follow from the conditions: the phase is `Failed` while `Valid`, `SchemaPublished` or `Exported` is False.',
  groups: [
    {
      condition: 'Ready',
      meaning: 'Sum of the conditions below. It takes the reason of one that is False.',
      reasons: ready,
    },
    { condition: 'Valid', meaning: 'Whether the rules of the spec can be used.', reasons: valid },
    {
      condition: 'SchemaPublished',
      meaning: 'Whether the APIResourceSchema in kcp matches the CRD and the spec, apart from held changes.',
      reasons: schemaPublished,
    },
    {
      condition: 'SchemaUpdateHeld',
      meaning: 'True while a changed schema waits. The previous schema stays published, and `Ready` does not change.',
      reasons: schemaUpdateHeld,
    },
    {
      condition: 'Paused',
      meaning:
        'True while an annotation pauses all writes for the objects; otherwise absent. Schema, export and `Ready` do not change.',
      reasons: paused,
    },
    { condition: 'Exported', meaning: 'Whether the APIExport has the resource.', reasons: exported },
    {
      condition: 'ObjectsInSync',
      meaning:
        'Whether the objects of all workspaces are in step. The reason may also be one of the objects. Absent if no workspace has bound the resource, or if synchronisation is off.',
      reasons: objectsInSync,
    },
    { meaning: 'Reported by an agent that cannot start, and so leaves the status as it is.', reasons: startEvents },
    { meaning: 'About workspaces that are gone or cannot be reached.', reasons: stateEvents },
  ],
} as const satisfies ReasonSubject;

export const apiExportSubject = {
  kind: 'APIExport',
  title: 'APIExport (in the provider workspace of kcp)',
  intro: 'The syncagent reports its changes by Events.',
  groups: [{ meaning: 'The agent writes it after the change.', reasons: exportEvents }],
} as const satisfies ReasonSubject;
