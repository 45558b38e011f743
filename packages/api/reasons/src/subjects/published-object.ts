import type { Reason, ReasonSubject } from '../reason.js';

const held = [
  {
    reason: 'Paused',
    cause:
      'the annotation `hawser.dev/paused` on the object or on the PublishedResource wants nothing to be written; deletions and related objects wait too',
    actor: 'consumer',
    remedy: 'remove the annotation',
    event: 'Warning',
  },
  {
    reason: 'NamingFailed',
    cause: 'the naming rules yield no legal name for this object',
    actor: 'provider',
    remedy: 'correct `spec.naming`, or the field of the object that it reads',
    event: 'Warning',
  },
  {
    reason: 'MutationFailed',
    cause: 'a mutation rule cannot be applied to this object',
    actor: 'provider',
    remedy: 'correct `spec.mutation`',
    event: 'Warning',
  },
  {
    reason: 'NameTaken',
    cause: 'the copy of another object has the name that its copy would have',
    actor: 'provider',
    remedy: 'have `spec.naming` tell these objects apart, or rename this one',
    event: 'Warning',
  },
  {
    reason: 'Occupied',
    cause: 'an object that the agent did not make stands where the copy, or that of a related object, belongs',
    actor: 'provider',
    remedy:
      'remove it, or say by `hawser.dev/adoption` that it becomes the copy; a related one does so only if it says the same and no controller owns it',
    event: 'Warning',
  },
  {
    reason: 'AdoptedDiffers',
    cause: 'what was adopted as the copy has other content, or more than the object',
    actor: 'provider',
    remedy: 'make both agree, or annotate the PublishedResource with `hawser.dev/adoption: overwrite`',
    event: 'Warning',
  },
  {
    reason: 'AdoptionUnproven',
    cause:
      'whether an object in the place of the copy agrees shows only a trial write (dry run), and the service cluster refuses that; the object is not adopted',
    actor: 'provider',
    remedy:
      'remove the cause, which the message quotes, such as a webhook without dry run or a right that is missing; or remove the object',
    event: 'Warning',
  },
  {
    reason: 'OtherAgent',
    cause: 'the copy belongs to another agent',
    actor: 'operator',
    remedy: 'stop one of the two agents, or give the copy the name of this one',
    event: 'Warning',
  },
  {
    reason: 'TwoCopies',
    cause: 'two objects on the service cluster bear the marks of this one',
    actor: 'operator',
    remedy: 'delete one of them, or take its labels off',
    event: 'Warning',
  },
  {
    reason: 'CopyControlled',
    cause: 'something on the service cluster controls the copy: it is neither written nor deleted',
    actor: 'provider',
    remedy: 'remove the owner reference that controls it, or the copy',
    event: 'Warning',
  },
  {
    reason: 'CopyUnproven',
    cause:
      'the object is to be deleted, and its copy bears the marks of a Go agent, but nothing shows that an agent wrote it',
    actor: 'provider',
    remedy: 'delete the copy, or annotate it with `hawser.dev/place: <its namespace>/<its name>`',
    event: 'Warning',
  },
  {
    reason: 'Contested',
    cause: 'another writer changes the copy as often as the agent does',
    actor: 'operator',
    remedy: 'find the other writer; it is tried again after a while',
    event: 'Warning',
  },
  {
    reason: 'StatusContested',
    cause:
      'another writer changes the status of the object as often as the agent does, for example an agent that serves the same APIExport from another service cluster',
    actor: 'operator',
    remedy: 'stop the other one, or give it an APIExport of its own; it is tried again after a while',
    event: 'Warning',
  },
  {
    reason: 'NotSelected',
    cause: 'the filter does not select the object any more, but it has a copy',
    actor: 'consumer',
    remedy: 'change the labels back, or delete the object',
    event: 'Warning',
  },
  {
    reason: 'NamespaceNotVisible',
    cause: 'the filter needs the labels of its namespace, which the workspace does not show',
    actor: 'consumer',
    remedy: 'accept the permission claim on namespaces',
    event: 'Warning',
  },
  {
    reason: 'StateTooLarge',
    cause: 'what was synced last does not fit into the state Secret',
    actor: 'provider',
    remedy: 'make the object or its related objects smaller, or fewer',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const refused = [
  {
    reason: 'RejectedByServiceCluster',
    cause: 'the service cluster does not take the object',
    actor: 'consumer',
    remedy: 'change the object so that it is accepted; the message quotes the server',
    event: 'Warning',
  },
  {
    reason: 'RejectedByWorkspace',
    cause: 'kcp does not take what comes back',
    actor: 'provider',
    remedy: 'correct the published schema, or what is written on the service cluster',
    event: 'Warning',
  },
  {
    reason: 'ForbiddenOnServiceCluster',
    cause: 'the agent lacks a right on the service cluster, or a quota is used up',
    actor: 'provider',
    remedy: 'grant what the message names',
    event: 'Warning',
  },
  {
    reason: 'ForbiddenInWorkspace',
    cause: 'the workspace does not allow it',
    actor: 'consumer',
    remedy: 'accept the permission claims of the APIBinding',
    event: 'Warning',
  },
  {
    reason: 'WorkspaceFull',
    cause: 'the workspace may not have more objects: a limit of kcp, or a ResourceQuota of the workspace',
    actor: 'consumer',
    remedy: 'delete objects that are not needed, or ask the operator of kcp for a higher limit',
    event: 'Warning',
  },
  {
    reason: 'FailedOnServiceCluster',
    cause: 'the service cluster does not serve the resource that way',
    actor: 'provider',
    remedy: 'see the message, which quotes the server',
    event: 'Warning',
  },
  {
    reason: 'FailedInWorkspace',
    cause: 'kcp does not serve the resource that way',
    actor: 'provider',
    remedy: 'see the message, which quotes the server',
    event: 'Warning',
  },
  {
    reason: 'TooDeep',
    cause:
      'the object, its copy or a related object is nested deeper than 500 levels; it stays as it is, and other objects go on',
    actor: 'consumer',
    remedy: 'nest it less deeply',
    event: 'Warning',
  },
  {
    reason: 'NotHandled',
    cause:
      'an error in Hawser keeps it from handling the object; it stays as it is, other objects go on, and it is tried again ever less often',
    actor: 'operator',
    remedy: 'find the error in the log, and report it',
    event: 'Warning',
  },
  {
    reason: 'KeepsFailing',
    cause: 'a server answers with an error that should have passed',
    actor: 'provider',
    remedy: 'see the message; tried again ever less often',
    event: 'Warning',
  },
  {
    reason: 'WritesUndone',
    cause:
      'what the agent writes does not stay, such as its finalizer: an admission webhook or policy, or another client, undoes it each time. It is written again ever less often, 5 min at most',
    actor: 'consumer',
    remedy: 'let the agent write that; the provider, where the message names the provider',
    event: 'Warning',
  },
  {
    reason: 'NoProgress',
    cause: 'the object goes from step to step, and nothing comes of it; tried again ever less often',
    actor: 'operator',
    remedy: 'see the log of the agent for the object, and report it',
    event: 'Warning',
  },
  {
    reason: 'StatusSubresourceMissing',
    cause: 'the status of a related object cannot be passed on',
    actor: 'provider',
    remedy: 'give the resource a status subresource, or leave `syncStatus` out',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const related = [
  {
    reason: 'RelatedUnresolved',
    cause: 'which related objects belong to the object cannot be found out; they are left as they are',
    actor: 'provider',
    remedy: 'correct the entry of `spec.related`, or the field of the object that it reads',
    event: 'Warning',
  },
  {
    reason: 'RelatedUnavailable',
    cause: 'a related resource is not served, or may not be read',
    actor: 'provider',
    remedy: 'correct the entry, install the resource, or grant the right',
    event: 'Warning',
  },
  {
    reason: 'RelatedCollision',
    cause:
      'the copies of two related objects would have one name, also where they are of two objects or workspaces; the first one keeps the place',
    actor: 'provider',
    remedy: 'have the entries tell them apart',
    event: 'Warning',
  },
  {
    reason: 'RelatedOrphaned',
    cause: 'the original of a related copy is gone without a deletion that was seen',
    actor: 'provider',
    remedy: 'delete the copy if it is not needed',
    event: 'Warning',
  },
  {
    reason: 'RelatedLeft',
    cause:
      'a related object was left when its primary was deleted, because it may not be read or let go any more, or its copy in the workspace may not be deleted; or a Go agent synced it, it is referred to no more, and its copy is not what was pushed then. An Event on the PublishedResource names both',
    actor: 'provider',
    remedy: 'delete the copy if it is of no use, and take the finalizer off the original',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const everywhere = [
  {
    reason: 'Orphaned',
    cause: 'copies whose object in kcp is missing are kept',
    actor: 'provider',
    remedy: 'delete them if their workspaces are gone for good',
  },
  {
    reason: 'ServiceClusterNotReadable',
    cause: 'copies or state Secrets cannot be read, so nothing is synced',
    actor: 'provider',
    remedy: 'grant what the message names, or see why the service cluster does not answer',
  },
  {
    reason: 'WorkspacesNotReadable',
    cause: 'a resource, or the APIBindings, cannot be read through the virtual workspace',
    actor: 'operator',
    remedy:
      'see that the APIExport serves or claims it, that the agent may use `apiexports/content`, and that kcp answers',
  },
  {
    reason: 'RelatedNotWatched',
    cause: 'changes of a related resource are noticed late',
    actor: 'provider',
    remedy: 'grant `list` and `watch` on it, or see why the service cluster does not answer',
  },
  {
    reason: 'StateSecretsStay',
    cause: 'state Secrets of deleted objects cannot be removed',
    actor: 'operator',
    remedy: 'grant `delete` on Secrets in the namespace of the agent',
  },
] as const satisfies readonly Reason[];

const events = [
  {
    reason: 'ObjectAccepted',
    cause: 'the finalizer was set',
    actor: 'nobody',
    remedy: 'nothing to do',
    event: 'Normal',
  },
  { reason: 'ObjectPlaced', cause: 'the copy is there', actor: 'nobody', remedy: 'nothing to do', event: 'Normal' },
  {
    reason: 'ObjectSynced',
    cause: 'changes were passed on',
    actor: 'nobody',
    remedy: 'nothing to do',
    event: 'Normal',
  },
  {
    reason: 'ObjectStatusSynced',
    cause: 'the status was brought back',
    actor: 'nobody',
    remedy: 'nothing to do',
    event: 'Normal',
  },
  {
    reason: 'ObjectCleanup',
    cause: 'the deletion was passed on',
    actor: 'nobody',
    remedy: 'nothing to do',
    event: 'Normal',
  },
  {
    reason: 'ObjectDeleted',
    cause: 'nothing of the object is left on the service cluster',
    actor: 'nobody',
    remedy: 'nothing to do',
    event: 'Normal',
  },
] as const satisfies readonly Reason[];

export const publishedObjectSubject = {
  kind: 'PublishedObject',
  title: 'Objects of a published resource (in the workspaces of kcp)',
  intro:
    'The syncagent tells by Events in the workspace, where that accepts them, and names the object in `ObjectsInSync` of the PublishedResource. What only the provider can change is told there in full, and to the consumer by its reason.',
  groups: [
    { meaning: 'Nothing is written for the object.', reasons: held },
    { meaning: 'A server refuses.', reasons: refused },
    { meaning: 'Objects that belong to it.', reasons: related },
    { meaning: 'Of all objects alike, on the PublishedResource.', reasons: everywhere },
    { meaning: 'What was done. Placed and deleted are told by default.', reasons: events },
  ],
} as const satisfies ReasonSubject;
