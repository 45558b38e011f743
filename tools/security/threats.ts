// What a provider could do to its consumers, and what comes of it. docs/reference/threats.md has this as a table.

export interface ThreatTest {
  readonly file: string;
  /** Title of the test, or of one row of its table, as it stands in the file. */
  readonly title: string;
}

export interface Threat {
  /** What a hostile or broken provider does. */
  readonly threat: string;
  /** `refused`: it has no effect. `bounded`: it has some, up to a limit. `held`: it waits until somebody on the consumer's side agrees. */
  readonly outcome: 'refused' | 'bounded' | 'held';
  readonly answer: string;
  /** Reasons under which it is reported, of `@hawser/reasons`. Empty: it is not, or only in the log. */
  readonly reasons: readonly string[];
  readonly tests: readonly [ThreatTest, ...ThreatTest[]];
}

export interface ThreatGroup {
  readonly title: string;
  /** Begins the sentences of the table. Default: a provider. */
  readonly who?: string;
  readonly threats: readonly Threat[];
}

const servicebinding = (name: string, title: string): ThreatTest => ({
  file: `packages/konnector/servicebinding/src/${name}.test.ts`,
  title,
});
const clusterbinding = (name: string, title: string): ThreatTest => ({
  file: `packages/konnector/clusterbinding/src/${name}.test.ts`,
  title,
});
const claimed = (name: string, title: string): ThreatTest => ({
  file: `packages/konnector/claimedresources/src/${name}.test.ts`,
  title,
});
const namespaces = (name: string, title: string): ThreatTest => ({
  file: `packages/konnector/namespacelifecycle/src/${name}.test.ts`,
  title,
});
const client = (name: string, title: string): ThreatTest => ({
  file: `packages/runtime/client/src/${name}.test.ts`,
  title,
});
const e2e = (title: string): ThreatTest => ({ file: 'e2e/src/hostile.test.ts', title });

export const threatGroups: readonly ThreatGroup[] = [
  {
    title: 'CRDs',
    threats: [
      {
        threat:
          'exports a resource in a group of Kubernetes or kcp, in `kube-bind.io` or `hawser.dev`, or in one without a dot',
        outcome: 'refused',
        answer: 'No CRD is written. `konnector.allowedGroups` can name groups of Kubernetes and kcp, never the others.',
        reasons: ['ProtectedAPIGroup'],
        tests: [
          servicebinding('crd-policy', 'not those of Kubernetes'),
          servicebinding('servicebinding.integration', 'installs nothing in a group of Kubernetes'),
          e2e('installs nothing in groups that the operator has not opened'),
        ],
      },
      {
        threat: 'exports a resource in a group that the operator has not opened',
        outcome: 'refused',
        answer: 'No CRD is written; one that is installed stays as it is. `konnector.allowedGroups` opens groups.',
        reasons: ['APIGroupNotAllowed'],
        tests: [
          servicebinding('crd-policy', 'none that is not listed'),
          e2e('installs nothing in groups that the operator has not opened'),
        ],
      },
      {
        threat:
          "sends a schema with a conversion webhook (URL, CA bundle), to which the consumer's API server would send objects",
        outcome: 'refused',
        answer: 'The CRD is neither made nor changed, unless `konnector.allowConversionWebhooks`.',
        reasons: ['ConversionWebhookRefused'],
        tests: [
          servicebinding('crd-policy', 'is refused, since it would get the objects of the consumer'),
          servicebinding(
            'servicebinding.integration',
            'installs no conversion webhook, and stops at one that comes later',
          ),
        ],
      },
      {
        threat: 'exports a resource of which the consumer has a CRD already, of its own or of another provider',
        outcome: 'refused',
        answer: 'A CRD without owner reference to this binding (name and uid) is never written.',
        reasons: ['ForeignCustomResourceDefinition'],
        tests: [
          servicebinding(
            'servicebinding.integration',
            'leaves a foreign CRD alone, says whose it is, and takes over when it goes',
          ),
        ],
      },
      {
        threat: 'changes the scope, the kind or the stored versions of an API that is bound',
        outcome: 'refused',
        answer: "The consumer's API server refuses it, and the CRD stays as it is.",
        reasons: ['CustomResourceDefinitionUpdateFailed'],
        tests: [
          servicebinding('servicebinding.integration', 'leaves the CRD as it is when its schema comes to have %s'),
        ],
      },
      {
        threat: 'names one resource in the export, and describes another in its schema',
        outcome: 'refused',
        answer: 'No CRD is written.',
        reasons: ['BoundSchemaInvalid'],
        tests: [servicebinding('decide', 'whose schema is for another resource')],
      },
      {
        threat:
          'asks for short names such as `po`, or for category `all`, with which `kubectl delete all --all` would hit bound objects',
        outcome: 'refused',
        answer: 'The CRD is installed without those names.',
        reasons: ['ReservedNamesDropped'],
        tests: [
          servicebinding('reserved-names', 'are not given to the CRD of a provider'),
          servicebinding(
            'servicebinding.integration',
            'installs a CRD without the short names and categories of Kubernetes, and says so',
          ),
        ],
      },
      {
        threat: 'changes its schemas, exports or name all the time',
        outcome: 'bounded',
        answer: 'For one binding ten writes may follow each other, then there is one in two seconds.',
        reasons: [],
        tests: [
          servicebinding(
            'servicebinding.integration',
            'follows a schema that changes all the time no faster than the budget of writes allows, and ends with the last',
          ),
          {
            file: 'packages/runtime/controller/src/write-budget.test.ts',
            title: 'never allows more than the burst and what came back, whoever asks how often',
          },
        ],
      },
    ],
  },
  {
    title: 'Objects of bound APIs',
    threats: [
      {
        threat:
          "puts ownerReferences, finalizers, labels or annotations on a copy, to have them on the consumer's object",
        outcome: 'refused',
        answer: 'From a copy comes the status, and nothing of its metadata.',
        reasons: [],
        tests: [e2e('takes the status of a copy, and nothing of its metadata')],
      },
      {
        threat: 'changes the status of an object thousands of times a second',
        outcome: 'bounded',
        answer:
          'For one object twenty writes may follow each other, then there are two in a second; other objects do not wait.',
        reasons: [],
        tests: [
          {
            file: 'packages/konnector/konnector-sync/src/status-budget.integration.test.ts',
            title: 'has it written no faster than the budget allows, and holds up nobody else',
          },
          {
            file: 'packages/konnector/konnector-sync/src/status-budget.integration.test.ts',
            title: 'has the last one written, whatever was skipped',
          },
        ],
      },
      {
        threat: 'deletes copies, or has them deleted by whoever writes there',
        outcome: 'refused',
        answer: 'No object of the consumer is deleted because its copy is missing; the copy is made again.',
        reasons: [],
        tests: [{ file: 'e2e/src/main-path.test.ts', title: 'a copy that the provider deletes is made again' }],
      },
      {
        threat: 'has clones and children of copies with their annotations, made by people and controllers',
        outcome: 'refused',
        answer:
          'A copy names its object. What names another one, or has a controller as owner, is neither written nor deleted, and no status is taken from it.',
        reasons: ['ForeignCopy'],
        tests: [
          {
            file: 'packages/konnector/konnector-sync/src/inherited-marks.integration.test.ts',
            title: 'children that operators make of copies are neither reported, nor overwritten, nor deleted',
          },
        ],
      },
      {
        threat: 'gives two consumer clusters the same kubeconfig',
        outcome: 'held',
        answer:
          'A copy notes the cluster of its object. Another cluster neither takes it over nor deletes it, until its administrator says that it has taken the place of the first. Copies of claimed objects, too.',
        reasons: ['CopyOfAnotherCluster', 'ClaimedByAnotherCluster'],
        tests: [
          {
            file: 'packages/konnector/konnector-sync/src/inherited-marks.integration.test.ts',
            title:
              'two clusters with one kubeconfig: the second neither takes over nor deletes the copies of the first, until a person says that it has taken its place',
          },
          {
            file: 'packages/konnector/claimedresources/src/another-cluster.test.ts',
            title:
              'leaves the copy of another cluster with the same kubeconfig alone, with and without an object of its own, until it is said that it has taken the place of that one',
          },
        ],
      },
      {
        threat: 'sends errors, terminal messages or schemas of megabytes, to have them in Events and conditions',
        outcome: 'bounded',
        answer:
          "An Event has at most 1024 bytes, and 25 for one object follow each other, then one in five minutes; of a server's words 8 KiB are quoted, and a condition says 4 KiB.",
        reasons: [],
        tests: [
          {
            file: 'packages/runtime/telemetry/src/event-recorder.test.ts',
            title: 'keeps to 1024 bytes and hides secrets',
          },
          {
            file: 'packages/runtime/telemetry/src/event-recorder.test.ts',
            title: 'allows 25 writes per object, then one in five minutes',
          },
          client('failures', 'quotes no more of the server than anybody reads'),
          {
            file: 'packages/api/kube-bind/src/conditions/condition-list.test.ts',
            title: 'is cut to 4096 bytes, between two characters',
          },
        ],
      },
    ],
  },
  {
    title: 'Claims and namespaces',
    threats: [
      {
        threat: 'claims Secrets, ConfigMaps or ServiceAccounts that nobody has agreed to, after it was bound',
        outcome: 'held',
        answer:
          'Nothing of a claim that came later is served before the annotation `hawser.dev/accepted-claims` names it.',
        reasons: ['ClaimsHeld'],
        tests: [
          claimed(
            'claimedresources.integration',
            'holds claims that come after the binding until they are accepted, and drops those that go',
          ),
        ],
      },
      {
        threat:
          'makes its export anew, first with a resource that has no schema and then with a claim on all Secrets, so that the binding looks as if it had never been bound',
        outcome: 'held',
        answer:
          "Consent is a record on the binding (`hawser.dev/claim-consent`), which nothing that a provider says adds to, also if another provider's claims have the konnector allowed to read Secrets.",
        reasons: ['ClaimsHeld'],
        tests: [
          claimed(
            'claimedresources.integration',
            'reads no Secret for a provider whose export is made anew until it claims all of them',
          ),
          servicebinding(
            'claim-consent',
            'is not given a second time because the provider empties the list of bound schemas',
          ),
        ],
      },
      {
        threat: 'exports one API more to a consumer that binds all of them with a bundle, with claims on all Secrets',
        outcome: 'held',
        answer:
          'A binding that a bundle made agrees to nothing by itself; `hawser.dev/accepted-claims` on the bundle says what its bindings accept.',
        reasons: ['ClaimsHeld'],
        tests: [servicebinding('claim-consent', 'is not given by a binding %s')],
      },
      {
        threat:
          'uses a claim to put an object where another controller trusts what it finds, such as a Secret labelled as a cluster for Argo CD into `argocd`',
        outcome: 'refused',
        answer:
          'Claims bring objects only into namespaces in which the consumer has made bound objects of that provider, or which were made for it. Objects that the konnector brought from a Klutch provider do not count; `hawser.dev/claim-namespaces` of the binding opens others.',
        reasons: ['ClaimedNamespaceClosed'],
        tests: [
          claimed(
            'landing.integration',
            'are those with bound objects of the provider, those made for it, and those that the operator opens',
          ),
          claimed('landing.integration', 'are those that were made for the provider, and for no other'),
          claimed(
            'landing',
            'are not opened by objects that the konnector brought from the provider, which chose where they stand',
          ),
          claimed('decide', 'lets nothing be taken over there'),
        ],
      },
      {
        threat:
          'loses the originals of claimed objects, as by a restore, or hides them all at once, to have the copies deleted',
        outcome: 'held',
        answer:
          'Only a deletion that was watched is passed on at once. Copies of missing originals go after a minute, 10 a minute for all bindings of the connection; of more, none goes before an operator approves it.',
        reasons: ['ClaimedDeletionsHeld'],
        tests: [
          claimed(
            'lost-originals.integration',
            'of the %s take no copy along before somebody says so, also after a restart',
          ),
        ],
      },
      {
        threat: 'has an object of a name that the consumer has already, to overwrite it',
        outcome: 'refused',
        answer: 'What was there before stays; what somebody has only labelled counts for nothing.',
        reasons: ['ClaimedObjectExists', 'ClaimedObjectUndecided'],
        tests: [
          claimed('decide', 'the consumer had it before'),
          claimed(
            'claimedresources.integration',
            'leaves alone what it cannot tell, what was there before, credentials, and what is of others, and says so',
          ),
        ],
      },
      {
        threat: 'claims credentials: tokens of ServiceAccounts, bootstrap tokens, kubeconfigs',
        outcome: 'refused',
        answer: 'They are copied in neither direction.',
        reasons: ['ClaimedObjectProtected'],
        tests: [
          claimed('decide', 'stays where it is if it is a %s'),
          claimed(
            'claimedresources.integration',
            'leaves alone what it cannot tell, what was there before, credentials, and what is of others, and says so',
          ),
        ],
      },
      {
        threat: 'fills the consumer with objects that its claims bring in',
        outcome: 'bounded',
        answer:
          'By the claims of one binding 1000 objects come (`konnector.bounds.claimedObjectsPerBinding`), and no more; what is there stays, and is kept in step.',
        reasons: ['TooManyClaimedObjects'],
        tests: [
          claimed(
            'claimedresources.integration',
            'lets no more objects come by the claims of a binding than the bound, keeps what is there, and goes on when one goes',
          ),
        ],
      },
      {
        threat: 'fills the consumer with namespaces, also by withdrawing requests whose namespaces stay',
        outcome: 'bounded',
        answer:
          'For one provider 100 are made (`konnector.bounds.namespacesPerProvider`); each counts until it is gone from the consumer.',
        reasons: ['TooManyNamespaces'],
        tests: [
          namespaces(
            'namespacelifecycle.integration',
            'makes no more namespaces for one provider than it may have made, and goes on when one is gone',
          ),
          namespaces(
            'made-namespaces',
            'count, asked for or not, with those that another konnector made and it asks for',
          ),
        ],
      },
      {
        threat: 'asks for namespaces named like those of Kubernetes, or of the konnector',
        outcome: 'refused',
        answer: 'They are not made, and nothing in them is changed.',
        reasons: ['ProtectedNamespace'],
        tests: [
          namespaces('decide', 'refuses a protected name'),
          namespaces(
            'namespacelifecycle.integration',
            'makes the namespaces that the provider asks for, again if somebody deletes them, and none that is protected',
          ),
        ],
      },
    ],
  },
  {
    title: 'The connection',
    threats: [
      {
        threat:
          'hands out a kubeconfig that runs a program, reads files, asks an auth provider, or does not verify the server',
        outcome: 'refused',
        answer: 'It is neither copied nor used; the connection goes on with the last one that worked.',
        reasons: ['ProviderSecretInvalid', 'KubeconfigSecretInvalid'],
        tests: [
          clusterbinding('refusal', 'does not if it %s'),
          { file: 'e2e/src/bad-input.test.ts', title: 'a kubeconfig that cannot be used is refused with the reason' },
        ],
      },
      {
        threat:
          'puts into conditions, claims or its name what a terminal acts upon, to hide something from whoever reads or is asked; a consumer does so to its provider',
        outcome: 'refused',
        answer: 'Commands show it as its escape, and a row of a table, or a question, on one line.',
        reasons: [],
        tests: [
          { file: 'packages/cli/commands/src/printable.test.ts', title: 'shows %s' },
          { file: 'packages/cli/commands/src/printable.test.ts', title: 'keeps a row of a table a row' },
        ],
      },
      {
        threat: 'hands out a kubeconfig for another cluster namespace',
        outcome: 'refused',
        answer: 'It is not copied.',
        reasons: ['ProviderSecretInvalid'],
        tests: [clusterbinding('refusal', 'is for another cluster namespace')],
      },
      {
        threat: 'hands out a kubeconfig that points to another cluster',
        outcome: 'held',
        answer:
          'The uid of the cluster namespace is pinned: nothing is synced to another one until the operator changes the annotation.',
        reasons: ['ProviderIdentityChanged'],
        tests: [
          {
            file: 'packages/konnector/konnector-main/src/konnector-main.integration.test.ts',
            title: 'does not follow a kubeconfig to another provider, also after a restart, until that is accepted',
          },
        ],
      },
      {
        threat: "names another Secret, to have one of the consumer's replaced that is not the konnector's",
        outcome: 'refused',
        answer:
          'Only Secrets that bindings name are written, each by uid and version; what the provider calls its own does not matter.',
        reasons: [],
        tests: [
          clusterbinding('mirror', 'recreates a missing Secret in its own place'),
          clusterbinding('mirror', 'changes, adds and removes keys, and nothing else'),
        ],
      },
      {
        threat: 'puts heartbeats into the far future or past, or what is not a time',
        outcome: 'bounded',
        answer: 'A heartbeat is due then; ten reports may follow each other, then there is one in two seconds.',
        reasons: [],
        tests: [
          clusterbinding('heartbeat', 'reported in the future'),
          clusterbinding('heartbeat', 'an unreadable time'),
        ],
      },
      {
        threat: 'sends an answer, an event or a text without end',
        outcome: 'bounded',
        answer: 'An answer ends at 128 MiB and after its timeout, an event at 32 MiB.',
        reasons: [],
        tests: [
          client('failures', 'is what an answer makes of it that never ends: %s'),
          client('failures', 'when its time is up in the middle of the body'),
          client('line-splitter', 'refuses a line without end'),
        ],
      },
      {
        threat: 'sends lists whose pages do not end',
        outcome: 'bounded',
        answer: 'A repeated continue token, or 100 empty pages, end the list; it is tried again with back-off.',
        reasons: ['InformerSyncTimeout'],
        tests: [
          {
            file: 'packages/runtime/informer/src/listing.test.ts',
            title: 'is given up when its pages do not end (%s), and tried again with back-off',
          },
        ],
      },
      {
        threat: 'redirects to another server',
        outcome: 'refused',
        answer: 'Nobody follows, and no credentials go elsewhere.',
        reasons: [],
        tests: [client('failures', 'is what a redirect makes of it: nobody follows, and no credentials go elsewhere')],
      },
      {
        threat: 'asks to be asked again in years (`Retry-After`)',
        outcome: 'bounded',
        answer: 'After ten minutes at most it is tried again.',
        reasons: [],
        tests: [client('failures', 'is not put off for longer than ten minutes, whatever the server asks for')],
      },
      {
        threat: 'sends what is not JSON, not an object or not an event',
        outcome: 'refused',
        answer: 'The request fails as `Malformed`, in words that quote nothing of it.',
        reasons: [],
        tests: [
          client('failures', 'does not quote an answer that it cannot read'),
          client('event-stream.fuzz', 'of any bytes ends, with nothing but an ApiError'),
        ],
      },
    ],
  },
];
