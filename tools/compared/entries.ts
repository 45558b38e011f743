// What the Go konnector does that costs data, leaks, hangs, runs hot or reaches too far, and what ours does. docs/reference/compared.md has this as a table.

import { type Entry, edge, simulated, test } from './entry.ts';

export const entries: readonly Entry[] = [
  {
    entry: 'R1',
    kind: 'reaches too far',
    go: 'A leader that has lost its lease goes on writing, beside the next one.',
    ours: 'The term ends at the renew deadline by our own clock, and every write asks for it.',
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
    go: 'The controllers of a binding that is deleted run on until the process ends.',
    ours: 'The connection ends with the last binding that needs it.',
    shownBy: edge('konnector/konnector-main/decide', 'R3', ['the connection of a binding that is deleted ends']),
  },
  {
    entry: 'R4',
    kind: 'hangs',
    go: 'A connection that could not be made once is taken for one that exists.',
    ours: 'It is tried again with back-off, and the condition tells why.',
    shownBy: edge('konnector/konnector-main/connection-runner', 'R4', [
      'tries again with growing delays when it cannot prepare, and tells why',
    ]),
  },
  {
    entry: 'R5',
    kind: 'hangs',
    go: 'The process crashes when the first of two bindings with the same kubeconfig loses its Secret.',
    ours: 'The connection goes on with the last kubeconfig that worked.',
    shownBy: edge('konnector/konnector-main/decide', 'R5', [
      'a connection that others use works on when the binding that it was made for has lost its Secret',
    ]),
  },
  {
    entry: 'R6',
    kind: 'leaks',
    go: 'Each rotation of a labelled Secret leaves a whole set of controllers behind.',
    ours: 'The connection of the kubeconfig before ends when the new one takes over.',
    shownBy: edge('konnector/konnector-main/decide', 'R6', [
      'the connection of the kubeconfig before ends, also where the Secret is labelled',
    ]),
  },
  {
    entry: 'R7',
    kind: 'hangs',
    go: 'Caches that cannot be filled count as filled.',
    ours: 'The attempt is given up, told in `InformersSynced`, and made anew.',
    shownBy: edge('konnector/konnector-main/connection-runner', 'R7', ['gives up preparing after a time, and says so']),
  },
  {
    entry: 'R8',
    kind: 'hangs',
    go: 'Stopping the syncs of one name stops those of every name that begins with it.',
    ours: 'Names are compared whole.',
    shownBy: edge('konnector/apiserviceexport/sync-set', 'R8', [
      'ends the sync that it means, and none whose name begins with the same letters',
    ]),
  },
  {
    entry: 'R9',
    kind: 'reaches too far',
    go: "Objects of a CRD that is the user's own, or another provider's, are copied out, and their statuses overwritten.",
    ours: 'Only a CRD that the binding owns (name and uid) is synced.',
    shownBy: edge('konnector/apiserviceexport/plan-syncs', 'R9', [
      'nothing is synced whose CRD does not belong to the binding',
    ]),
  },
  {
    entry: 'R10',
    kind: 'reaches too far',
    go: 'A binding is known by its name alone, so two providers can sync for one.',
    ours: 'A connection serves the bindings that joined it, and no other.',
    shownBy: edge('konnector/servicebinding/servicebinding.integration', 'R10', [
      'leaves bindings alone that another connection serves',
    ]),
  },
  {
    entry: 'R11',
    kind: 'hangs',
    go: 'A BoundSchema that cannot be read stops syncs that work.',
    ours: 'They are left as they are.',
    shownBy: edge('konnector/apiserviceexport/plan-syncs', 'R11', ['a BoundSchema that cannot be read stops nothing']),
  },
  {
    entry: 'R12',
    kind: 'reaches too far',
    go: 'A label is enough for an object to be claimed, for ever and by every provider.',
    ours: 'A claim has to select it, at every look.',
    shownBy: edge('konnector/claimedresources/decide', 'R12', ['the label of its owner alone claims no object']),
  },
  {
    entry: 'R19',
    kind: 'runs hot',
    go: 'A condition that stays False is set to True and back in each pass, so that each pass causes the next.',
    ours: 'The status is made as a whole, and written only if it is another one.',
    shownBy: edge('konnector/apiserviceexport/export-status', 'R19', [
      'what holds on is no news: a condition that stays False keeps its time, and so costs no write',
    ]),
  },
  {
    entry: 'R20',
    kind: 'leaks',
    go: 'A deletion of a binding that was noticed only by the next list is thrown away, so its syncs run on.',
    ours: 'It counts as every other.',
    shownBy: edge('runtime/controller/create-controller', 'R20', [
      'a controller is told of an object that went while nobody watched',
    ]),
  },
  {
    entry: 'R21',
    kind: 'hangs',
    go: 'One APIServiceNamespace without status keeps all syncs of a resource from starting.',
    ours: 'Only objects of that namespace wait, and say for what.',
    shownBy: test(
      'konnector/apiserviceexport/apiserviceexport.integration',
      'tells on object and binding that a namespace is not assigned, once, and goes on when it is',
    ),
  },
  {
    entry: 'R24',
    kind: 'loses data',
    go: 'Objects of other consumers, and of the provider itself, are deleted if the consumer has none of that name, or deletes one.',
    ours: 'Only a copy with our marks is deleted, by uid, and only once the wish is proven.',
    shownBy: edge('konnector/konnector-sync/rough-edges', 'R24', [
      'deletes no object of somebody else when the consumer object of its name goes',
      'deletes nothing on the provider because the consumer has no object of its name',
    ]),
  },
  {
    entry: 'R25',
    kind: 'loses data',
    go: 'What a copy was created with can never be taken out of it.',
    ours: 'A field that the consumer removes goes, if nobody else owns it.',
    shownBy: edge('konnector/konnector-sync/rough-edges', 'R25', [
      'takes a field off the copy that the consumer has removed, also one that was there from the beginning',
    ]),
  },
  {
    entry: 'R27',
    kind: 'hangs',
    go: 'Of several claims on one resource the first is served, and the others never.',
    ours: 'They are served together.',
    shownBy: edge('konnector/claimedresources/claim', 'R27', ['of several claims on one resource all are served']),
  },
  {
    entry: 'R30',
    kind: 'reaches too far',
    go: 'Names and namespaces of references are matched crosswise.',
    ours: 'Those that stand side by side belong together.',
    shownBy: edge('konnector/claimedresources/references', 'R30', [
      'are paired with the namespaces beside them, not crosswise',
    ]),
  },
  {
    entry: 'R31',
    kind: 'hangs',
    go: 'Waiting for a namespace has no end, blocks the worker, and is not told.',
    ours: 'Nobody else waits, and after a while it is told.',
    shownBy: edge('konnector/claimedresources/decide', 'R31', ['it is told when a namespace does not come']),
  },
  {
    entry: 'R32',
    kind: 'hangs',
    go: 'Of bindings with equal kubeconfigs in different Secrets only those of the first are looked after.',
    ours: 'All are members of the connection.',
    shownBy: edge('konnector/konnector-main/decide', 'R32', [
      'every binding is served that has the kubeconfig, whatever Secret it is in',
    ]),
  },
  {
    entry: 'R33',
    kind: 'loses data',
    go: 'An empty list of exports deletes all bindings of a bundle, and with them CRDs and objects.',
    ours: 'A binding goes only if its export is proven gone and others are still there.',
    shownBy: edge('konnector/servicebindingbundle/decide', 'R33', [
      'no binding is deleted because nothing is exported any more',
    ]),
  },
  {
    entry: 'R34',
    kind: 'reaches too far',
    go: 'An isolation that is not known counts as None.',
    ours: 'Nothing is synced, and the condition tells.',
    shownBy: edge('konnector/apiserviceexport/plan-syncs', 'R34', [
      'an isolation that is not known is not taken for None',
    ]),
  },
  {
    entry: 'R35',
    kind: 'loses data',
    go: 'An APIServiceNamespace belongs to the export that came first; when that is deleted, namespaces go that others use.',
    ours: 'Every export that uses it is an owner.',
    shownBy: edge('konnector/konnector-sync/service-namespaces', 'R35', [
      'an APIServiceNamespace belongs to every export that uses it, not to the first alone',
    ]),
  },
  {
    entry: 'R36',
    kind: 'hangs',
    go: 'After unbinding, finalizers keep objects and CRD from going.',
    ours: 'They are released; the copies stay, unless the policy says otherwise.',
    shownBy: simulated('finalizers-kept-on-unbinding'),
  },
  {
    entry: 'R37',
    kind: 'reaches too far',
    go: "A kubeconfig from a Secret runs programs and reads files with the konnector's rights.",
    ours: 'It is refused.',
    shownBy: edge('runtime/kubeconfig/secret-kubeconfig', 'R37', ['a kubeconfig from a Secret runs no program']),
  },
  {
    entry: 'R38',
    kind: 'reaches too far',
    go: 'Claims that a provider adds after the binding are served at once.',
    ours: "They are held until somebody on the consumer's side agrees.",
    shownBy: edge('konnector/servicebinding/claim-consent', 'R38', ['consent is not given to claims that come later']),
  },
  {
    entry: 'R39',
    kind: 'reaches too far',
    go: 'A provider may install any CRD, with any conversion webhook.',
    ours: 'Groups of Kubernetes and conversion webhooks are refused unless the operator allows them.',
    shownBy: edge('konnector/servicebinding/crd-policy', 'R39', [
      'a provider installs nothing in groups of Kubernetes, and no conversion webhook',
    ]),
  },
  {
    entry: '§17.3 Secret',
    kind: 'runs hot',
    go: 'The kubeconfig Secret of the consumer is written at every look.',
    ours: 'Only when something differs.',
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
    go: 'CRDs are written at every look.',
    ours: 'Only when they differ in more than what the server fills in.',
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
    go: 'What the provider fills in counts as drift, for ever.',
    ours: "What the provider adds is the provider's.",
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
    go: 'The consumer object goes while its copy still terminates.',
    ours: 'The finalizer holds it until the copy is proven gone.',
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
    go: 'An object that is made anew silently gets the copy, and the status, of the former one.',
    ours: "The copy first becomes the new object's; its status is taken afterwards.",
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
    go: 'While a namespace is not ready, each object looks every second.',
    ours: "The answer's event brings the objects back.",
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
    go: 'Without a status subresource the status sync fails for ever.',
    ours: 'The status is written with the object.',
    shownBy: test(
      'konnector/konnector-sync/sync.integration',
      'brings a status down where there is no status subresource',
    ),
  },
  {
    entry: '§17.7 kubeconfigs',
    kind: 'reaches too far',
    go: "A label on one of the konnector's own kubeconfigs sends it to a provider.",
    ours: 'They never leave, whatever is claimed.',
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
    go: 'Each event of an object that may be claimed lists all objects that may refer to it, in the whole cluster; when that fails, nothing is claimed.',
    ours: 'They are watched once, and what is claimed stays so while they cannot be read.',
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
    go: 'Finalizers, owners and foreign labels of a claimed copy are overwritten.',
    ours: 'It is patched; what others set stays.',
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
    go: 'An object that is being deleted is still copied.',
    ours: 'It is not.',
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
    go: "An APIServiceNamespace is deleted because the cache has no namespace of its name; two clusters with one kubeconfig delete each other's.",
    ours: "It goes after a live 404, if it is this cluster's and holds no bound object.",
    shownBy: edge(
      'konnector/namespacelifecycle/decide',
      '§17.9 namespaces',
      ['an APIServiceNamespace goes only if nobody needs it, not because the namespace of its name is missing'],
      'namespace-deleted-unproven',
    ),
  },
];
