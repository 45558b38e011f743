// Behaviour of the Go agent of api-syncagent that loses data, leaks, collides, hangs, runs hot or reaches too far, and what Hawser does instead. Entries are named after spec/api-syncagent.md §17.
import { type Entry, edge, test } from './entry.ts';

const sync = 'syncagent/syncagent-sync/rough-edges';

export const agentEntries: readonly Entry[] = [
  {
    entry: 'RE-1',
    kind: 'leaks',
    go: 'Each change of a PublishedResource starts another sync. The previous syncs keep running with the old rules.',
    ours: 'One sync runs. Hawser replaces it when its inputs change.',
    shownBy: edge('syncagent/syncmanager/rough-edges', 'RE-1', [
      'a PublishedResource that changes has one sync, and not one more',
    ]),
  },
  {
    entry: 'RE-2',
    kind: 'reaches too far',
    go: 'The agent keeps publishing a PublishedResource that its selector no longer selects.',
    ours: 'The agent treats it as deleted, and its sync ends.',
    shownBy: test(
      'syncagent/syncmanager/syncmanager',
      'stops it when the PublishedResource goes, is switched off, or is not selected any more; and makes another for a successor',
    ),
  },
  {
    entry: 'RE-3',
    kind: 'reaches too far',
    go: 'The agent evaluates templates in selectors for the first object, and uses the result for all others, even of other tenants.',
    ours: 'The agent evaluates them for each object.',
    shownBy: edge('syncagent/syncagent-sync/related/rough-edges', 'RE-3', [
      'a selector is filled in for each object, and not once for all',
    ]),
  },
  {
    entry: 'RE-4',
    kind: 'loses data',
    go: 'The record of a related object overwrites that of its primary if both have the same name. The agent patches the two in turns for ever.',
    ours: 'Each has its own key where names collide.',
    shownBy: edge(sync, 'RE-4', ['what was pushed of two objects of one name is remembered apart']),
  },
  {
    entry: 'RE-4',
    kind: 'loses data',
    go: 'Two agents of two installations of kcp, in one namespace, overwrite each other’s records if their workspaces have the same name.',
    ours: 'The second agent uses another Secret.',
    shownBy: test(
      'syncagent/syncagent-sync/state-store',
      'has the name of the Go agent’s, and another where a second agent has the same object',
    ),
  },
  {
    entry: 'RE-5',
    kind: 'leaks',
    go: 'State Secrets stay for ever, with copies of related Secrets in them.',
    ours: 'The agent deletes them with their object.',
    shownBy: edge(sync, 'RE-5', ['what is remembered of an object goes with it']),
  },
  {
    entry: 'RE-5',
    kind: 'leaks',
    go: 'When a kind is published in another version, the agent forgets all its records, and its Secrets stay for ever.',
    ours: 'The records move to the new version.',
    shownBy: test(
      'syncagent/syncagent-sync/state-store',
      'goes over to another version of the API with all that is remembered, and leaves nothing behind',
    ),
  },
  {
    entry: 'RE-6',
    kind: 'reaches too far',
    go: 'The agent takes over any object with the name of a copy, even the copy of another object.',
    ours: 'The agent leaves an object with marks of another owner alone, and reports it.',
    shownBy: edge(sync, 'RE-6', ['the copy of another object is not taken over because it has the same name']),
  },
  {
    entry: 'RE-6',
    kind: 'loses data',
    go: 'The agent records an adopted object as written, so it differs from its object for ever.',
    ours: 'The agent reports the difference until both agree, or overwrites it if you want that.',
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
    go: 'An object in the place of a related object gets the marks of a copy, even in workspaces.',
    ours: 'Related objects get no marks.',
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
    go: 'Any object in the place of a copy becomes the copy, and is deleted with the object of the workspace.',
    ours: 'The agent changes and deletes it only after both have the same content. A trial write shows which differences are defaults of the service cluster.',
    shownBy: test(
      'syncagent/syncagent-sync/adoption',
      'and says more than the object is not taken: what is deleted or changed in the workspace leaves it as it is',
    ),
  },
  {
    entry: 'RE-6',
    kind: 'reaches too far',
    go: 'A related object overwrites any object in its place, and the agent deletes both together. The consumer chooses the name.',
    ours: 'The agent writes and deletes only objects that it made, by uid. Under `adopt` it also takes an object with exactly the same content that no controller owns.',
    shownBy: test(
      'syncagent/syncagent-sync/related-ownership',
      'an empty Secret of a consumer takes over nothing that stands in its place, under %s',
    ),
  },
  {
    entry: 'RE-6',
    kind: 'loses data',
    go: 'The agent adopts an object that is being deleted, because it decides before it reads it.',
    ours: 'The agent waits until that object is gone.',
    shownBy: test('syncagent/syncagent-sync/decide', 'is waited for while it is being deleted, under %s, too'),
  },
  {
    entry: 'RE-7',
    kind: 'hangs',
    go: 'An object that the filter no longer selects can never be deleted, because its finalizer stays.',
    ours: 'The agent handles objects that are being deleted, whatever their labels.',
    shownBy: edge(sync, 'RE-7', ['an object that the filter selects no more can still be deleted']),
  },
  {
    entry: 'RE-8',
    kind: 'loses data',
    go: 'Two primaries refer to one object. The first one that is deleted removes its finalizer.',
    ours: 'The finalizer stays until the last primary is gone.',
    shownBy: edge(sync, 'RE-8', [
      'the finalizer of an object that two primaries refer to stays until the last of them goes',
    ]),
  },
  {
    entry: 'RE-8',
    kind: 'loses data',
    go: 'One PublishedResource publishes an object and another refers to it. The first copy that goes removes the finalizer of both.',
    ours: 'The syncs of an agent know each other, and the last one removes the finalizer.',
    shownBy: edge('syncagent/syncagent-sync/neighbours.integration', 'RE-8', [
      'an object that one sync publishes and another refers to keeps its finalizer until both copies are gone',
    ]),
  },
  {
    entry: 'RE-8',
    kind: 'loses data',
    go: 'The agent overwrites a finalizer that another client adds at the same moment.',
    ours: 'Every write names the version that the agent read.',
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
    go: 'Related objects without references keep copy and finalizer, so their owners cannot delete them.',
    ours: 'The agent records every synced object, and cleans up from that record.',
    shownBy: edge(sync, 'RE-9', ['what a primary refers to no more is cleaned up']),
  },
  {
    entry: 'RE-9',
    kind: 'hangs',
    go: 'If another client has removed the copy of a deleted object, its related objects keep their finalizers for ever.',
    ours: 'The agent releases them from its record.',
    shownBy: edge('syncagent/syncagent-sync/related.integration', 'RE-9', [
      'of a primary whose copy somebody has taken away are let go with it all the same',
    ]),
  },
  {
    entry: 'RE-10',
    kind: 'hangs',
    go: 'A cluster-scoped object has no name by default. Each such object fails for ever, with a finalizer on it.',
    ours: 'The copy is named after the workspace and the name of the object.',
    shownBy: edge('syncagent/syncagent-sync/naming/rough-edges', 'RE-10', [
      'an object without a namespace has a name by default',
    ]),
  },
  {
    entry: 'RE-11',
    kind: 'hangs',
    go: 'Without a status subresource in kcp, the object fails as soon as its copy has a status.',
    ours: 'The agent carries a status back only if both sides have the subresource.',
    shownBy: edge(sync, 'RE-11', ['a status is carried back only where both sides have the subresource']),
  },
  {
    entry: 'RE-12',
    kind: 'hangs',
    go: 'The agent adds a claim made through v1alpha2 a second time. kcp refuses that, and nothing is exported any more.',
    ours: 'The agent counts the existing claim.',
    shownBy: edge('syncagent/syncagent-apiexport/rough-edges', 'RE-12', [
      'a claim that was narrowed through v1alpha2 is not made a second time',
    ]),
  },
  {
    entry: 'RE-12',
    kind: 'hangs',
    go: 'The agent claims a related resource with two identities twice. kcp refuses that, and nothing is exported any more.',
    ours: 'The second PublishedResource gets a condition, and the others are exported.',
    shownBy: test(
      'syncagent/syncagent-apiexport/decide',
      'has one identity for each claimed resource: who comes second is told',
    ),
  },
  {
    entry: 'RE-14',
    kind: 'hangs',
    go: 'One PublishedResource that cannot be published keeps all others out of the APIExport.',
    ours: 'Only that PublishedResource reports the problem.',
    shownBy: edge('syncagent/syncagent-apiexport/rough-edges', 'RE-14', [
      'one PublishedResource that cannot be exported keeps no other out',
    ]),
  },
  {
    entry: 'RE-15',
    kind: 'runs hot',
    go: 'Each workspace has its own handler, clients and recorders, and every event passes all of them.',
    ours: 'One watch serves each resource, for any number of workspaces.',
    shownBy: test(
      'syncagent/syncmanager/syncmanager',
      'has one watch for each resource, whatever the number of workspaces and syncs',
    ),
  },
  {
    entry: 'RE-16',
    kind: 'hangs',
    go: 'The agent treats a sync that did not start as running.',
    ours: 'The agent starts it again, with growing delays.',
    shownBy: test('syncagent/syncmanager/syncmanager', 'starts anew a sync that does not come up'),
  },
  {
    entry: 'RE-16',
    kind: 'hangs',
    go: 'No endpoint counts as bound everywhere: the agent starts syncs for kinds that no server has.',
    ours: 'A sync starts with the first workspace that has bound the export.',
    shownBy: test(
      'syncagent/syncmanager/syncmanager',
      'starts nothing before somebody has bound the export, and then one sync, with what is in the workspaces',
    ),
  },
  {
    entry: 'RE-16',
    kind: 'hangs',
    go: 'A kind that is not served keeps its workspaces from being engaged for all kinds. One watch that does not sync delays everything.',
    ours: 'Each kind waits alone, and reports it.',
    shownBy: test(
      'syncagent/syncmanager/syncmanager',
      'a kind that cannot be had from kcp keeps no other from being synced, and comes when it can',
    ),
  },
  {
    entry: 'RE-16',
    kind: 'hangs',
    go: 'The agent does not report an address that it cannot use, or a kind that never comes.',
    ours: 'The PublishedResource reports it, with who must act.',
    shownBy: test(
      'syncagent/syncmanager/syncmanager',
      'tells that kcp does not serve a kind, and has the others synced',
    ),
  },
  {
    entry: 'RE-17',
    kind: 'runs hot',
    go: 'The agent retries copies of deleted workspaces for ever.',
    ours: 'These copies wait, count as orphans, and continue when the workspace is back.',
    shownBy: test(
      'syncagent/syncagent-sync/sync.integration',
      'keeps the copies of a workspace that is gone, tells, and goes on when it is back',
    ),
  },
  {
    entry: 'RE-18',
    kind: 'loses data',
    go: 'Two agents with one export both write the same copies.',
    ours: 'The second agent leaves the copies alone, and reports their owner.',
    shownBy: edge(sync, 'RE-18', ['the copy of another agent is neither written nor deleted']),
  },
  {
    entry: 'RE-19',
    kind: 'hangs',
    go: 'The agent does not notice changes of related objects. A deleted one waits for its finalizer until its primary changes.',
    ours: 'The agent records which objects each primary was resolved from. Their changes requeue the primary.',
    shownBy: edge(sync, 'RE-19', ['a change of a related object finds its primary without any watch rule']),
  },
  {
    entry: 'RE-21',
    kind: 'reaches too far',
    go: 'A copy of a related object that cannot be read counts as missing, and is created or taken over.',
    ours: 'A failed read is an error. The agent reports it and retries.',
    shownBy: edge('syncagent/syncagent-sync/related.integration', 'RE-21', [
      'a copy that cannot be read is not taken for missing',
    ]),
  },
  {
    entry: 'RE-22',
    kind: 'loses data',
    go: 'A rule that rewrites the name makes copies that the agent never finds again.',
    ours: 'No rule changes the identity of an object.',
    shownBy: edge('syncagent/syncagent-sync/mutation/rough-edges', 'RE-22', ['no rule changes which object it is']),
  },
  {
    entry: 'RE-22',
    kind: 'loses data',
    go: 'Mutations turn numbers into floating point, so integers beyond 2^53 change.',
    ours: 'Integers stay exact.',
    shownBy: test(
      'syncagent/syncagent-sync/mutation/mutations',
      'stay exact through every kind of step, where the Go agent makes doubles of them',
    ),
  },
  {
    entry: 'RE-22',
    kind: 'runs hot',
    go: 'The agent writes a status that a mutation changes at every reconcile.',
    ours: 'A mutation gives the same result for the same input.',
    shownBy: test(
      'syncagent/syncagent-sync/mutation/mutations',
      'a status comes out as it went in last time: no reconcile finds a difference',
    ),
  },
  {
    entry: 'RE-23',
    kind: 'loses data',
    go: 'The agent writes content of one version as another version, if the service cluster stores that one.',
    ours: 'The agent writes it as the published version.',
    shownBy: edge('syncagent/syncmanager/rough-edges', 'RE-23', [
      'what is published as one version is not written as another',
    ]),
  },
  {
    entry: 'RE-24',
    kind: 'hangs',
    go: 'kcp refuses APIs in groups of Kubernetes for ever, because the agent drops the annotation with their approval.',
    ours: 'The agent keeps the annotation.',
    shownBy: edge('syncagent/apiresourceschema/projection/rough-edges', 'RE-24', [
      'an API in a group of Kubernetes takes along what says that it was approved, without which kcp refuses it',
    ]),
  },
  {
    entry: 'RE-24',
    kind: 'hangs',
    go: 'A type of the core API without a projected group gets a name that kcp refuses for ever.',
    ours: 'It gets the name that kcp expects, and the PublishedResource reports that it needs a group.',
    shownBy: test(
      'syncagent/apiresourceschema/apiresourceschema.integration',
      'refuses a core type without a group of its own, and an unknown one, and says who must act',
    ),
  },
  {
    entry: 'RE-25',
    kind: 'hangs',
    go: 'One aggregated API that is down blocks all publishing.',
    ours: 'The agent asks only for the group of the published kind.',
    shownBy: test(
      'syncagent/apiresourceschema/discovery/discover-crd.integration',
      'an aggregated API that is broken is no obstacle to others',
    ),
  },
  {
    entry: 'RE-25',
    kind: 'hangs',
    go: 'The agent never notices changes of types without a CRD.',
    ours: 'The agent checks them again.',
    shownBy: test('syncagent/apiresourceschema/apiresourceschema', 'looks again at types that have no CRD'),
  },
  {
    entry: 'RE-25',
    kind: 'loses data',
    go: 'The hash in the name of a schema has 32 bits. Another schema of the same name is taken for the wanted one.',
    ours: 'The agent compares the content, and `SchemaNameTaken` reports a difference.',
    shownBy: test('syncagent/apiresourceschema/decide', 'is not taken for something else of its name'),
  },
  {
    entry: 'RE-26',
    kind: 'runs hot',
    go: 'Two agents with the same schema overwrite each other’s name on it for ever.',
    ours: 'The schema serves both agents, and neither writes.',
    shownBy: edge('syncagent/apiresourceschema/rough-edges', 'RE-26', [
      'two agents with the same schema do not write their names over each other',
    ]),
  },
  {
    entry: 'RE-28',
    kind: 'hangs',
    go: 'When the process is asked to stop, it dies with its requests and keeps the Lease. The next agent waits for the Lease.',
    ours: 'The agent ends its requests, and releases the Lease at once.',
    shownBy: test('e2e/agent-lease', 'a leader that is told to stop gives way at once'),
  },
  {
    entry: 'RE-29',
    kind: 'loses data',
    go: 'A label on an object in a workspace decides which agent owns its copy.',
    ours: 'The agent never copies keys of kcp and of agents.',
    shownBy: edge(sync, 'RE-29', ['nobody in a workspace says whose copy an object is']),
  },
  {
    entry: 'RE-30',
    kind: 'hangs',
    go: 'The agent sends a name that no API server accepts again and again, even `<no value>`.',
    ours: 'The agent refuses it first, and names the field and a remedy.',
    shownBy: edge('syncagent/syncagent-sync/naming/rough-edges', 'RE-30', [
      'a name that is none is refused, and not sent',
    ]),
  },
  {
    entry: 'RE-30',
    kind: 'loses data',
    go: 'Copies without a namespace get the same name for objects of several namespaces, and take each other’s copies.',
    ours: 'The default name separates them. If rules do not, the agent reports `NameTaken` and touches neither.',
    shownBy: test(
      'syncagent/syncagent-sync/naming/naming',
      'tell objects of two namespaces apart where their copies have none',
    ),
  },
  {
    entry: 'RE-31',
    kind: 'hangs',
    go: 'A wrong template, pattern or expression shows only at each object, in workspaces, one after the other.',
    ours: 'The agent compiles all rules first. The PublishedResource reports every mistake.',
    shownBy: test(
      'syncagent/syncagent-sync/compile-rules',
      'are refused as a whole, with everything that is wrong and where',
    ),
  },
  {
    entry: 'RE-32',
    kind: 'reaches too far',
    go: 'Templates of a PublishedResource can read the environment of the process, with credentials.',
    ours: 'Templates see none of it.',
    shownBy: test('syncagent/syncagent-sync/naming/naming', 'cannot read the environment'),
  },
  {
    entry: 'RE-32',
    kind: 'reaches too far',
    go: 'The debug log contains whole patches, even of Secrets.',
    ours: 'No log or Event contains content of related objects.',
    shownBy: test(
      'syncagent/syncagent-sync/related.integration',
      'have nothing of their content in logs and Events, whatever is refused',
    ),
  },
  {
    entry: 'RE-35',
    kind: 'runs hot',
    go: 'The agent checks every changed object again every five seconds, and asks kcp every second until it serves a kind.',
    ours: 'Events replace polling. An object costs only the writes of the contract, and none while it is in step.',
    shownBy: test(
      'syncagent/syncagent-sync/sync.integration',
      'needs two writes for an object on the service cluster, one of them to remember it, and none for one in step, restarts included',
    ),
  },
  {
    entry: 'RE-37',
    kind: 'hangs',
    go: 'An object can never be deleted if its related objects cannot be found.',
    ours: 'Its deletion waits for them for a minute, and reports that.',
    shownBy: edge('syncagent/syncagent-sync/related.integration', 'RE-37', [
      'the deletion of an object does not wait for ever for related ones that cannot be found',
    ]),
  },
  {
    entry: 'RE-39',
    kind: 'hangs',
    go: 'When a PublishedResource is deleted, finalizers stay. Objects and workspaces can no longer be deleted.',
    ours: 'The agent releases every object, with or without its copy.',
    shownBy: test('syncagent/syncagent-sync/sync.integration', 'lets every object go when the publication ends: %s'),
  },
  {
    entry: 'RE-39',
    kind: 'hangs',
    go: 'The agent never notices a PublishedResource that is deleted while it is down. Finalizers stay.',
    ours: 'The agent records what it publishes, and releases the objects after its start.',
    shownBy: test(
      'syncagent/syncmanager/syncmanager',
      'notices a PublishedResource that was deleted while it was down, and lets its objects go',
    ),
  },
  {
    entry: 'RE-40',
    kind: 'leaks',
    go: 'Namespaces that the agent made stay for ever.',
    ours: 'The agent deletes the namespaces that it made with their last object.',
    shownBy: test(
      'syncagent/syncagent-sync/sync.integration',
      'deletes the copy with its object, and leaves nothing behind: no finalizer, no memory, no namespace of its own',
    ),
  },
  {
    entry: 'RE-41',
    kind: 'runs hot',
    go: 'The agent retries a finally refused write at every event. Its user learns only that it failed.',
    ours: 'The agent parks it. The object has an Event with the reason and who must act.',
    shownBy: edge(sync, 'RE-41', [
      'a step that is refused for good is tried ever less often, whatever happens to the object',
    ]),
  },
  {
    entry: 'RE-42',
    kind: 'loses data',
    go: 'The agent patches copies even if they changed since it read them.',
    ours: 'Every patch names the version that the agent read. After a conflict the agent decides again.',
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
    go: 'The agent reads the kcp kubeconfig once. When its credentials expire, everything stops until a restart.',
    ours: 'The agent follows changes of the kubeconfig, and watches continue.',
    shownBy: test('e2e/agent', 'follows a new kcp kubeconfig without a restart'),
  },
  {
    entry: 'workspaces',
    kind: 'leaks',
    go: 'The agent can never tell a workspace deleted while it was down from an unreachable one.',
    ours: 'A finalizer holds the workspace until the agent has examined its objects. Then copies and workspace go.',
    shownBy: test('e2e/agent-life', 'let a workspace go that was deleted while they were down, and delete its copies'),
  },
  {
    entry: 'start',
    kind: 'hangs',
    go: 'A missing export, or a kcp that does not answer, ends the process. PublishedResources do not report why nothing happens.',
    ours: 'The agent retries less and less often. Each PublishedResource has an Event that says who must act.',
    shownBy: test(
      'syncagent/publication/failed-starts',
      'an export that is missing is told on the PublishedResources of the agent, once it has lasted',
    ),
  },
];
