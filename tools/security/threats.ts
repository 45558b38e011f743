// What a provider could do to its consumers, and the effect. docs/reference/threats.md shows it as a table.

export interface ThreatTest {
  readonly file: string;
  /** Title of the test, or of one row of its table, as in the file. */
  readonly title: string;
}

export interface Threat {
  /** Action of a hostile or broken provider. */
  readonly threat: string;
  /** `refused`: no effect. `bounded`: an effect up to a limit. `held`: it waits for consent on the consumer's side. */
  readonly outcome: 'refused' | 'bounded' | 'held';
  readonly answer: string;
  /** Reasons of `@hawser/reasons` that report it. Empty: only the log does, or nothing. */
  readonly reasons: readonly string[];
  readonly tests: readonly [ThreatTest, ...ThreatTest[]];
}

export interface ThreatGroup {
  readonly title: string;
  /** Subject of the table's sentences. Default: a provider. */
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
          'exports a resource in a group of Kubernetes or kcp, in `kube-bind.io` or `hawser.dev`, or in a group without a dot',
        outcome: 'refused',
        answer:
          'The konnector writes no CRD. `konnector.allowedGroups` can allow groups of Kubernetes and kcp, never the others.',
        reasons: ['ProtectedAPIGroup'],
        tests: [
          servicebinding('crd-policy', 'not those of Kubernetes'),
          servicebinding('servicebinding.integration', 'installs nothing in a group of Kubernetes'),
          e2e('installs nothing in groups that the operator has not opened'),
        ],
      },
      {
        threat: 'exports a resource in a group that the operator has not allowed',
        outcome: 'refused',
        answer:
          'The konnector writes no CRD; an installed CRD stays as it is. `konnector.allowedGroups` allows groups.',
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
        answer: 'The konnector neither creates nor changes the CRD, unless `konnector.allowConversionWebhooks` is set.',
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
        threat: "exports a resource for which the consumer already has a CRD, its own or another provider's",
        outcome: 'refused',
        answer: 'The konnector never writes a CRD without an owner reference to this binding (name and uid).',
        reasons: ['ForeignCustomResourceDefinition'],
        tests: [
          servicebinding(
            'servicebinding.integration',
            'leaves a foreign CRD alone, says whose it is, and takes over when it goes',
          ),
        ],
      },
      {
        threat: 'changes the scope, the kind or the stored versions of a bound API',
        outcome: 'refused',
        answer: "The consumer's API server refuses the change, and the CRD stays as it is.",
        reasons: ['CustomResourceDefinitionUpdateFailed'],
        tests: [
          servicebinding('servicebinding.integration', 'leaves the CRD as it is when its schema comes to have %s'),
        ],
      },
      {
        threat: 'names one resource in the export, and describes another in its schema',
        outcome: 'refused',
        answer: 'The konnector writes no CRD.',
        reasons: ['BoundSchemaInvalid'],
        tests: [servicebinding('decide', 'whose schema is for another resource')],
      },
      {
        threat:
          'asks for short names such as `po`, or for category `all`, so that `kubectl delete all --all` would hit bound objects',
        outcome: 'refused',
        answer: 'The konnector installs the CRD without those names.',
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
        answer: 'The konnector writes at most ten times in a row for one binding, then once in two seconds.',
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
          "sets ownerReferences, finalizers, labels or annotations on a copy, to get them onto the consumer's object",
        outcome: 'refused',
        answer: 'The konnector takes only the status from a copy, and none of its metadata.',
        reasons: [],
        tests: [e2e('takes the status of a copy, and nothing of its metadata')],
      },
      {
        threat: 'changes the status of an object thousands of times a second',
        outcome: 'bounded',
        answer:
          'The konnector writes at most twenty times in a row for one object, then twice a second. Other objects do not wait.',
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
        threat: 'deletes copies, or has other writers delete them',
        outcome: 'refused',
        answer: 'The konnector never deletes a consumer object because its copy is missing. It creates the copy again.',
        reasons: [],
        tests: [{ file: 'e2e/src/main-path.test.ts', title: 'a copy that the provider deletes is made again' }],
      },
      {
        threat: 'has people clone copies, or controllers pass on their annotations to children',
        outcome: 'refused',
        answer:
          'A copy names its object. If the name does not match, or a controller owns the object, the konnector neither writes nor deletes it, and takes no status from it.',
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
          'A copy names the cluster of its object. Another cluster neither takes the copy over nor deletes it, until its administrator states that it replaces the first cluster. The same holds for copies of claimed objects.',
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
        threat: 'sends errors, terminal messages or schemas of megabytes, to get them into Events and conditions',
        outcome: 'bounded',
        answer:
          "An Event has at most 1024 bytes; one object gets 25 in a row, then one in five minutes. Hawser quotes 8 KiB of a server's error, and a condition has at most 4 KiB.",
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
        threat: 'claims Secrets, ConfigMaps or ServiceAccounts after the binding, without consent',
        outcome: 'held',
        answer:
          'The konnector serves nothing of a later claim until the annotation `hawser.dev/accepted-claims` names it.',
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
          'recreates its export, first with a resource without schema and then with a claim on all Secrets, to make the binding look new',
        outcome: 'held',
        answer:
          "Consent is a record on the binding (`hawser.dev/claim-consent`). Nothing that a provider sends adds to it, even if the konnector may read Secrets because of another provider's claims.",
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
        threat: 'exports one more API, with claims on all Secrets, to a consumer that binds every API with a bundle',
        outcome: 'held',
        answer:
          'A binding that a bundle made accepts no claims by itself. `hawser.dev/accepted-claims` on the bundle lists what its bindings accept.',
        reasons: ['ClaimsHeld'],
        tests: [servicebinding('claim-consent', 'is not given by a binding %s')],
      },
      {
        threat:
          'uses a claim to put an object where another controller trusts it, for example a Secret labelled as a cluster for Argo CD into `argocd`',
        outcome: 'refused',
        answer:
          'Claims bring objects only into namespaces in which the consumer has made bound objects of that provider, or which were made for the provider. Objects that the konnector brought from a Klutch provider do not count. `hawser.dev/claim-namespaces` of the binding opens other namespaces.',
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
          'loses the originals of claimed objects, for example by a restore, or hides them all at once, to get the copies deleted',
        outcome: 'held',
        answer:
          'The konnector passes a deletion on at once only if it saw it. It deletes copies of missing originals after a minute, at most 10 a minute for all bindings of the connection. If more are missing, it deletes none until an operator approves it.',
        reasons: ['ClaimedDeletionsHeld'],
        tests: [
          claimed(
            'lost-originals.integration',
            'of the %s take no copy along before somebody says so, also after a restart',
          ),
        ],
      },
      {
        threat: "has an object with the name of a consumer's object, to overwrite it",
        outcome: 'refused',
        answer: 'The older object stays. A label alone does not prove ownership.',
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
        answer: 'The konnector copies them in neither direction.',
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
        threat: 'fills the consumer with claimed objects',
        outcome: 'bounded',
        answer:
          'The claims of one binding bring at most 1000 objects (`konnector.bounds.claimedObjectsPerBinding`). Objects that are there stay in step.',
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
          'The konnector makes at most 100 namespaces for one provider (`konnector.bounds.namespacesPerProvider`). Each counts until it is gone from the consumer.',
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
        threat: 'asks for namespaces with names of Kubernetes or of the konnector',
        outcome: 'refused',
        answer: 'The konnector does not make them, and changes nothing in them.',
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
        answer: 'The konnector neither copies nor uses it. The connection keeps the last kubeconfig that worked.',
        reasons: ['ProviderSecretInvalid', 'KubeconfigSecretInvalid'],
        tests: [
          clusterbinding('refusal', 'does not if it %s'),
          { file: 'e2e/src/bad-input.test.ts', title: 'a kubeconfig that cannot be used is refused with the reason' },
        ],
      },
      {
        threat:
          'puts control sequences for a terminal into conditions, claims or its name, to hide something from the reader; a consumer does the same to its provider',
        outcome: 'refused',
        answer: 'Commands print control sequences escaped, and keep a table row or a question on one line.',
        reasons: [],
        tests: [
          { file: 'packages/cli/commands/src/printable.test.ts', title: 'shows %s' },
          { file: 'packages/cli/commands/src/printable.test.ts', title: 'keeps a row of a table a row' },
        ],
      },
      {
        threat: 'hands out a kubeconfig for another cluster namespace',
        outcome: 'refused',
        answer: 'The konnector does not copy it.',
        reasons: ['ProviderSecretInvalid'],
        tests: [clusterbinding('refusal', 'is for another cluster namespace')],
      },
      {
        threat: 'hands out a kubeconfig that points to another cluster',
        outcome: 'held',
        answer:
          'The konnector pins the uid of the cluster namespace. It syncs nothing to another cluster until the operator changes the annotation.',
        reasons: ['ProviderIdentityChanged'],
        tests: [
          {
            file: 'packages/konnector/konnector-main/src/konnector-main.integration.test.ts',
            title: 'does not follow a kubeconfig to another provider, also after a restart, until that is accepted',
          },
        ],
      },
      {
        threat: 'names another Secret, to get a Secret of the consumer replaced',
        outcome: 'refused',
        answer:
          "The konnector writes only Secrets that bindings name, each by uid and version. The provider's name for its own Secret does not matter.",
        reasons: [],
        tests: [
          clusterbinding('mirror', 'recreates a missing Secret in its own place'),
          clusterbinding('mirror', 'changes, adds and removes keys, and nothing else'),
        ],
      },
      {
        threat: 'sets heartbeats far into the future or past, or to an invalid time',
        outcome: 'bounded',
        answer: 'A heartbeat is then due. The konnector sends at most ten in a row, then one in two seconds.',
        reasons: [],
        tests: [
          clusterbinding('heartbeat', 'reported in the future'),
          clusterbinding('heartbeat', 'an unreadable time'),
        ],
      },
      {
        threat: 'sends an answer, an event or a text without end',
        outcome: 'bounded',
        answer: 'The konnector stops reading an answer at 128 MiB or at its timeout, and an event at 32 MiB.',
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
        answer:
          'The konnector ends the list at a repeated continue token, or after 100 empty pages. It retries with back-off.',
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
        answer: 'The client follows no redirect, and sends no credentials elsewhere.',
        reasons: [],
        tests: [client('failures', 'is what a redirect makes of it: nobody follows, and no credentials go elsewhere')],
      },
      {
        threat: 'asks the konnector to wait for years (`Retry-After`)',
        outcome: 'bounded',
        answer: 'The konnector retries after ten minutes at most.',
        reasons: [],
        tests: [client('failures', 'is not put off for longer than ten minutes, whatever the server asks for')],
      },
      {
        threat: 'sends an answer that is not JSON, not an object or not an event',
        outcome: 'refused',
        answer: 'The request fails as `Malformed`. The error quotes nothing of the answer.',
        reasons: [],
        tests: [
          client('failures', 'does not quote an answer that it cannot read'),
          client('event-stream.fuzz', 'of any bytes ends, with nothing but an ApiError'),
        ],
      },
    ],
  },
];
