import type { Reason, ReasonSubject } from '../reason.js';

const held = [
  {
    reason: 'Paused',
    cause:
      'the annotation `hawser.dev/paused` on the object or on the PublishedResource stops all writes. Deletions and related objects wait too',
    actor: 'consumer',
    remedy: 'remove the annotation',
    event: 'Warning',
  },
  {
    reason: 'NamingFailed',
    cause: 'the naming rules give no valid name for this object',
    actor: 'provider',
    remedy: 'correct `spec.naming`, or the field of the object that it reads',
    event: 'Warning',
  },
  {
    reason: 'MutationFailed',
    cause: 'the agent cannot apply a mutation rule to this object',
    actor: 'provider',
    remedy: 'correct `spec.mutation`',
    event: 'Warning',
  },
  {
    reason: 'NameTaken',
    cause: 'the copy of another object already has the name for this copy',
    actor: 'provider',
    remedy: 'change `spec.naming` to give these objects different names, or rename this object',
    event: 'Warning',
  },
  {
    reason: 'Occupied',
    cause: 'an object that the agent did not make stands in the place of the copy, or of the copy of a related object',
    actor: 'provider',
    remedy:
      'remove the object, or let `hawser.dev/adoption` make it the copy. A related object becomes the copy only if it has the same content and no controller owns it',
    event: 'Warning',
  },
  {
    reason: 'AdoptedDiffers',
    cause: 'the adopted object differs from its original, or has additional content',
    actor: 'provider',
    remedy: 'make both equal, or annotate the PublishedResource with `hawser.dev/adoption: overwrite`',
    event: 'Warning',
  },
  {
    reason: 'AdoptionUnproven',
    cause:
      'only a trial write (dry run) can show whether the object in the place of the copy is equal, and the service cluster refuses it. The agent does not adopt the object',
    actor: 'provider',
    remedy:
      'remove the cause in the message, such as a webhook without dry run or a missing right; or remove the object',
    event: 'Warning',
  },
  {
    reason: 'OtherAgent',
    cause: 'the copy belongs to another agent',
    actor: 'operator',
    remedy: 'stop one of the two agents, or set the name of this agent on the copy',
    event: 'Warning',
  },
  {
    reason: 'TwoCopies',
    cause: 'two objects on the service cluster have the marks of this object',
    actor: 'operator',
    remedy: 'delete one of them, or remove its labels',
    event: 'Warning',
  },
  {
    reason: 'CopyControlled',
    cause: 'a controller on the service cluster owns the copy. The agent neither writes nor deletes it',
    actor: 'provider',
    remedy: 'remove the owner reference of that controller, or remove the copy',
    event: 'Warning',
  },
  {
    reason: 'CopyUnproven',
    cause:
      'the object is being deleted. Its copy has the marks of a Go agent, but nothing shows that an agent wrote it',
    actor: 'provider',
    remedy: 'delete the copy, or annotate it with `hawser.dev/place: <its namespace>/<its name>`',
    event: 'Warning',
  },
  {
    reason: 'Contested',
    cause: 'another writer changes the copy as often as the agent does',
    actor: 'operator',
    remedy: 'find the other writer. The agent retries after a while',
    event: 'Warning',
  },
  {
    reason: 'StatusContested',
    cause:
      'another writer changes the status of the object as often as the agent does, for example an agent that serves the same APIExport from another service cluster',
    actor: 'operator',
    remedy: 'stop the other writer, or give it an APIExport of its own. The agent retries after a while',
    event: 'Warning',
  },
  {
    reason: 'NotSelected',
    cause: 'the filter no longer selects the object, but it has a copy',
    actor: 'consumer',
    remedy: 'change the labels back, or delete the object',
    event: 'Warning',
  },
  {
    reason: 'NamespaceNotVisible',
    cause: "the filter needs the labels of the object's namespace, and the workspace does not show them",
    actor: 'consumer',
    remedy: 'accept the permission claim on namespaces',
    event: 'Warning',
  },
  {
    reason: 'StateTooLarge',
    cause: 'the content synced last does not fit into the state Secret',
    actor: 'provider',
    remedy: 'make the object smaller, or its related objects smaller or fewer',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const refused = [
  {
    reason: 'RejectedByServiceCluster',
    cause: 'the service cluster refuses the object',
    actor: 'consumer',
    remedy: 'change the object until the service cluster accepts it; the message quotes the API server',
    event: 'Warning',
  },
  {
    reason: 'RejectedByWorkspace',
    cause: 'kcp refuses the content that comes back',
    actor: 'provider',
    remedy: 'correct the published schema, or the content on the service cluster',
    event: 'Warning',
  },
  {
    reason: 'ForbiddenOnServiceCluster',
    cause: 'the agent lacks a right on the service cluster, or a quota is used up',
    actor: 'provider',
    remedy: 'grant the right that the message names',
    event: 'Warning',
  },
  {
    reason: 'ForbiddenInWorkspace',
    cause: 'the workspace does not allow the request',
    actor: 'consumer',
    remedy: 'accept the permission claims of the APIBinding',
    event: 'Warning',
  },
  {
    reason: 'WorkspaceFull',
    cause: 'the workspace has reached a limit of kcp or a ResourceQuota',
    actor: 'consumer',
    remedy: 'delete objects that you do not need, or ask the operator of kcp for a higher limit',
    event: 'Warning',
  },
  {
    reason: 'FailedOnServiceCluster',
    cause: 'the service cluster does not serve the resource in this way',
    actor: 'provider',
    remedy: 'follow the message, which quotes the API server',
    event: 'Warning',
  },
  {
    reason: 'FailedInWorkspace',
    cause: 'kcp does not serve the resource in this way',
    actor: 'provider',
    remedy: 'follow the message, which quotes the API server',
    event: 'Warning',
  },
  {
    reason: 'TooDeep',
    cause:
      'the object, its copy or a related object is nested deeper than 500 levels. It stays as it is, and other objects sync',
    actor: 'consumer',
    remedy: 'nest the object less deeply',
    event: 'Warning',
  },
  {
    reason: 'NotHandled',
    cause:
      'an error in Hawser prevents it from handling the object. The object stays as it is, and other objects sync. Hawser retries less and less often',
    actor: 'operator',
    remedy: 'find the error in the log, and report it',
    event: 'Warning',
  },
  {
    reason: 'KeepsFailing',
    cause: 'a server keeps answering with an error that usually passes',
    actor: 'provider',
    remedy: 'follow the message. The agent retries less and less often',
    event: 'Warning',
  },
  {
    reason: 'WritesUndone',
    cause:
      'a write of the agent does not stay, for example its finalizer: an admission webhook or policy, or another client, undoes it each time. The agent writes again less and less often, but at least every 5 min',
    actor: 'consumer',
    remedy: "allow the agent's write; the provider does so where the message names the provider",
    event: 'Warning',
  },
  {
    reason: 'NoProgress',
    cause: 'the konnector takes step after step for the object without a result. It retries less and less often',
    actor: 'operator',
    remedy: "find the object in the agent's log, and report it",
    event: 'Warning',
  },
  {
    reason: 'StatusSubresourceMissing',
    cause: 'the agent cannot pass on the status of a related object',
    actor: 'provider',
    remedy: 'give the resource a status subresource, or remove `syncStatus`',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const related = [
  {
    reason: 'RelatedUnresolved',
    cause: 'the agent cannot find out which related objects belong to the object. It leaves them as they are',
    actor: 'provider',
    remedy: 'correct the entry of `spec.related`, or the field of the object that it reads',
    event: 'Warning',
  },
  {
    reason: 'RelatedUnavailable',
    cause: 'a related resource is not served, or the agent lacks the right to read it',
    actor: 'provider',
    remedy: 'correct the entry, install the resource, or grant the right',
    event: 'Warning',
  },
  {
    reason: 'RelatedCollision',
    cause:
      'the copies of two related objects would have the same name, even across objects or workspaces. The first one keeps the name',
    actor: 'provider',
    remedy: 'change the entries to give the copies different names',
    event: 'Warning',
  },
  {
    reason: 'RelatedOrphaned',
    cause: 'the original of a related copy is gone, but the agent did not see its deletion',
    actor: 'provider',
    remedy: 'delete the copy if you do not need it',
    event: 'Warning',
  },
  {
    reason: 'RelatedLeft',
    cause:
      'a related object stayed when its primary was deleted: the agent may no longer read or release it, or may not delete its copy in the workspace. Or a Go agent synced it, no object refers to it any more, and its copy has changed since the last push. An Event on the PublishedResource names both',
    actor: 'provider',
    remedy: 'delete the copy if you do not need it, and remove the finalizer from the original',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const everywhere = [
  {
    reason: 'Orphaned',
    cause: 'the agent keeps copies whose object in kcp is missing',
    actor: 'provider',
    remedy: 'delete the copies if their workspaces are gone for good',
  },
  {
    reason: 'ServiceClusterNotReadable',
    cause: 'the agent cannot read copies or state Secrets. It syncs nothing',
    actor: 'provider',
    remedy: 'grant the right that the message names, or check why the service cluster does not answer',
  },
  {
    reason: 'WorkspacesNotReadable',
    cause: 'the agent cannot read a resource or the APIBindings through the virtual workspace',
    actor: 'operator',
    remedy:
      'check that the APIExport serves or claims the resource, that the agent may use `apiexports/content`, and that kcp answers',
  },
  {
    reason: 'RelatedNotWatched',
    cause: 'the agent notices changes of a related resource late',
    actor: 'provider',
    remedy: 'grant `list` and `watch` on the resource, or check why the service cluster does not answer',
  },
  {
    reason: 'StateSecretsStay',
    cause: 'the agent cannot delete state Secrets of deleted objects',
    actor: 'operator',
    remedy: 'grant `delete` on Secrets in the namespace of the agent',
  },
] as const satisfies readonly Reason[];

const events = [
  {
    reason: 'ObjectAccepted',
    cause: 'the agent has set its finalizer',
    actor: 'nobody',
    remedy: 'do nothing',
    event: 'Normal',
  },
  { reason: 'ObjectPlaced', cause: 'the copy exists', actor: 'nobody', remedy: 'do nothing', event: 'Normal' },
  {
    reason: 'ObjectSynced',
    cause: 'the agent has passed changes on',
    actor: 'nobody',
    remedy: 'do nothing',
    event: 'Normal',
  },
  {
    reason: 'ObjectStatusSynced',
    cause: 'the agent has brought the status back',
    actor: 'nobody',
    remedy: 'do nothing',
    event: 'Normal',
  },
  {
    reason: 'ObjectCleanup',
    cause: 'the agent has passed the deletion on',
    actor: 'nobody',
    remedy: 'do nothing',
    event: 'Normal',
  },
  {
    reason: 'ObjectDeleted',
    cause: 'nothing of the object remains on the service cluster',
    actor: 'nobody',
    remedy: 'do nothing',
    event: 'Normal',
  },
] as const satisfies readonly Reason[];

export const publishedObjectSubject = {
  kind: 'PublishedObject',
  title: 'Objects of a published resource (in the workspaces of kcp)',
  intro:
    'The syncagent writes Events in the workspace, if the workspace accepts them, and names the object in `ObjectsInSync` of the PublishedResource. If only the provider can act, the PublishedResource has the whole message, and the consumer gets only the reason.',
  groups: [
    { meaning: 'The agent writes nothing for the object.', reasons: held },
    { meaning: 'A server refuses a request.', reasons: refused },
    { meaning: 'Problems with related objects.', reasons: related },
    { meaning: 'Problems of all objects together, on the PublishedResource.', reasons: everywhere },
    { meaning: 'What the agent did. By default it reports `ObjectPlaced` and `ObjectDeleted`.', reasons: events },
  ],
} as const satisfies ReasonSubject;
