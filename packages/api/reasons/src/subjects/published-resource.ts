import type { Reason, ReasonSubject } from '../reason.js';

const ready = [
  { reason: 'Published', cause: 'the schema is in kcp and in the APIExport', actor: 'nobody', remedy: 'nothing to do' },
  { reason: 'Pending', cause: 'the schema is on its way into the APIExport', actor: 'nobody', remedy: 'wait' },
] as const satisfies readonly Reason[];

const valid = [
  { reason: 'Valid', cause: 'the rules can be used', actor: 'nobody', remedy: 'nothing to do' },
  {
    reason: 'RulesInvalid',
    cause: 'a template, pattern, expression or path cannot be used; no object is touched',
    actor: 'provider',
    remedy: 'correct the fields that the message lists',
  },
] as const satisfies readonly Reason[];

const schemaPublished = [
  {
    reason: 'ResourceNotDiscovered',
    cause: 'the service cluster has no such kind, or does not tell',
    actor: 'provider',
    remedy: 'install it, or correct `spec.resource`; tried again with back-off',
    event: 'Warning',
  },
  {
    reason: 'ProjectionInvalid',
    cause: 'the resource cannot be published under these names, versions or this group',
    actor: 'provider',
    remedy: 'correct the fields that the message lists',
    event: 'Warning',
  },
  {
    reason: 'KindTaken',
    cause:
      'another PublishedResource publishes another resource of the same kind and group, or the APIExport still has one that was published before: what consumers apply would go to either',
    actor: 'provider',
    remedy:
      'give one of them another kind or group by `spec.projection`, or delete it; or have the operator take out of the APIExport what is of no use any more',
    event: 'Warning',
  },
  {
    reason: 'SchemaNameTaken',
    cause: 'an APIResourceSchema of the same name has another content',
    actor: 'operator',
    remedy: 'delete it, if no APIExport lists it',
    event: 'Warning',
  },
  {
    reason: 'SchemaNotWritten',
    cause: 'kcp does not take the APIResourceSchema',
    actor: 'operator',
    remedy: 'check the rights of the agent in the provider workspace, and the schema; the message quotes kcp',
    event: 'Warning',
  },
  {
    reason: 'ReconcilingError',
    cause: 'the Event that goes with each of these',
    actor: 'provider',
    remedy: 'see the condition',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const schemaUpdateHeld = [
  {
    reason: 'BreakingSchemaChange',
    cause: 'the CRD has changed in a way that some objects in workspaces may not survive',
    actor: 'provider',
    remedy: 'go back on the change, or approve it by `hawser.dev/schema-approved` as the message says',
    event: 'Warning',
  },
  {
    reason: 'IncompatibleSchemaChange',
    cause: 'the CRD has changed to one that objects in workspaces do not fit',
    actor: 'provider',
    remedy: 'publish another version or kind instead, or approve it by `hawser.dev/schema-approved`',
    event: 'Warning',
  },
  {
    reason: 'SchemaUpdatesOff',
    cause: 'the CRD has changed, and `hawser.dev/schema-update` is `Never`',
    actor: 'provider',
    remedy: 'approve it by `hawser.dev/schema-approved`, or change the policy',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const paused = [
  {
    reason: 'Paused',
    cause: 'the annotation `hawser.dev/paused` on the PublishedResource wants nothing to be written for its objects',
    actor: 'provider',
    remedy: 'remove the annotation',
  },
] as const satisfies readonly Reason[];

const exported = [
  {
    reason: 'Exported',
    cause: 'the APIExport lists the schema, and claims what it needs',
    actor: 'nobody',
    remedy: 'nothing to do',
  },
  {
    reason: 'APIExportNotFound',
    cause: 'the APIExport is not in the provider workspace',
    actor: 'operator',
    remedy: 'create it, or name another',
  },
  {
    reason: 'APIExportOfAnotherAgent',
    cause: 'another agent has put its name on the APIExport',
    actor: 'operator',
    remedy: 'use another APIExport, or stop the other agent and remove the annotation `syncagent.kcp.io/agent-name`',
  },
  {
    reason: 'APIExportUnreadable',
    cause: 'an annotation in which kcp keeps claims or resources is broken',
    actor: 'operator',
    remedy: 'correct or remove the annotation',
  },
  {
    reason: 'APIExportRefused',
    cause: 'kcp does not take what this PublishedResource adds to the APIExport',
    actor: 'provider',
    remedy: 'see what kcp says in the message; tried again after five minutes',
  },
  {
    reason: 'ResourcePublishedTwice',
    cause: 'an older PublishedResource publishes a resource of the same plural and group',
    actor: 'provider',
    remedy: 'project one of them to another kind, plural or group, or delete it',
  },
  {
    reason: 'ResourceStoredElsewhere',
    cause: 'the APIExport has the resource already, with virtual storage',
    actor: 'provider',
    remedy: 'project it to another plural or group',
  },
  {
    reason: 'SchemaNameInvalid',
    cause: '`status.resourceSchemaName` is not a name of a schema',
    actor: 'operator',
    remedy: 'empty that field',
  },
  {
    reason: 'ClaimNeedsIdentityHash',
    cause: 'a related resource comes from another APIExport, and nothing says which',
    actor: 'provider',
    remedy: 'set `identityHash` in `spec.related`',
  },
  {
    reason: 'ClaimOfAnotherIdentity',
    cause: 'the APIExport claims the related resource of another APIExport already',
    actor: 'provider',
    remedy: 'use the same `identityHash`, or publish through another APIExport',
  },
] as const satisfies readonly Reason[];

const objectsInSync = [
  { reason: 'InStep', cause: 'all objects are in step', actor: 'nobody', remedy: 'nothing to do' },
  {
    reason: 'ObjectsFailing',
    cause: 'objects are not in step, for several reasons',
    actor: 'provider',
    remedy: 'see the objects that the message names, each with who must act',
  },
  {
    reason: 'EndpointSliceNotFound',
    cause: 'the APIExportEndpointSlice is not there',
    actor: 'operator',
    remedy: 'create it, or name another',
  },
  {
    reason: 'EndpointUnusable',
    cause: 'an address in the APIExportEndpointSlice cannot be asked',
    actor: 'operator',
    remedy: 'correct the address of the shard of kcp',
  },
  {
    reason: 'NotServed',
    cause: 'kcp does not serve the resource through any endpoint',
    actor: 'operator',
    remedy:
      'wait; if it lasts, see whether the APIExport lists the schema, and whether the agent may use `apiexports/content`',
  },
] as const satisfies readonly Reason[];

const startEvents = [
  {
    reason: 'KcpNotReached',
    cause: 'the agent cannot look for its APIExport: kcp does not answer, or refuses it',
    actor: 'operator',
    remedy:
      'check kcp, the kubeconfig of the agent, and its rights in the provider workspace; tried again with back-off',
    event: 'Warning',
  },
  {
    reason: 'ExportNotLocated',
    cause: 'the APIExportEndpointSlice, or the APIExport that it names, is not there',
    actor: 'operator',
    remedy: 'create it, or name another; looked for again with back-off',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const stateEvents = [
  {
    reason: 'EndpointMissing',
    cause:
      'the PublishedResource is deleted, and an endpoint at which it has objects is missing from the APIExportEndpointSlice, so that they cannot be let go',
    actor: 'operator',
    remedy:
      'bring the shard of kcp back; if it never comes back, annotate the Secret that the message names with `hawser.dev/lost-endpoints: <url>`',
    event: 'Warning',
  },
  {
    reason: 'StateForgotten',
    cause:
      'a workspace does not exist any more and nothing of its objects is left on the service cluster, so that their state Secrets were deleted',
    actor: 'nobody',
    remedy: 'nothing to do',
    event: 'Normal',
  },
] as const satisfies readonly Reason[];

const exportEvents = [
  {
    reason: 'AddingPermissionClaims',
    cause: 'claims were added; consumers must accept them',
    actor: 'consumer',
    remedy: 'accept them in the APIBinding',
    event: 'Normal',
  },
  {
    reason: 'AddingResourceSchemas',
    cause: 'schemas were added',
    actor: 'nobody',
    remedy: 'nothing to do',
    event: 'Normal',
  },
  {
    reason: 'RemovingResourceSchemas',
    cause: 'schemas were replaced by newer ones of the same resource',
    actor: 'nobody',
    remedy: 'nothing to do',
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
    'The syncagent writes the status. Phase and last error follow from the conditions: `Failed` where one of `Valid`, `SchemaPublished` and `Exported` is False.',
  groups: [
    {
      condition: 'Ready',
      meaning: 'The sum of the conditions below; one that is False gives its reason.',
      reasons: ready,
    },
    { condition: 'Valid', meaning: 'Whether the rules of the spec can be used.', reasons: valid },
    {
      condition: 'SchemaPublished',
      meaning: 'Whether the APIResourceSchema is in kcp as the CRD and the spec have it, but for what is held.',
      reasons: schemaPublished,
    },
    {
      condition: 'SchemaUpdateHeld',
      meaning: 'True while a changed schema waits; the one before stays published, and `Ready` is not concerned.',
      reasons: schemaUpdateHeld,
    },
    {
      condition: 'Paused',
      meaning:
        'True while nothing is written for the objects, because an annotation pauses them; else absent. Schema and export are not concerned, and `Ready` neither.',
      reasons: paused,
    },
    { condition: 'Exported', meaning: 'Whether the APIExport has it.', reasons: exported },
    {
      condition: 'ObjectsInSync',
      meaning:
        'Whether the objects of all workspaces are in step. A reason may also be that of the objects. Absent where no workspace has bound it, or synchronisation is off.',
      reasons: objectsInSync,
    },
    { meaning: 'Written by an agent that cannot begin, and so leaves the status as it is.', reasons: startEvents },
    { meaning: 'Of workspaces that are gone, or out of reach.', reasons: stateEvents },
  ],
} as const satisfies ReasonSubject;

export const apiExportSubject = {
  kind: 'APIExport',
  title: 'APIExport (in the provider workspace of kcp)',
  intro: 'The syncagent tells by Events what it has changed.',
  groups: [{ meaning: 'Written after the change.', reasons: exportEvents }],
} as const satisfies ReasonSubject;
