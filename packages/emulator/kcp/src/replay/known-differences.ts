import type { Difference } from './compare.js';
import type { Recorded } from './recording.js';

/** A known difference of the embedded kcp from the real one. */
export interface KnownDifference {
  /** Recorded requests; undefined: all. */
  readonly requests?: readonly string[];
  /** Matches the path of a difference. */
  readonly path: RegExp;
  readonly reason: string;
}

export function isKnown(
  { name }: Recorded,
  { path }: Difference,
  known: readonly KnownDifference[],
): KnownDifference | undefined {
  return known.find(
    (entry) => (entry.requests === undefined || entry.requests.includes(name)) && entry.path.test(path),
  );
}

const MOVED =
  'kcp took some seconds to serve a schema that an export has moved to, and the recording is of these seconds; here it is served in a turn';
const NOT_THERE = 'kinds that agents do not use are not there: 501';

export const knownDifferences: readonly KnownDifference[] = [
  {
    path: /annotations\.internal\.apis\.kcp\.io\/resource-bindings$/u,
    reason:
      'kcp binds its own kinds in each workspace, and locks their names in an annotation; here they are there without a binding',
  },
  {
    requests: ['logical cluster of root'],
    path: /annotations\.internal\.kcp\.io\/replicate$/u,
    reason: 'there is no cache server to be replicated to',
  },
  {
    requests: ['group discovery in a workspace'],
    path: /\.serverAddressByClientCIDRs$/u,
    reason: 'addresses by client network are left out: no client uses them',
  },
  {
    requests: ['group discovery in a workspace'],
    path: /^body\.groups\[(?:certificates\.k8s\.io|admissionregistration\.k8s\.io|cache\.kcp\.io|topology\.kcp\.io)\]$/u,
    reason: NOT_THERE,
  },
  { requests: ['apis.kcp.io v1alpha1 discovery'], path: /^body\.resources\[apiconversions\]$/u, reason: NOT_THERE },
  {
    requests: ['version', 'version of the virtual workspace'],
    path: /^body\.(?:goVersion|gitCommit)$/u,
    reason: 'what is not made with Go has no Go version',
  },
  {
    requests: [
      'binding of a as v1alpha2',
      'binding of a as v1alpha1',
      'bindings through the virtual workspace',
      'binding after the schema moved',
      'binding v1alpha1 is bound',
      'the same binding as v1alpha2',
      'binding with a selector is bound',
      'binding with a selector as v1alpha1',
      'binding read through the virtual workspace',
      'another selector in a binding',
      'binding of c is deleted',
      'binding of c waits',
      'binding of d while it waits',
    ],
    path: /metadata\.generation$/u,
    reason: 'kcp writes a binding with accepted claims twice more without another spec, and counts them',
  },
  {
    requests: ['openapi v3 index'],
    path: /^body\.paths\.(?:version|apis?|apis\/[^/]+)$/u,
    reason: 'only documents with schemas are listed',
  },
  {
    requests: ['binding after the schema moved', 'b deletes its binding'],
    path: /boundResources\[.*\]\.schema\.name$|conditions\[BindingUpToDate\]/u,
    reason: MOVED,
  },
  {
    requests: [
      'new field accepted',
      'list wildcard after unbinding',
      'watch wildcard while b unbinds',
      'watch wildcard while workspace a is deleted',
    ],
    path: /(?:spec\.plan|metadata\.generation)$/u,
    reason: `${MOVED}: the new field is kept`,
  },
  {
    requests: ['workspace shop-p is ready', 'workspace shop-c is ready', 'workspace shop-d is ready'],
    path: /annotations\.experimental\.tenancy\.kcp\.io\/owner$|labels\.tenancy\.kcp\.io\/phase$/u,
    reason: 'the recording is of a moment in which the workspace was ready and its metadata did not say so yet',
  },
  {
    requests: ['logical cluster of d while it waits'],
    path: /conditions\[APIBindingsReconciled\]$/u,
    reason: 'kcp binds its own kinds in each workspace, and here they are there without a binding',
  },
  {
    requests: ['another virtual workspace'],
    path: /^(?:status|body\..*)$/u,
    reason: 'virtual workspaces of initializers are not there: 501',
  },
  {
    requests: ['claim without verbs'],
    path: /^body\.(?:message|details\.causes\.length)$/u,
    reason: 'the schemas of exports have no rules here that could be left out because of an error',
  },
];

/** Differences that real kcps may have between installations or runs. */
export const knownDifferencesOfKcp: readonly KnownDifference[] = [
  {
    path: /annotations\.internal\.apis\.kcp\.io\/resource-bindings$/u,
    reason: 'names of bindings are made of random letters, and come one after the other',
  },
  {
    requests: ['logical cluster by path', 'logical cluster by id'],
    path: /conditions\[APIBindingsReconciled\]$/u,
    reason: 'this condition comes some time after the workspace is ready',
  },
  {
    requests: ['workspace shop-p is ready', 'workspace shop-c is ready', 'workspace shop-d is ready'],
    path: /annotations\.experimental\.tenancy\.kcp\.io\/owner$|labels\.tenancy\.kcp\.io\/phase$/u,
    reason: 'a workspace may be ready some moments before its metadata say so',
  },
  {
    requests: ['binding after the schema moved', 'b deletes its binding'],
    path: /boundResources\[.*\]\.schema\.name$|conditions\[BindingUpToDate\]/u,
    reason: 'how long a schema takes to be served depends on the machine',
  },
  {
    requests: ['watch wildcard while b unbinds'],
    path: /^body\.events|^events/u,
    reason:
      'a watch that is open while the virtual workspace takes a new schema ends with an ERROR event of code 500; whether it is open then depends on the machine',
  },
  {
    requests: ['new field accepted', 'list wildcard after unbinding', 'watch wildcard while workspace a is deleted'],
    path: /(?:spec\.plan|metadata\.generation)$/u,
    reason: 'how long a schema takes to be served depends on the machine',
  },
];
