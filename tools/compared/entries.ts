// Behaviour of the Go konnector that loses data, leaks, hangs, runs hot or reaches too far, and what Hawser does instead. docs/reference/compared.md shows it as a table.

import { type Entry, edge, simulated, test } from './entry.ts';

export const entries: readonly Entry[] = [
  {
    entry: 'R1',
    kind: 'reaches too far',
    go: 'A leader that has lost its lease keeps writing, beside the next leader.',
    ours: 'The term ends at the renew deadline by our own clock, and every write checks it.',
    shownBy: edge(
      'runtime/lease/term',
      'R1',
      ['ends at its deadline, counted from the request that renewed it'],
      'lease-never-expires',
    ),
  },
  {
    entry: 'R3',
    kind: 'leaks',
    go: 'The controllers of a deleted binding run until the process ends.',
    ours: 'The connection ends with the last binding that needs it.',
    shownBy: edge('konnector/konnector-main/decide', 'R3', ['the connection of a binding that is deleted ends']),
  },
  {
    entry: 'R4',
    kind: 'hangs',
    go: 'A connection that once could not be made counts as existing.',
    ours: 'Hawser retries with back-off, and the condition gives the reason.',
    shownBy: edge('konnector/konnector-main/connection-runner', 'R4', [
      'tries again with growing delays when it cannot prepare, and tells why',
    ]),
  },
  {
    entry: 'R5',
    kind: 'hangs',
    go: 'The process crashes when the first of two bindings with the same kubeconfig loses its Secret.',
    ours: 'The connection keeps the last kubeconfig that worked.',
    shownBy: edge('konnector/konnector-main/decide', 'R5', [
      'a connection that others use works on when the binding that it was made for has lost its Secret',
    ]),
  },
  {
    entry: 'R6',
    kind: 'leaks',
    go: 'Each rotation of a labelled Secret leaves a whole set of controllers behind.',
    ours: 'The connection of the previous kubeconfig ends when the new one takes over.',
    shownBy: edge('konnector/konnector-main/decide', 'R6', [
      'the connection of the kubeconfig before ends, also where the Secret is labelled',
    ]),
  },
  {
    entry: 'R7',
    kind: 'hangs',
    go: 'Caches that cannot be filled count as filled.',
    ours: 'Hawser gives the attempt up, reports it in `InformersSynced`, and starts again.',
    shownBy: edge('konnector/konnector-main/connection-runner', 'R7', ['gives up preparing after a time, and says so']),
  },
  {
    entry: 'R8',
    kind: 'hangs',
    go: 'Stopping the syncs of one name also stops those of every name with that prefix.',
    ours: 'Hawser compares whole names.',
    shownBy: edge('konnector/apiserviceexport/sync-set', 'R8', [
      'ends the sync that it means, and none whose name begins with the same letters',
    ]),
  },
  {
    entry: 'R9',
    kind: 'reaches too far',
    go: 'Objects of a CRD that belongs to the user or to another provider are copied to the provider, and their statuses overwritten.',
    ours: 'Hawser syncs only a CRD that the binding owns (name and uid).',
    shownBy: edge('konnector/apiserviceexport/plan-syncs', 'R9', [
      'nothing is synced whose CRD does not belong to the binding',
    ]),
  },
  {
    entry: 'R10',
    kind: 'reaches too far',
    go: 'The name alone identifies a binding, so two providers can sync for one binding.',
    ours: 'A connection serves only the bindings that joined it.',
    shownBy: edge('konnector/servicebinding/servicebinding.integration', 'R10', [
      'leaves bindings alone that another connection serves',
    ]),
  },
  {
    entry: 'R11',
    kind: 'hangs',
    go: 'A BoundSchema that cannot be read stops working syncs.',
    ours: 'Working syncs continue.',
    shownBy: edge('konnector/apiserviceexport/plan-syncs', 'R11', ['a BoundSchema that cannot be read stops nothing']),
  },
  {
    entry: 'R12',
    kind: 'reaches too far',
    go: 'A label is enough to claim an object, for ever and by every provider.',
    ours: 'A claim must select the object, at every reconcile.',
    shownBy: edge('konnector/claimedresources/decide', 'R12', ['the label of its owner alone claims no object']),
  },
  {
    entry: 'R19',
    kind: 'runs hot',
    go: 'Each pass sets a False condition to True and back, so each pass causes the next.',
    ours: 'Hawser computes the whole status, and writes it only if it differs.',
    shownBy: edge('konnector/apiserviceexport/export-status', 'R19', [
      'what holds on is no news: a condition that stays False keeps its time, and so costs no write',
    ]),
  },
  {
    entry: 'R20',
    kind: 'leaks',
    go: 'The konnector ignores a deletion of a binding that it sees only in the next list. Its syncs keep running.',
    ours: 'Hawser handles it like any other deletion.',
    shownBy: edge('runtime/controller/create-controller', 'R20', [
      'a controller is told of an object that went while nobody watched',
    ]),
  },
  {
    entry: 'R21',
    kind: 'hangs',
    go: 'One APIServiceNamespace without status keeps all syncs of a resource from starting.',
    ours: 'Only objects of that namespace wait, and they report why.',
    shownBy: test(
      'konnector/apiserviceexport/apiserviceexport.integration',
      'tells on object and binding that a namespace is not assigned, once, and goes on when it is',
    ),
  },
  {
    entry: 'R24',
    kind: 'loses data',
    go: 'The konnector deletes objects of other consumers, and of the provider itself, if the consumer has no object of that name, or deletes one.',
    ours: 'Hawser deletes only a copy with its own marks, by uid, and only after the deletion is proven.',
    shownBy: edge('konnector/konnector-sync/rough-edges', 'R24', [
      'deletes no object of somebody else when the consumer object of its name goes',
      'deletes nothing on the provider because the consumer has no object of its name',
    ]),
  },
  {
    entry: 'R25',
    kind: 'loses data',
    go: 'A field that a copy was created with can never be removed.',
    ours: 'Hawser removes a field that the consumer removes, if no other writer owns it.',
    shownBy: edge('konnector/konnector-sync/rough-edges', 'R25', [
      'takes a field off the copy that the consumer has removed, also one that was there from the beginning',
    ]),
  },
  {
    entry: 'R27',
    kind: 'hangs',
    go: 'Of several claims on one resource, the konnector serves only the first.',
    ours: 'Hawser serves them together.',
    shownBy: edge('konnector/claimedresources/claim', 'R27', ['of several claims on one resource all are served']),
  },
  {
    entry: 'R30',
    kind: 'reaches too far',
    go: 'The konnector combines names and namespaces of references crosswise.',
    ours: 'Hawser pairs each name with the namespace beside it.',
    shownBy: edge('konnector/claimedresources/references', 'R30', [
      'are paired with the namespaces beside them, not crosswise',
    ]),
  },
  {
    entry: 'R31',
    kind: 'hangs',
    go: 'Waiting for a namespace has no end, blocks the worker, and is not reported.',
    ours: 'No other object waits, and Hawser reports it after a while.',
    shownBy: edge('konnector/claimedresources/decide', 'R31', ['it is told when a namespace does not come']),
  },
  {
    entry: 'R32',
    kind: 'hangs',
    go: 'Of bindings with equal kubeconfigs in different Secrets, the konnector handles only those of the first.',
    ours: 'All of them are members of the connection.',
    shownBy: edge('konnector/konnector-main/decide', 'R32', [
      'every binding is served that has the kubeconfig, whatever Secret it is in',
    ]),
  },
  {
    entry: 'R33',
    kind: 'loses data',
    go: 'An empty list of exports deletes all bindings of a bundle, with their CRDs and objects.',
    ours: 'Hawser deletes a binding only if its export is proven gone and other exports still exist.',
    shownBy: edge('konnector/servicebindingbundle/decide', 'R33', [
      'no binding is deleted because nothing is exported any more',
    ]),
  },
  {
    entry: 'R34',
    kind: 'reaches too far',
    go: 'An unknown isolation counts as `None`.',
    ours: 'Hawser syncs nothing, and the condition reports it.',
    shownBy: edge('konnector/apiserviceexport/plan-syncs', 'R34', [
      'an isolation that is not known is not taken for None',
    ]),
  },
  {
    entry: 'R35',
    kind: 'loses data',
    go: 'An APIServiceNamespace belongs to the first export. When that export is deleted, namespaces that others use are deleted.',
    ours: 'Every export that uses it is an owner.',
    shownBy: edge('konnector/konnector-sync/service-namespaces', 'R35', [
      'an APIServiceNamespace belongs to every export that uses it, not to the first alone',
    ]),
  },
  {
    entry: 'R36',
    kind: 'hangs',
    go: 'After unbinding, finalizers block the deletion of objects and CRD.',
    ours: 'Hawser releases the finalizers. The copies stay, unless the policy says otherwise.',
    shownBy: simulated('finalizers-kept-on-unbinding'),
  },
  {
    entry: 'R37',
    kind: 'reaches too far',
    go: "A kubeconfig from a Secret can run programs and read files with the konnector's rights.",
    ours: 'Hawser refuses it.',
    shownBy: edge('runtime/kubeconfig/secret-kubeconfig', 'R37', ['a kubeconfig from a Secret runs no program']),
  },
  {
    entry: 'R38',
    kind: 'reaches too far',
    go: 'The konnector serves claims at once that a provider adds after the binding.',
    ours: "Hawser holds them until the consumer's side accepts them.",
    shownBy: edge('konnector/servicebinding/claim-consent', 'R38', ['consent is not given to claims that come later']),
  },
  {
    entry: 'R39',
    kind: 'reaches too far',
    go: 'A provider may install any CRD, with any conversion webhook.',
    ours: 'Hawser refuses groups of Kubernetes and conversion webhooks, unless the operator allows them.',
    shownBy: edge('konnector/servicebinding/crd-policy', 'R39', [
      'a provider installs nothing in groups of Kubernetes, and no conversion webhook',
    ]),
  },
  {
    entry: '§17.3 Secret',
    kind: 'runs hot',
    go: 'Each reconcile writes the kubeconfig Secret of the consumer.',
    ours: 'Hawser writes it only if it differs.',
    shownBy: edge(
      'konnector/clusterbinding/mirror',
      '§17.3 Secret',
      ['the kubeconfig Secret is not written when nothing differs'],
      'secret-written-each-time',
    ),
  },
  {
    entry: '§17.4 CRDs',
    kind: 'runs hot',
    go: 'Each reconcile writes the CRDs.',
    ours: 'Hawser writes them only if they differ in more than server defaults.',
    shownBy: edge(
      'konnector/servicebinding/decide',
      '§17.4 CRDs',
      ['no CRD is written when the live one differs only in what the server fills in'],
      'crd-written-each-time',
    ),
  },
  {
    entry: '§17.6 defaults',
    kind: 'runs hot',
    go: 'Defaults of the provider count as drift, for ever.',
    ours: 'Hawser leaves values that the provider adds.',
    shownBy: edge(
      'konnector/konnector-sync/rough-edges',
      '§17.6 defaults',
      ['does not fight over what the provider fills in'],
      'defaults-fought',
    ),
  },
  {
    entry: '§17.6 finalizer',
    kind: 'loses data',
    go: 'The consumer object goes while its copy is still terminating.',
    ours: 'The finalizer holds the object until its copy is proven gone.',
    shownBy: edge(
      'konnector/konnector-sync/rough-edges',
      '§17.6 finalizer',
      ['holds the object until its copy is gone'],
      'finalizer-released-early',
    ),
  },
  {
    entry: '§17.6 uid',
    kind: 'loses data',
    go: 'A recreated object silently gets the copy and the status of the former one.',
    ours: 'Hawser first assigns the copy to the new object, and takes its status afterwards.',
    shownBy: edge(
      'konnector/konnector-sync/rough-edges',
      '§17.6 uid',
      ['does not give a new object the status of a former one, but first makes the copy its own'],
      'uid-never-compared',
    ),
  },
  {
    entry: '§17.6 polling',
    kind: 'runs hot',
    go: 'While a namespace is not ready, each object polls every second.',
    ours: 'The event of the answer requeues the objects.',
    shownBy: edge(
      'konnector/konnector-sync/rough-edges',
      '§17.6 polling',
      ['does not look every second whether a namespace is there'],
      'namespace-polled',
    ),
  },
  {
    entry: '§17.6 status',
    kind: 'runs hot',
    go: 'Without a status subresource, the status sync fails for ever.',
    ours: 'Hawser writes the status with the object.',
    shownBy: test(
      'konnector/konnector-sync/sync.integration',
      'brings a status down where there is no status subresource',
    ),
  },
  {
    entry: '§17.7 kubeconfigs',
    kind: 'reaches too far',
    go: "A label on one of the konnector's own kubeconfigs sends it to a provider.",
    ours: 'These kubeconfigs never leave the cluster, whatever is claimed.',
    shownBy: edge(
      'konnector/claimedresources/rough-edges',
      '§17.7 kubeconfigs',
      ['no kubeconfig of the konnector goes to a provider, whatever is claimed'],
      'kubeconfigs-claimed',
    ),
  },
  {
    entry: '§17.7 references',
    kind: 'runs hot',
    go: 'Each event of a claimable object lists all objects that may refer to it, in the whole cluster. If the list fails, nothing is claimed.',
    ours: 'Hawser watches them once. Claims stay in force while they cannot be read.',
    shownBy: edge(
      'konnector/claimedresources/selection',
      '§17.7 references',
      [
        'a look at an object reads none of those that may refer to it, and what is claimed stays so while they cannot be read',
      ],
      'references-listed',
    ),
  },
  {
    entry: '§17.7 foreign metadata',
    kind: 'loses data',
    go: 'The konnector overwrites finalizers, owners and foreign labels of a claimed copy.',
    ours: 'Hawser patches the copy, and keeps the fields of others.',
    shownBy: edge(
      'konnector/claimedresources/rough-edges',
      '§17.7 foreign metadata',
      ['labels that others set on a copy stay when it is written'],
      'foreign-metadata-overwritten',
    ),
  },
  {
    entry: '§17.7 terminating',
    kind: 'reaches too far',
    go: 'The konnector still copies an object that is being deleted.',
    ours: 'Hawser does not.',
    shownBy: edge(
      'konnector/claimedresources/decide',
      '§17.7 terminating',
      ['what is being deleted is not copied any more'],
      'terminating-object-claimed',
    ),
  },
  {
    entry: '§17.9 namespaces',
    kind: 'loses data',
    go: "The konnector deletes an APIServiceNamespace because its cache has no namespace of that name. Two clusters with one kubeconfig delete each other's.",
    ours: 'Hawser deletes it after a live 404, if it belongs to this cluster and holds no bound object.',
    shownBy: edge(
      'konnector/namespacelifecycle/decide',
      '§17.9 namespaces',
      ['an APIServiceNamespace goes only if nobody needs it, not because the namespace of its name is missing'],
      'namespace-deleted-unproven',
    ),
  },
];
