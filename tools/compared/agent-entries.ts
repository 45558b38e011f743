// What the Go agent of api-syncagent does that costs data, leaks, collides, hangs, runs hot or reaches too far, and what ours does. Entries are named after spec/api-syncagent.md §17.
import { type Entry, edge, test } from './entry.ts';

const sync = 'syncagent/syncagent-sync/rough-edges';

export const agentEntries: readonly Entry[] = [
  {
    entry: 'RE-1',
    kind: 'leaks',
    go: 'Each change of a PublishedResource starts one more sync, and the ones before go on by the old rules.',
    ours: 'There is one sync; it is replaced when what it was made of changes.',
    shownBy: edge('syncagent/syncmanager/rough-edges', 'RE-1', [
      'a PublishedResource that changes has one sync, and not one more',
    ]),
  },
  {
    entry: 'RE-2',
    kind: 'reaches too far',
    go: 'A PublishedResource that the selector selects no more is published on.',
    ours: 'It counts as gone, and its sync ends.',
    shownBy: test(
      'syncagent/syncmanager/syncmanager',
      'stops it when the PublishedResource goes, is switched off, or is not selected any more; and makes another for a successor',
    ),
  },
  {
    entry: 'RE-3',
    kind: 'reaches too far',
    go: 'Templates in selectors are filled in for the first object, and the outcome is used for all others, of other tenants too.',
    ours: 'They are filled in for each object.',
    shownBy: edge('syncagent/syncagent-sync/related/rough-edges', 'RE-3', [
      'a selector is filled in for each object, and not once for all',
    ]),
  },
  {
    entry: 'RE-4',
    kind: 'loses data',
    go: 'What was pushed last of a related object overwrites that of its primary, if both have the same name: the two are patched in turns for ever.',
    ours: 'Each has a key of its own where they collide.',
    shownBy: edge(sync, 'RE-4', ['what was pushed of two objects of one name is remembered apart']),
  },
  {
    entry: 'RE-4',
    kind: 'loses data',
    go: 'Two agents in one namespace, of two installations of kcp, write over each other’s memory where their workspaces have one name.',
    ours: 'Who comes second uses another Secret.',
    shownBy: test(
      'syncagent/syncagent-sync/state-store',
      'has the name of the Go agent’s, and another where a second agent has the same object',
    ),
  },
  {
    entry: 'RE-5',
    kind: 'leaks',
    go: 'State Secrets, with copies of related Secrets in them, stay for ever.',
    ours: 'They go with their object.',
    shownBy: edge(sync, 'RE-5', ['what is remembered of an object goes with it']),
  },
  {
    entry: 'RE-5',
    kind: 'leaks',
    go: 'When a kind is published in another version, all that was remembered is forgotten, and its Secrets stay for ever.',
    ours: 'It goes over to the new version.',
    shownBy: test(
      'syncagent/syncagent-sync/state-store',
      'goes over to another version of the API with all that is remembered, and leaves nothing behind',
    ),
  },
  {
    entry: 'RE-6',
    kind: 'reaches too far',
    go: 'Whatever has the name of a copy is taken over, the copy of another object included.',
    ours: 'What bears marks of another is left alone, and told.',
    shownBy: edge(sync, 'RE-6', ['the copy of another object is not taken over because it has the same name']),
  },
  {
    entry: 'RE-6',
    kind: 'loses data',
    go: 'An adopted object counts as written, so that it differs from its object for ever.',
    ours: 'The difference is told until both agree, or overwritten if that is wanted.',
    shownBy: edge(
      sync,
      'RE-6',
      ['what an adopted object never got is not remembered as if it had'],
      'adoption-remembered-as-written',
    ),
  },
  {
    entry: 'RE-6',
    kind: 'reaches too far',
    go: 'An object that stands in the place of a related one gets the marks of a copy, in workspaces too.',
    ours: 'Related objects bear no marks.',
    shownBy: edge(
      sync,
      'RE-6',
      ['what stands in the place of a related object gets no marks'],
      'adoption-marks-related',
    ),
  },
  {
    entry: 'RE-6',
    kind: 'loses data',
    go: 'Whatever stands in the place of a copy becomes the copy, and is deleted with the object of the workspace.',
    ours: 'It is ours to change and delete only once both say the same; a trial write shows which differences are defaults of the service cluster.',
    shownBy: test(
      'syncagent/syncagent-sync/adoption',
      'and says more than the object is not taken: what is deleted or changed in the workspace leaves it as it is',
    ),
  },
  {
    entry: 'RE-6',
    kind: 'reaches too far',
    go: 'A related object overwrites whatever stands in its place, and takes it along when it goes: a consumer chooses the name.',
    ours: 'Only what the agent made, by its uid, is written and deleted; under `adopt` also what says exactly the same and no controller owns.',
    shownBy: test(
      'syncagent/syncagent-sync/related-ownership',
      'an empty Secret of a consumer takes over nothing that stands in its place, under %s',
    ),
  },
  {
    entry: 'RE-6',
    kind: 'loses data',
    go: 'An object that is being deleted is adopted all the same, because it is asked before it is read.',
    ours: 'It is waited for until it is gone.',
    shownBy: test('syncagent/syncagent-sync/decide', 'is waited for while it is being deleted, under %s, too'),
  },
  {
    entry: 'RE-7',
    kind: 'hangs',
    go: 'An object that the filter selects no more can never be deleted: its finalizer stays.',
    ours: 'What is being deleted is looked at whatever its labels.',
    shownBy: edge(sync, 'RE-7', ['an object that the filter selects no more can still be deleted']),
  },
  {
    entry: 'RE-8',
    kind: 'loses data',
    go: 'Of two primaries that refer to one object, the first to go takes away its finalizer.',
    ours: 'It stays until the last of them goes.',
    shownBy: edge(sync, 'RE-8', [
      'the finalizer of an object that two primaries refer to stays until the last of them goes',
    ]),
  },
  {
    entry: 'RE-8',
    kind: 'loses data',
    go: 'What one PublishedResource publishes and another refers to goes with the first copy that is gone: whichever comes first takes away the finalizer of both.',
    ours: 'The syncs of an agent know of each other, and the last one takes it away.',
    shownBy: edge('syncagent/syncagent-sync/neighbours.integration', 'RE-8', [
      'an object that one sync publishes and another refers to keeps its finalizer until both copies are gone',
    ]),
  },
  {
    entry: 'RE-8',
    kind: 'loses data',
    go: 'A finalizer that somebody adds at the same moment is overwritten.',
    ours: 'Every write names the version that was looked at.',
    shownBy: edge(
      'syncagent/syncagent-sync/act',
      'RE-8',
      ['a finalizer that somebody adds meanwhile stays'],
      'unconditional-writes',
    ),
  },
  {
    entry: 'RE-9',
    kind: 'leaks',
    go: 'Related objects that are referred to no more keep copy and finalizer, so that their owners cannot delete them.',
    ours: 'What was synced is written down, and cleaned up by that.',
    shownBy: edge(sync, 'RE-9', ['what a primary refers to no more is cleaned up']),
  },
  {
    entry: 'RE-9',
    kind: 'hangs',
    go: 'If somebody has taken away the copy of an object that is deleted, its related objects keep their finalizers for ever.',
    ours: 'They are let go by what was written down.',
    shownBy: edge('syncagent/syncagent-sync/related.integration', 'RE-9', [
      'of a primary whose copy somebody has taken away are let go with it all the same',
    ]),
  },
  {
    entry: 'RE-10',
    kind: 'hangs',
    go: 'A cluster-scoped object has no name by default: each fails for ever, with a finalizer on it.',
    ours: 'It is named after its workspace and its name.',
    shownBy: edge('syncagent/syncagent-sync/naming/rough-edges', 'RE-10', [
      'an object without a namespace has a name by default',
    ]),
  },
  {
    entry: 'RE-11',
    kind: 'hangs',
    go: 'Without a status subresource in kcp the object fails as soon as its copy has a status.',
    ours: 'A status is carried back only where both sides have the subresource.',
    shownBy: edge(sync, 'RE-11', ['a status is carried back only where both sides have the subresource']),
  },
  {
    entry: 'RE-12',
    kind: 'hangs',
    go: 'A claim made through v1alpha2 is added a second time, which kcp refuses: nothing is exported any more.',
    ours: 'It counts as it stands.',
    shownBy: edge('syncagent/syncagent-apiexport/rough-edges', 'RE-12', [
      'a claim that was narrowed through v1alpha2 is not made a second time',
    ]),
  },
  {
    entry: 'RE-12',
    kind: 'hangs',
    go: 'A related resource of two identities is claimed twice, which kcp refuses: nothing is exported any more.',
    ours: 'Who comes second is told, and the others are exported.',
    shownBy: test(
      'syncagent/syncagent-apiexport/decide',
      'has one identity for each claimed resource: who comes second is told',
    ),
  },
  {
    entry: 'RE-14',
    kind: 'hangs',
    go: 'One PublishedResource that cannot be published keeps all others out of the APIExport.',
    ours: 'It alone is told so.',
    shownBy: edge('syncagent/syncagent-apiexport/rough-edges', 'RE-14', [
      'one PublishedResource that cannot be exported keeps no other out',
    ]),
  },
  {
    entry: 'RE-15',
    kind: 'runs hot',
    go: 'Each workspace has a handler, clients and recorders of its own, and every event goes past all of them.',
    ours: 'One watch for each resource, whatever the number of workspaces.',
    shownBy: test(
      'syncagent/syncmanager/syncmanager',
      'has one watch for each resource, whatever the number of workspaces and syncs',
    ),
  },
  {
    entry: 'RE-16',
    kind: 'hangs',
    go: 'A sync that did not come up is taken for one that runs.',
    ours: 'It is started anew, with growing delays.',
    shownBy: test('syncagent/syncmanager/syncmanager', 'starts anew a sync that does not come up'),
  },
  {
    entry: 'RE-16',
    kind: 'hangs',
    go: 'No endpoint counts as bound everywhere: syncs are started for kinds that no server has.',
    ours: 'A sync starts with the first workspace that has bound the export.',
    shownBy: test(
      'syncagent/syncmanager/syncmanager',
      'starts nothing before somebody has bound the export, and then one sync, with what is in the workspaces',
    ),
  },
  {
    entry: 'RE-16',
    kind: 'hangs',
    go: 'A kind that is not served keeps its workspaces from being engaged for all kinds, and one watch that cannot be filled keeps everything waiting.',
    ours: 'Each kind waits for itself, and says so.',
    shownBy: test(
      'syncagent/syncmanager/syncmanager',
      'a kind that cannot be had from kcp keeps no other from being synced, and comes when it can',
    ),
  },
  {
    entry: 'RE-16',
    kind: 'hangs',
    go: 'Of an address that cannot be asked, and of a kind that never comes, nobody is told.',
    ours: 'The PublishedResource says it, with who must act.',
    shownBy: test(
      'syncagent/syncmanager/syncmanager',
      'tells that kcp does not serve a kind, and has the others synced',
    ),
  },
  {
    entry: 'RE-17',
    kind: 'runs hot',
    go: 'Copies of workspaces that are gone are tried for ever.',
    ours: 'They wait, are counted as orphans, and go on when the workspace is back.',
    shownBy: test(
      'syncagent/syncagent-sync/sync.integration',
      'keeps the copies of a workspace that is gone, tells, and goes on when it is back',
    ),
  },
  {
    entry: 'RE-18',
    kind: 'loses data',
    go: 'Two agents with one export both write the same copies.',
    ours: 'The second leaves them alone, and tells who has them.',
    shownBy: edge(sync, 'RE-18', ['the copy of another agent is neither written nor deleted']),
  },
  {
    entry: 'RE-19',
    kind: 'hangs',
    go: 'Changes of related objects are not noticed, and one that is deleted waits for its finalizer, until something happens to the primary.',
    ours: 'What each primary was resolved from is known, and its changes bring it back.',
    shownBy: edge(sync, 'RE-19', ['a change of a related object finds its primary without any watch rule']),
  },
  {
    entry: 'RE-21',
    kind: 'reaches too far',
    go: 'A copy of a related object that cannot be read counts as missing, and is made or taken over.',
    ours: 'Not to know is an error, which is told and tried again.',
    shownBy: edge('syncagent/syncagent-sync/related.integration', 'RE-21', [
      'a copy that cannot be read is not taken for missing',
    ]),
  },
  {
    entry: 'RE-22',
    kind: 'loses data',
    go: 'A rule that rewrites the name makes copies that are never found again.',
    ours: 'No rule changes what says which object it is.',
    shownBy: edge('syncagent/syncagent-sync/mutation/rough-edges', 'RE-22', ['no rule changes which object it is']),
  },
  {
    entry: 'RE-22',
    kind: 'loses data',
    go: 'Numbers become floating point on their way through mutations: integers beyond 2^53 are others afterwards.',
    ours: 'They stay exact.',
    shownBy: test(
      'syncagent/syncagent-sync/mutation/mutations',
      'stay exact through every kind of step, where the Go agent makes doubles of them',
    ),
  },
  {
    entry: 'RE-22',
    kind: 'runs hot',
    go: 'A status that a mutation changes is written back at every look.',
    ours: 'What goes in again comes out as before.',
    shownBy: test(
      'syncagent/syncagent-sync/mutation/mutations',
      'a status comes out as it went in last time: no reconcile finds a difference',
    ),
  },
  {
    entry: 'RE-23',
    kind: 'loses data',
    go: 'Content of one version is written as another, if the service cluster stores that one.',
    ours: 'It is written as the version that is published.',
    shownBy: edge('syncagent/syncmanager/rough-edges', 'RE-23', [
      'what is published as one version is not written as another',
    ]),
  },
  {
    entry: 'RE-24',
    kind: 'hangs',
    go: 'APIs in groups of Kubernetes are refused by kcp for ever, because what says that they were approved is left out.',
    ours: 'It is carried along.',
    shownBy: edge('syncagent/apiresourceschema/projection/rough-edges', 'RE-24', [
      'an API in a group of Kubernetes takes along what says that it was approved, without which kcp refuses it',
    ]),
  },
  {
    entry: 'RE-24',
    kind: 'hangs',
    go: 'A type of the core API without a group of its own gets a name that kcp refuses for ever.',
    ours: 'It gets the name that kcp wants, and the PublishedResource says that it needs a group.',
    shownBy: test(
      'syncagent/apiresourceschema/apiresourceschema.integration',
      'refuses a core type without a group of its own, and an unknown one, and says who must act',
    ),
  },
  {
    entry: 'RE-25',
    kind: 'hangs',
    go: 'One aggregated API that is down keeps everything from being published.',
    ours: 'Only the group of the published kind is asked.',
    shownBy: test(
      'syncagent/apiresourceschema/discovery/discover-crd.integration',
      'an aggregated API that is broken is no obstacle to others',
    ),
  },
  {
    entry: 'RE-25',
    kind: 'hangs',
    go: 'Changes of types without a CRD are never noticed.',
    ours: 'They are looked at again.',
    shownBy: test('syncagent/apiresourceschema/apiresourceschema', 'looks again at types that have no CRD'),
  },
  {
    entry: 'RE-25',
    kind: 'loses data',
    go: 'The hash in the name of a schema has 32 bits: another schema of the same name is taken for the wanted one.',
    ours: 'Its content is compared, and `SchemaNameTaken` says so.',
    shownBy: test('syncagent/apiresourceschema/decide', 'is not taken for something else of its name'),
  },
  {
    entry: 'RE-26',
    kind: 'runs hot',
    go: 'Two agents with the same schema write their names over each other, for ever.',
    ours: 'It serves both, and nobody writes.',
    shownBy: edge('syncagent/apiresourceschema/rough-edges', 'RE-26', [
      'two agents with the same schema do not write their names over each other',
    ]),
  },
  {
    entry: 'RE-28',
    kind: 'hangs',
    go: 'Told to end, it dies with its requests and keeps the Lease, for which the next one waits.',
    ours: 'What runs is ended, and the Lease given back at once.',
    shownBy: test('e2e/agent-lease', 'a leader that is told to stop gives way at once'),
  },
  {
    entry: 'RE-29',
    kind: 'loses data',
    go: 'A label on an object in a workspace says which agent its copy belongs to.',
    ours: 'Keys of kcp and of agents are never carried.',
    shownBy: edge(sync, 'RE-29', ['nobody in a workspace says whose copy an object is']),
  },
  {
    entry: 'RE-30',
    kind: 'hangs',
    go: 'A name that no API server takes, `<no value>` included, is sent again and again.',
    ours: 'It is refused before, with the field and what would help.',
    shownBy: edge('syncagent/syncagent-sync/naming/rough-edges', 'RE-30', [
      'a name that is none is refused, and not sent',
    ]),
  },
  {
    entry: 'RE-30',
    kind: 'loses data',
    go: 'Copies without a namespace have one name for objects of several namespaces: they take each other’s.',
    ours: 'The default name tells them apart; where rules do not, `NameTaken` says so and neither is touched.',
    shownBy: test(
      'syncagent/syncagent-sync/naming/naming',
      'tell objects of two namespaces apart where their copies have none',
    ),
  },
  {
    entry: 'RE-31',
    kind: 'hangs',
    go: 'A template, pattern or expression that is wrong is found with each object, in workspaces, one after the other.',
    ours: 'All rules are compiled first, and everything that is wrong stands on the PublishedResource.',
    shownBy: test(
      'syncagent/syncagent-sync/compile-rules',
      'are refused as a whole, with everything that is wrong and where',
    ),
  },
  {
    entry: 'RE-32',
    kind: 'reaches too far',
    go: 'Templates of a PublishedResource read the environment of the process, credentials included.',
    ours: 'They see none of it.',
    shownBy: test('syncagent/syncagent-sync/naming/naming', 'cannot read the environment'),
  },
  {
    entry: 'RE-32',
    kind: 'reaches too far',
    go: 'The debug log has patches whole, those of Secrets included.',
    ours: 'No content of related objects is in a log or an Event.',
    shownBy: test(
      'syncagent/syncagent-sync/related.integration',
      'have nothing of their content in logs and Events, whatever is refused',
    ),
  },
  {
    entry: 'RE-35',
    kind: 'runs hot',
    go: 'Everything that was changed is looked at again every five seconds, and kcp is asked every second until it serves a kind.',
    ours: 'Events end it: an object costs the writes that the contract needs, and none when it is in step.',
    shownBy: test(
      'syncagent/syncagent-sync/sync.integration',
      'needs two writes for an object on the service cluster, one of them to remember it, and none for one in step, restarts included',
    ),
  },
  {
    entry: 'RE-37',
    kind: 'hangs',
    go: 'An object whose related ones cannot be found can never be deleted.',
    ours: 'Its deletion waits for them for a minute, and says so.',
    shownBy: edge('syncagent/syncagent-sync/related.integration', 'RE-37', [
      'the deletion of an object does not wait for ever for related ones that cannot be found',
    ]),
  },
  {
    entry: 'RE-39',
    kind: 'hangs',
    go: 'When a PublishedResource goes, finalizers stay: objects and workspaces cannot be deleted any more.',
    ours: 'Every object is let go, with or without its copy.',
    shownBy: test('syncagent/syncagent-sync/sync.integration', 'lets every object go when the publication ends: %s'),
  },
  {
    entry: 'RE-39',
    kind: 'hangs',
    go: 'A PublishedResource that is deleted while the agent is down is never noticed: finalizers stay.',
    ours: 'What is published is written down, and let go after the start.',
    shownBy: test(
      'syncagent/syncmanager/syncmanager',
      'notices a PublishedResource that was deleted while it was down, and lets its objects go',
    ),
  },
  {
    entry: 'RE-40',
    kind: 'leaks',
    go: 'Namespaces that the agent made stay for ever.',
    ours: 'Those that it made go with the last thing in them.',
    shownBy: test(
      'syncagent/syncagent-sync/sync.integration',
      'deletes the copy with its object, and leaves nothing behind: no finalizer, no memory, no namespace of its own',
    ),
  },
  {
    entry: 'RE-41',
    kind: 'runs hot',
    go: 'A write that is refused for good is tried at every event, and its user is told nothing but that it failed.',
    ours: 'It is parked, and the object has an Event with the reason and who must act.',
    shownBy: edge(sync, 'RE-41', [
      'a step that is refused for good is tried ever less often, whatever happens to the object',
    ]),
  },
  {
    entry: 'RE-42',
    kind: 'loses data',
    go: 'Copies are patched whatever has happened to them since they were looked at.',
    ours: 'Every patch names the version that was looked at, and is decided anew after a conflict.',
    shownBy: edge(
      'syncagent/syncagent-sync/act',
      'RE-42',
      ['a copy that was changed since it was looked at is not patched unseen'],
      'unconditional-writes',
    ),
  },
  {
    entry: 'kubeconfig',
    kind: 'hangs',
    go: 'The kcp kubeconfig is read once: when its credentials end, so does everything, until a restart.',
    ours: 'It is followed, and watches go on.',
    shownBy: test('e2e/agent', 'follows a new kcp kubeconfig without a restart'),
  },
  {
    entry: 'workspaces',
    kind: 'leaks',
    go: 'A workspace that is deleted while the agent is down can never be told from one that is out of reach.',
    ours: 'Its finalizers hold it until its objects were looked at: copies and workspace go then.',
    shownBy: test('e2e/agent-life', 'let a workspace go that was deleted while they were down, and delete its copies'),
  },
  {
    entry: 'start',
    kind: 'hangs',
    go: 'An export that is missing, or a kcp that does not answer, ends the process; PublishedResources do not say why nothing happens.',
    ours: 'It is looked for again, ever less often, and each PublishedResource has an Event that says who must act.',
    shownBy: test(
      'syncagent/publication/failed-starts',
      'an export that is missing is told on the PublishedResources of the agent, once it has lasted',
    ),
  },
];
