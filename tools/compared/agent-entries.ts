// What the Go agent of api-syncagent does that costs data, leaks, collides, hangs, runs hot or reaches too far, and what ours does. Entries are named after spec/api-syncagent.md §17.
import { type Entry, edge, test } from './entry.ts';

const sync = 'syncagent/sync/rough-edges';

export const agentEntries: readonly Entry[] = [
  {
    entry: 'RE-1', kind: 'leaks', go: 'Each change of a PublishedResource starts one more sync, and the ones before go on by the old rules.', ours: 'There is one sync; it is replaced when what it was made of changes.',
    shownBy: edge('syncagent/syncmanager/rough-edges', 'RE-1', ['a PublishedResource that changes has one sync, and not one more']),
  },
  {
    entry: 'RE-2', kind: 'reaches too far', go: 'A PublishedResource that the selector selects no more is published on.', ours: 'It counts as gone, and its sync ends.',
    shownBy: test('syncagent/syncmanager/syncmanager', 'stops it when the PublishedResource goes, is switched off, or is not selected any more; and makes another for a successor'),
  },
  {
    entry: 'RE-3', kind: 'reaches too far', go: 'Templates in selectors are filled in for the first object, and the outcome is used for all others, of other tenants too.', ours: 'They are filled in for each object.',
    shownBy: edge('syncagent/related/rough-edges', 'RE-3', ['a selector is filled in for each object, and not once for all']),
  },
  {
    entry: 'RE-4', kind: 'loses data', go: 'What was pushed last of a related object overwrites that of its primary, if both have the same name: the two are patched in turns for ever.', ours: 'Each has a key of its own where they collide.',
    shownBy: edge(sync, 'RE-4', ['what was pushed of two objects of one name is remembered apart']),
  },
  {
    entry: 'RE-5', kind: 'leaks', go: 'State Secrets, with copies of related Secrets in them, stay for ever.', ours: 'They go with their object.',
    shownBy: edge(sync, 'RE-5', ['what is remembered of an object goes with it']),
  },
  {
    entry: 'RE-6', kind: 'reaches too far', go: 'Whatever has the name of a copy is taken over, the copy of another object included.', ours: 'What bears marks of another is left alone, and told.',
    shownBy: edge(sync, 'RE-6', ['the copy of another object is not taken over because it has the same name']),
  },
  {
    entry: 'RE-6', kind: 'loses data', go: 'An adopted object counts as written, so that it differs from its object for ever.', ours: 'The difference is told until both agree, or overwritten if that is wanted.',
    shownBy: edge(sync, 'RE-6', ['what an adopted object never got is not remembered as if it had'], 'adoption-remembered-as-written'),
  },
  {
    entry: 'RE-6', kind: 'reaches too far', go: 'An object that stands in the place of a related one gets the marks of a copy, in workspaces too.', ours: 'Related objects bear no marks.',
    shownBy: edge(sync, 'RE-6', ['what stands in the place of a related object gets no marks'], 'adoption-marks-related'),
  },
  {
    entry: 'RE-7', kind: 'hangs', go: 'An object that the filter selects no more can never be deleted: its finalizer stays.', ours: 'What is being deleted is looked at whatever its labels.',
    shownBy: edge(sync, 'RE-7', ['an object that the filter selects no more can still be deleted']),
  },
  {
    entry: 'RE-8', kind: 'loses data', go: 'Of two primaries that refer to one object, the first to go takes away its finalizer.', ours: 'It stays until the last of them goes.',
    shownBy: edge(sync, 'RE-8', ['the finalizer of an object that two primaries refer to stays until the last of them goes']),
  },
  {
    entry: 'RE-8', kind: 'loses data', go: 'What one PublishedResource publishes and another refers to goes with the first copy that is gone: whichever comes first takes away the finalizer of both.', ours: 'The syncs of an agent know of each other, and the last one takes it away.',
    shownBy: edge('syncagent/sync/neighbours.integration', 'RE-8', ['an object that one sync publishes and another refers to keeps its finalizer until both copies are gone']),
  },
  {
    entry: 'RE-8', kind: 'loses data', go: 'A finalizer that somebody adds at the same moment is overwritten.', ours: 'Every write names the version that was looked at.',
    shownBy: edge('syncagent/sync/act', 'RE-8', ['a finalizer that somebody adds meanwhile stays'], 'unconditional-writes'),
  },
  {
    entry: 'RE-9', kind: 'leaks', go: 'Related objects that are referred to no more keep copy and finalizer, so that their owners cannot delete them.', ours: 'What was synced is written down, and cleaned up by that.',
    shownBy: edge(sync, 'RE-9', ['what a primary refers to no more is cleaned up']),
  },
  {
    entry: 'RE-10', kind: 'hangs', go: 'A cluster-scoped object has no name by default: each fails for ever, with a finalizer on it.', ours: 'It is named after its workspace and its name.',
    shownBy: edge('syncagent/naming/rough-edges', 'RE-10', ['an object without a namespace has a name by default']),
  },
  {
    entry: 'RE-11', kind: 'hangs', go: 'Without a status subresource in kcp the object fails as soon as its copy has a status.', ours: 'A status is carried back only where both sides have the subresource.',
    shownBy: edge(sync, 'RE-11', ['a status is carried back only where both sides have the subresource']),
  },
  {
    entry: 'RE-12', kind: 'hangs', go: 'A claim made through v1alpha2 is added a second time, which kcp refuses: nothing is exported any more.', ours: 'It counts as it stands.',
    shownBy: edge('syncagent/syncagent-apiexport/rough-edges', 'RE-12', ['a claim that was narrowed through v1alpha2 is not made a second time']),
  },
  {
    entry: 'RE-14', kind: 'hangs', go: 'One PublishedResource that cannot be published keeps all others out of the APIExport.', ours: 'It alone is told so.',
    shownBy: edge('syncagent/syncagent-apiexport/rough-edges', 'RE-14', ['one PublishedResource that cannot be exported keeps no other out']),
  },
  {
    entry: 'RE-16', kind: 'hangs', go: 'A sync that did not come up is taken for one that runs.', ours: 'It is started anew, with growing delays.',
    shownBy: test('syncagent/syncmanager/syncmanager', 'starts anew a sync that does not come up'),
  },
  {
    entry: 'RE-17', kind: 'runs hot', go: 'Copies of workspaces that are gone are tried for ever.', ours: 'They wait, are counted as orphans, and go on when the workspace is back.',
    shownBy: test('syncagent/sync/sync.integration', 'keeps the copies of a workspace that is gone, tells, and goes on when it is back'),
  },
  {
    entry: 'RE-18', kind: 'loses data', go: 'Two agents with one export both write the same copies.', ours: 'The second leaves them alone, and tells who has them.',
    shownBy: edge(sync, 'RE-18', ['the copy of another agent is neither written nor deleted']),
  },
  {
    entry: 'RE-19', kind: 'hangs', go: 'Changes of related objects are not noticed, and one that is deleted waits for its finalizer, until something happens to the primary.', ours: 'What each primary was resolved from is known, and its changes bring it back.',
    shownBy: edge(sync, 'RE-19', ['a change of a related object finds its primary without any watch rule']),
  },
  {
    entry: 'RE-21', kind: 'reaches too far', go: 'A copy of a related object that cannot be read counts as missing, and is made or taken over.', ours: 'Not to know is an error, which is told and tried again.',
    shownBy: edge('syncagent/sync/related.integration', 'RE-21', ['a copy that cannot be read is not taken for missing']),
  },
  {
    entry: 'RE-22', kind: 'loses data', go: 'A rule that rewrites the name makes copies that are never found again.', ours: 'No rule changes what says which object it is.',
    shownBy: edge('syncagent/mutation/rough-edges', 'RE-22', ['no rule changes which object it is']),
  },
  {
    entry: 'RE-23', kind: 'loses data', go: 'Content of one version is written as another, if the service cluster stores that one.', ours: 'It is written as the version that is published.',
    shownBy: edge('syncagent/syncmanager/rough-edges', 'RE-23', ['what is published as one version is not written as another']),
  },
  {
    entry: 'RE-24', kind: 'hangs', go: 'APIs in groups of Kubernetes are refused by kcp for ever, because what says that they were approved is left out.', ours: 'It is carried along.',
    shownBy: edge('syncagent/projection/rough-edges', 'RE-24', ['an API in a group of Kubernetes takes along what says that it was approved, without which kcp refuses it']),
  },
  {
    entry: 'RE-25', kind: 'hangs', go: 'One aggregated API that is down keeps everything from being published.', ours: 'Only the group of the published kind is asked.',
    shownBy: test('syncagent/discovery/discover-crd.integration', 'an aggregated API that is broken is no obstacle to others'),
  },
  {
    entry: 'RE-26', kind: 'runs hot', go: 'Two agents with the same schema write their names over each other, for ever.', ours: 'It serves both, and nobody writes.',
    shownBy: edge('syncagent/apiresourceschema/rough-edges', 'RE-26', ['two agents with the same schema do not write their names over each other']),
  },
  {
    entry: 'RE-29', kind: 'loses data', go: 'A label on an object in a workspace says which agent its copy belongs to.', ours: 'Keys of kcp and of agents are never carried.',
    shownBy: edge(sync, 'RE-29', ['nobody in a workspace says whose copy an object is']),
  },
  {
    entry: 'RE-30', kind: 'hangs', go: 'A name that no API server takes, `<no value>` included, is sent again and again.', ours: 'It is refused before, with the field and what would help.',
    shownBy: edge('syncagent/naming/rough-edges', 'RE-30', ['a name that is none is refused, and not sent']),
  },
  {
    entry: 'RE-32', kind: 'reaches too far', go: 'Templates of a PublishedResource read the environment of the process, credentials included.', ours: 'They see none of it.',
    shownBy: test('syncagent/naming/naming', 'cannot read the environment'),
  },
  {
    entry: 'RE-37', kind: 'hangs', go: 'An object whose related ones cannot be found can never be deleted.', ours: 'Its deletion waits for them for a minute, and says so.',
    shownBy: edge('syncagent/sync/related.integration', 'RE-37', ['the deletion of an object does not wait for ever for related ones that cannot be found']),
  },
  {
    entry: 'RE-39', kind: 'hangs', go: 'When a PublishedResource goes, finalizers stay: objects and workspaces cannot be deleted any more.', ours: 'Every object is let go, with or without its copy.',
    shownBy: test('syncagent/sync/sync.integration', 'lets every object go when the publication ends: %s'),
  },
  {
    entry: 'RE-40', kind: 'leaks', go: 'Namespaces that the agent made stay for ever.', ours: 'Those that it made go with the last thing in them.',
    shownBy: test('syncagent/sync/sync.integration', 'deletes the copy with its object, and leaves nothing behind: no finalizer, no memory, no namespace of its own'),
  },
  {
    entry: 'RE-41', kind: 'runs hot', go: 'A write that is refused for good is tried at every event, and its user is told nothing but that it failed.', ours: 'It is parked, and the object has an Event with the reason and who must act.',
    shownBy: edge(sync, 'RE-41', ['a step that is refused for good is tried ever less often, whatever happens to the object']),
  },
  {
    entry: 'RE-42', kind: 'loses data', go: 'Copies are patched whatever has happened to them since they were looked at.', ours: 'Every patch names the version that was looked at, and is decided anew after a conflict.',
    shownBy: edge('syncagent/sync/act', 'RE-42', ['a copy that was changed since it was looked at is not patched unseen'], 'unconditional-writes'),
  },
];
