import {
  ExpressionError,
  UnsupportedExpression,
  compileJsonExpression,
} from '../../packages/language/cel/src/index.ts';
import { InvalidPattern, compile as compilePattern } from '../../packages/language/goregexp/src/index.ts';
import { TemplateError, compile as compileTemplate } from '../../packages/language/gotemplate/src/index.ts';
import { PathError, get, set } from '../../packages/language/gjson/src/index.ts';
import {
  applyMergePatch,
  canonical,
  clone,
  createMergePatch,
  equal,
  parse,
  stringify,
} from '../../packages/runtime/json/src/index.ts';
import { asDeleteResult, asList, asObject, asWatchEvent } from '../../packages/runtime/client/src/decode.ts';
import { MalformedError } from '../../packages/runtime/client/src/malformed-error.ts';
import { errorFromResponse } from '../../packages/runtime/client/src/status-error.ts';
import { KubeconfigError, parseSecretKubeconfig } from '../../packages/runtime/kubeconfig/src/index.ts';
import { validate as validatePublishedResource } from '../../packages/api/syncagent-api/src/index.ts';
import { ConfigError, parseConfig } from '../../packages/runtime/config/src/config.ts';
import { compareDefinitions, definitionOf } from '../../packages/language/schemadiff/src/index.ts';
import { apiExports } from '../../packages/emulator/kcp/src/kinds/apis.ts';
import { compileSchema, validateCustomResourceDefinition } from '../../packages/language/schema/src/index.ts';
import { compileCandidate, judge } from '../../packages/runtime/schemagate/src/index.ts';
import {
  apiExportToV1alpha1,
  apiExportToV1alpha2,
  ConversionError as KcpConversionError,
} from '../../packages/api/kcp-api/src/index.ts';
import { crdFromExport, malformation as klutchMalformation } from '../../packages/api/klutch/src/index.ts';
import {
  ConversionError,
  type Kind,
  apiVersion,
  boundSchemaFromCRD,
  crdFromBoundSchema,
  malformation,
  parseDuration,
  parseTime,
  unbindPolicyOf,
  validate as validateKind,
  withdrawnObjectsPolicyOf,
} from '../../packages/api/kube-bind/src/index.ts';
import { readClaims, decide as decideClaim } from '../../packages/konnector/claimedresources/src/index.ts';
import { decide as decideClusterBinding } from '../../packages/konnector/clusterbinding/src/index.ts';
import { WantedCRDs, decide as decideBinding } from '../../packages/konnector/servicebinding/src/index.ts';
import { decide as decidePair, readBindingPolicy } from '../../packages/konnector/konnector-sync/src/index.ts';
import { withdrawalChange } from '../../packages/provider/exportrequest/src/withdrawal.ts';
import { decideRequest } from '../../packages/provider/exportrequest/src/decide-request.ts';
import { sourceSchema } from '../../packages/provider/exportrequest/src/source-schema.ts';
import { decideRequest as decideOnboarding } from '../../packages/provider/onboarding/src/decide-request.ts';
import { parseRollout } from '../../packages/provider/propagation/src/index.ts';
import {
  ProjectionError,
  project,
  toAPIResourceSchema,
} from '../../packages/syncagent/apiresourceschema/src/projection/index.ts';
import { NamingError } from '../../packages/syncagent/syncagent-sync/src/naming/naming-error.ts';
import { agentFunctions, compileRules } from '../../packages/syncagent/syncagent-sync/src/index.ts';
import * as samples from './samples.ts';

/** Code of ours that reads peer input. */
export interface Reader {
  readonly name: string;
  /** Well-formed values, the base for hostile ones. */
  readonly samples: readonly unknown[];
  /** The product's check in front of the reader, which may refuse with a {@link MalformedError}. Gets a copy. */
  readonly front?: (value: unknown) => unknown;
  readonly read: (value: never) => unknown;
  /** Errors that mean refusal. Any other exception is a fault. */
  readonly refusals?: readonly (new (...args: never[]) => Error)[];
}

const functions = agentFunctions({
  now: () => new Date(0),
  randomBytes: (length: number) => new Uint8Array(length),
} as never);
const refused = { kind: 'missing' } as const;

/** The client checks every object here. */
const incoming = (value: unknown): unknown => asObject(parse(stringify(value as never)));
const contract =
  (kind: Kind) =>
  (value: unknown): unknown => {
    const object = asObject(value);
    // Without a spec it defines nothing: comparing functions never get it.
    if (
      object.apiVersion !== apiVersion ||
      !isObject((object as { readonly spec?: unknown }).spec) ||
      malformation(kind, object) !== undefined
    )
      throw new MalformedError(`malformed ${kind}`);
    return object;
  };
/** Objects that consumers write on the provider: its API server has the schema. */
const stored =
  (kind: Kind) =>
  (value: unknown): unknown => {
    const object = asObject(value);
    if (validateKind(kind, object).length > 0 || hasNull(object)) throw new MalformedError('refused by the API server');
    return object;
  };
/** Objects that kcp stores. */
const storedByKcp = (version: 'v1alpha1' | 'v1alpha2'): ((value: unknown) => unknown) => {
  const schema = apiExports.versions[version]?.schema;
  const compiled = schema === undefined ? undefined : compileSchema(schema);
  return (value) => {
    const object = asObject(parse(stringify(value as never)));
    if (compiled === undefined || compiled.validate(object as never).length > 0 || hasNull(object))
      throw new MalformedError('refused by the API server');
    return object;
  };
};
/** Operators write these; the API server has the schema. */
const published = (value: unknown): unknown => {
  const object = asObject(value);
  if (validatePublishedResource(object).length > 0 || hasNull(object))
    throw new MalformedError('refused by the API server');
  return object;
};

export const readers: readonly Reader[] = [
  { name: 'json', samples: [samples.database, samples.crd], read: jsonRoundTrip },
  { name: 'merge patch', samples: [samples.database], read: mergePatches },
  {
    name: 'answer',
    samples: [samples.database, samples.copy, samples.crd, samples.status],
    read: (value: unknown) => asObject(structuredClone(value)),
    refusals: [MalformedError],
  },
  {
    name: 'list',
    samples: [samples.list],
    read: (value: unknown) =>
      asList(structuredClone(value), () => undefined).items.map(({ metadata: { name } }) => name.length),
    refusals: [MalformedError],
  },
  {
    name: 'deletion',
    samples: [samples.database, samples.status],
    read: (value: unknown) => asDeleteResult(structuredClone(value)),
    refusals: [MalformedError],
  },
  {
    name: 'watch',
    samples: [
      { type: 'ADDED', object: samples.database },
      { type: 'ERROR', object: samples.status },
    ],
    read: (value: never) => asWatchEvent(stringify(value), () => undefined),
    refusals: [MalformedError],
  },
  {
    name: 'failure',
    samples: [samples.status],
    read: (value: never) =>
      errorFromResponse(
        { status: 422, headers: {}, body: stringify(value) },
        { cluster: 'c', verb: 'get', resource: 'r' },
        { now: () => 0 } as never,
      ),
  },
  {
    name: 'kubeconfig',
    samples: [samples.kubeconfig],
    read: (value: never) => parseSecretKubeconfig(stringify(value)),
    refusals: [KubeconfigError],
  },
  {
    name: 'kubeconfig text',
    samples: [[samples.kubeconfigText]],
    read: (value: unknown) => parseSecretKubeconfig(textOf(value)),
    refusals: [KubeconfigError],
  },
  {
    name: 'configuration',
    samples: [samples.configuration],
    read: (value: unknown) => parseConfig(value, 'file'),
    refusals: [ConfigError],
  },
  {
    name: 'times',
    samples: [['2026-01-01T00:00:00Z'], ['5m0s']],
    read: (value: unknown) => [parseTime(textOf(value)), parseDuration(textOf(value))],
  },
  {
    name: 'bound schema',
    samples: [samples.boundSchema],
    front: contract('BoundSchema'),
    read: (value: never) => new WantedCRDs().of(value),
  },
  {
    name: 'bound schema to crd',
    samples: [samples.boundSchema],
    front: contract('BoundSchema'),
    read: (value: never) => crdFromBoundSchema(value),
    refusals: [ConversionError],
  },
  {
    name: 'crd to bound schema',
    samples: [samples.crd],
    front: crdIncoming,
    read: (value: never) => boundSchemaFromCRD(value, { informerScope: 'Namespaced' } as never),
    refusals: [ConversionError],
  },
  {
    name: 'schema difference',
    samples: [samples.boundSchema],
    front: contract('BoundSchema'),
    read: (value: never) =>
      compareDefinitions(definitionOf(samples.crd.spec), definitionOf((value as { readonly spec: never }).spec)),
  },
  {
    name: 'schema gate',
    samples: [samples.boundSchema],
    front: contract('BoundSchema'),
    read: (value: never) =>
      judge({ before: samples.crd.spec, after: (value as { readonly spec: never }).spec, policy: 'Safe' }),
  },
  {
    name: 'stored object',
    samples: [samples.database],
    front: incoming,
    read: (value: never) => candidate?.judge(clone(value)),
  },
  {
    name: 'candidate',
    samples: [samples.boundSchema],
    front: contract('BoundSchema'),
    read: (value: never) =>
      compileCandidate((value as { readonly spec: never }).spec, 'v1')?.judge(clone(samples.database)),
  },
  {
    name: 'pair: copy',
    samples: [samples.copy],
    front: incoming,
    read: (copy: never) => decidePair(samples.pair(samples.database, copy) as never, samples.pairSettings as never),
  },
  {
    name: 'pair: object',
    samples: [samples.database],
    front: incoming,
    read: (object: never) => decidePair(samples.pair(object, samples.copy) as never, samples.pairSettings as never),
  },
  {
    name: 'claimed object',
    samples: [samples.secret],
    front: incoming,
    read: (object: never) => decideClaim(samples.claimed(object) as never, samples.claimSettings),
  },
  {
    name: 'claims',
    samples: [samples.apiExport],
    front: contract('APIServiceExport'),
    read: (one: never) =>
      readClaims(
        'b',
        ((one as { readonly spec: { readonly permissionClaims?: unknown } }).spec.permissionClaims ?? []) as never,
        one,
      ),
  },
  {
    name: 'binding',
    samples: [samples.binding],
    front: contract('APIServiceBinding'),
    read: (binding: never) => [
      readBindingPolicy({ binding: metadataOf(binding) }),
      unbindPolicyOf(metadataOf(binding)),
    ],
  },
  {
    name: 'export',
    samples: [samples.apiExport],
    front: contract('APIServiceExport'),
    read: (one: never) => [
      decideBinding({
        binding: samples.binding as never,
        export: { kind: 'found', export: one },
        resources: [],
        prettyName: { kind: 'known', value: '' },
        nowMs: 0,
        time: 0,
      }),
      withdrawnObjectsPolicyOf(metadataOf(one), 'Keep'),
      withdrawalChange(one, { kind: 'absent' } as never, true),
    ],
  },
  {
    name: 'inline export',
    samples: [samples.inlineExport],
    front: (value) => {
      const object = asObject(value);
      if (klutchMalformation('APIServiceExport', object) !== undefined) throw new MalformedError('malformed');
      return object;
    },
    read: (one: never) => crdFromExport(one),
    refusals: [ConversionError],
  },
  {
    name: 'cluster binding',
    samples: [samples.clusterBinding],
    front: (value: unknown) => stored('ClusterBinding')(contract('ClusterBinding')(value)),
    read: (object: never) =>
      decideClusterBinding({
        clusterBinding: { kind: 'found', object },
        providerSecret: refused,
        consumerSecrets: [],
        version: 'v1',
        heartbeat: { intervalMs: 1_000 } as never,
        nowMs: 0,
      }),
  },
  {
    name: 'source crd',
    samples: [samples.crd],
    front: crdIncoming,
    read: (one: never) => sourceSchema(one, { informerScope: 'Namespaced', isolation: 'Prefixed' }),
  },
  {
    name: 'export request',
    samples: [samples.request],
    front: stored('APIServiceExportRequest'),
    read: (request: never) =>
      decideRequest({ informerScope: 'Namespaced', isolation: 'Prefixed' }, samples.requested(request) as never, 0),
  },
  {
    name: 'onboarding request',
    samples: [samples.onboarding],
    front: stored('BindableResourcesRequest'),
    read: (request: never) =>
      decideOnboarding(
        { informerScope: 'Namespaced', isolation: 'Prefixed', namespacePrefix: 'kube-bind-', prettyName: 'x' } as never,
        { request, claiming: [] } as never,
        0,
      ),
  },
  { name: 'rollout', samples: [[samples.rollout]], read: (value: unknown) => parseRollout(textOf(value)) },
  {
    name: 'published resource',
    samples: [samples.published],
    front: published,
    read: (one: never) =>
      compileRules((one as typeof samples.published).spec as never, { functions, kinds: samples.kinds as never }),
  },
  {
    name: 'named object',
    samples: [samples.database],
    front: incoming,
    read: (object: never) => naming?.(object, 'cluster', undefined),
    refusals: [NamingError],
  },
  {
    name: 'projection',
    samples: [samples.crd],
    front: crdIncoming,
    read: (crd: never) => toAPIResourceSchema(project(crd, samples.published as never), { agentName: 'a' }),
    refusals: [ProjectionError],
  },
  {
    name: 'projection rules',
    samples: [samples.published],
    front: published,
    read: (one: never) => project(samples.crd as never, one),
    refusals: [ProjectionError],
  },
  {
    name: 'api export',
    samples: [samples.kcpExport],
    front: storedByKcp('v1alpha1'),
    read: (one: never) => apiExportToV1alpha2(one),
    refusals: [KcpConversionError],
  },
  {
    name: 'api export v1alpha2',
    samples: [samples.kcpExportV1alpha2],
    front: storedByKcp('v1alpha2'),
    read: (one: never) => apiExportToV1alpha1(one),
    refusals: [KcpConversionError],
  },
  {
    name: 'template',
    samples: [samples.templates],
    read: (value: unknown) =>
      compileTemplate(textOf(value), { functions, limits: { steps: 10_000, output: 10_000 } }).render({
        Object: samples.database,
      }),
    refusals: [TemplateError],
  },
  {
    name: 'template data',
    samples: [samples.database],
    read: (value: unknown) => template.render({ Object: value }),
    refusals: [TemplateError],
  },
  {
    name: 'pattern',
    samples: [samples.patterns],
    read: (value: unknown) => compilePattern(textOf(value)),
    refusals: [InvalidPattern],
  },
  {
    name: 'path',
    samples: [samples.database],
    read: (value: never) => {
      for (const path of samples.paths) {
        get(value, path);
        set(clone(value), path, 1);
      }
    },
    refusals: [PathError],
  },
  {
    name: 'expression',
    samples: [samples.expressions],
    read: (value: unknown) =>
      compileJsonExpression(textOf(value), { self: 'int', other: 'double' }).evaluate({
        self: samples.database,
        other: null,
      }),
    refusals: [ExpressionError, UnsupportedExpression],
  },
  {
    name: 'expression data',
    samples: [samples.database],
    read: (value: never) => expression.evaluate({ self: value }),
    refusals: [ExpressionError, UnsupportedExpression],
  },
];

/** What an API server admits: it decodes a CRD into its types, then validates it. */
function crdIncoming(value: unknown): unknown {
  const object = asObject(value);
  if (!isValidCrd(object)) throw new MalformedError('refused by the API server');
  return object;
}

function isValidCrd(object: object): boolean {
  try {
    return !hasNull(object) && validateCustomResourceDefinition(clone(object) as never).length === 0;
  } catch {
    return false;
  }
}

const candidate = compileCandidate(samples.crd.spec, 'v1');
const template = compileTemplate(
  '{{ .Object.metadata.name | sha3short }}{{ range $k, $v := .Object.spec }}{{ $k }}{{ $v }}{{ end }}{{ toJson .Object }}',
  { functions },
);
const expression = compileJsonExpression(
  'self.spec.size == "small" && has(self.metadata) ? self.metadata.name : string(size(self.spec))',
  { self: 'double' },
);
const compiled = compileRules(samples.published.spec as never, { functions, kinds: samples.kinds as never });
const naming = compiled.kind === 'compiled' ? compiled.value.naming : undefined;

/** An API server refuses or drops null where its schema does not say nullable. */
function hasNull(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.values(value).some(hasNull));
}

function metadataOf(object: unknown): never {
  return ((object as { readonly metadata?: unknown } | null)?.metadata ?? {}) as never;
}

/** A text from any value. */
function textOf(value: unknown): string {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  if (one === undefined) return '';
  return typeof one === 'string' ? one : stringify(one);
}

function jsonRoundTrip(value: never): void {
  const text = stringify(value);
  if (!equal(parse(text), parse(stringify(parse(text))))) throw new Error('JSON changes on its way');
  canonical(value);
  if (!equal(clone(value), value)) throw new Error('a clone is another value');
}

function mergePatches(value: never): void {
  const before = samples.database as never;
  const patch = createMergePatch(before, value);
  const made = patch === undefined ? before : applyMergePatch(clone(before), patch);
  const expected = withoutNulls(value);
  if (isObject(value) && !equal(made, expected)) throw new Error('a merge patch does not make what was wanted');
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A merge patch cannot say null inside an object. */
function withoutNulls(value: unknown): unknown {
  if (!isObject(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(value))
    if (child !== null)
      Object.defineProperty(kept, key, {
        value: withoutNulls(child),
        enumerable: true,
        writable: true,
        configurable: true,
      });
  return kept;
}
