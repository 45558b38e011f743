import { type Case, type Transcript, caseId, fixtureGroup } from '@hawser/conformance';
import { type JsonValue, isFields } from '@hawser/json';

/**
 * Why a case of the suite does not apply to a gateway with one consumer. Closed: each is a rule, and every left-out
 * case has one.
 */
export const leftOutBecause = {
  user: 'It asks as other users: a consumer has its own token, and no right to impersonate.',
  controllers: 'It is about the controllers of Kubernetes, which work on the API server.',
  unrecorded: 'The real server does not tell what is to be expected.',
  resource: 'It asks for what is not exported: other kinds, CRDs, discovery of other groups, paths that are none.',
  clusterScoped: 'It names cluster-scoped objects without the prefix of a consumer.',
  namespace: 'It goes into namespaces that it makes itself, so that they are not those of the consumer.',
  collection: 'It deletes a collection: no consumer has the right to, since it would reach the objects of others.',
  subresource: 'It is about subresources: a konnector writes no status on the provider, and the gateway refuses them.',
  misplaced: 'It asks for a path that names nothing: the gateway refuses that before the API server hears of it.',
  yaml: 'It wants YAML: the gateway speaks JSON.',
  method: 'It asks with a method that consumers have no use for.',
  validation: 'It is about how the API server judges and changes what is written, which a gateway passes on as it is.',
  generated: 'Of the generated sequences each fourth is enough: they differ in what they write, not in how it is read.',
  builtIn:
    'It tells of a ConfigMap what custom resources do not have: strategic merge patches, defaults, validation in Go.',
} as const;
export type LeftOut = keyof typeof leftOutBecause;

/** Cases with another answer from the gateway, and why. They are skipped, and counted as skipped. */
const differences: Readonly<Record<string, string>> = {
  'expiry: a continue token of long ago':
    'the gateway keeps the state of a first page for two minutes, so the list goes on',
  'watches: a resourceVersion that is none': 'it is a 400, as for a list, and no 500',
  'outputs: metadata of custom resources': 'the 500 for the form of a list has a reason',
};

/** The known difference of the gateway in a case; undefined: none. */
export const knownDifference = ({ group, title }: Case): string | undefined => differences[`${group}: ${title}`];

const USERS: readonly string[] = ['authorization', 'rbac', 'reviews', 'tokens'];
const VALIDATION: readonly string[] = ['schema', 'rules', 'field validation'];
const EXPORTED = ['widgets', 'gears', 'loose', 'ruled', 'configmaps'];
const METHODS = ['GET', 'WATCH', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * The rule that leaves a case out; undefined: the gateway has to pass it. Judged by the requests to the real server.
 */
export function leftOut(one: Case, transcript: Transcript | undefined): LeftOut | undefined {
  if (USERS.includes(one.group)) return 'user';
  if (one.server === 'controllers') return 'controllers';
  if (one.group === 'subresources') return 'subresource';
  if (VALIDATION.includes(one.group)) return 'validation';
  if (one.group === 'generated' && Number(/\d+/u.exec(one.title)?.[0]) % 4 !== 0) return 'generated';
  if (transcript === undefined) return 'unrecorded';
  for (const { request, headers } of transcript) {
    if (headers?.['content-type']?.includes('application/yaml') === true) return 'yaml';
    const [method = '', path = ''] = request.split(' ');
    if (method === 'NOTE') continue;
    const reason = leftOutFor(caseId(one), method, path.split('?')[0] ?? '');
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function leftOutFor(namespace: string, method: string, path: string): LeftOut | undefined {
  if (!METHODS.includes(method)) return 'method';
  const found = pathPattern.exec(path)?.groups;
  if (found === undefined) return 'resource';
  const { inNamespace, resource = '', name } = found;
  if (inNamespace === undefined ? name !== undefined || method === 'POST' : method === 'POST' && name !== undefined)
    return 'misplaced';
  if (resource === 'gadgets') return 'clusterScoped';
  if (!EXPORTED.includes(resource)) return 'resource';
  if (inNamespace !== undefined && inNamespace !== namespace) return 'namespace';
  return method === 'DELETE' && name === undefined ? 'collection' : undefined;
}

const pathPattern = new RegExp(
  `^(?:/api/v1(?=.*/configmaps)|/apis/${fixtureGroup.replaceAll('.', String.raw`\.`)}/v1(?:beta1)?)(?:/namespaces/(?<inNamespace>[^/]+))?/(?<resource>[a-z]+)(?:/(?<name>[^/]+)(?:/(?:status|scale))?)?$`,
  'u',
);

/** Codes of refusals that the gateway words itself: readers go by status, reason and code. */
const OWN_WORDS: readonly number[] = [400, 406, 410, 422];

/** A transcript for comparison: without the words of refusals of reads. */
export function compared(transcript: Transcript): Transcript {
  return transcript.map((exchange) =>
    /^(?:GET|WATCH) /u.test(exchange.request)
      ? {
          ...exchange,
          ...(exchange.body === undefined ? {} : { body: withoutWords(exchange.body) }),
          ...(exchange.events === undefined ? {} : { events: exchange.events.map(inEvent) }),
        }
      : exchange,
  );
}

function withoutWords(body: JsonValue): JsonValue {
  if (!isFields(body) || body['kind'] !== 'Status' || !OWN_WORDS.includes(Number(body['code']))) return body;
  const { metadata, status, reason, code } = body;
  return {
    kind: 'Status',
    ...(metadata === undefined ? {} : { metadata }),
    status: status ?? null,
    reason: reason ?? null,
    code: code ?? null,
  };
}

function inEvent(event: JsonValue): JsonValue {
  if (!isFields(event) || !isFields(event['object'])) return withoutWords(event);
  return { ...event, object: withoutWords(event['object']) };
}

/** The namespaces that a case makes itself or through others. */
export function namespacesOf(one: Case): readonly string[] {
  const id = caseId(one);
  return one.group === 'lists' ? [id, `${id}-a`, `${id}-b`] : [id];
}
