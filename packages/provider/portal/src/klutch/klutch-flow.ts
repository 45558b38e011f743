import { type APIServiceExportTemplate, klutchDialect } from '@hawser/klutch';
import { resourceGroupName } from '@hawser/kube-bind';
import { Refusal } from '../answer.js';
import { decideRedirect } from '../redirects.js';
import { type Person, identityOf } from '../person.js';

/** A `kubectl bind` of Klutch that waits in a terminal (spec/klutch.md §8, §9). */
export interface KlutchFlow {
  /** A loopback address of the person's own machine. */
  readonly redirect: URL;
  /** Of the terminal, which recognises its answer by it. */
  readonly sessionId: string;
  /** Of the app cluster: base62, made of the UID of its namespace `klutch-bind`. Not a secret. */
  readonly clusterId: string;
}

export type KlutchQuery = Readonly<Partial<Record<'u' | 'p' | 's' | 'c', string>>>;

/** Without `#`, which separates it from the subject in the identity of a consumer. */
const CLUSTER_ID = /^[\dA-Za-z]{1,64}$/u;

/** @throws {Refusal} for an address to which nothing is sent, and for what `kubectl bind` does not send */
export function klutchFlowOf(
  { u = '', p = '', s = '', c = '' }: KlutchQuery,
  publicUrl: URL,
  terminals: boolean,
): KlutchFlow {
  const target = u === '' ? `http://localhost:${p}/callback` : u;
  if (s === '' || !CLUSTER_ID.test(c) || (u === '' && !/^\d{1,5}$/u.test(p)))
    throw new Refusal(
      400,
      'BAD_REQUEST',
      'Nothing is bound: run kubectl bind, which opens this page with what it needs.',
    );
  const decision = decideRedirect('cli', target, publicUrl, terminals);
  if (decision.kind === 'refused') throw new Refusal(400, 'BAD_REQUEST', `Nothing is bound: ${decision.reason}.`);
  return { redirect: decision.url, sessionId: s, clusterId: c };
}

/** Carries it from one page to the next. Holds no secret. */
export function queryOfKlutchFlow({ redirect, sessionId, clusterId }: KlutchFlow): string {
  return `?${new URLSearchParams({ u: redirect.href, s: sessionId, c: clusterId }).toString()}`;
}

export interface KlutchAnswer {
  readonly person: Person;
  readonly template: APIServiceExportTemplate;
  /** Base64. A credential. */
  readonly kubeconfig: string;
}

/** Where the terminal gets its answer. It reads the alphabet of base64 that is not safe in URLs, which is why that is escaped. */
export function klutchAnswer({ redirect, sessionId }: KlutchFlow, { person, template, kubeconfig }: KlutchAnswer): URL {
  const { apiVersion } = klutchDialect;
  const { APIServiceSelector: selector, permissionClaims = [] } = template.spec;
  const { group = '', resource } = selector;
  const response = {
    apiVersion,
    kind: 'BindingResponse',
    authentication: { oauth2CodeGrant: { sid: sessionId, id: identityOf(person) } },
    kubeconfig,
    requests: [
      {
        apiVersion,
        kind: 'APIServiceExportRequest',
        metadata: { name: resourceGroupName(selector) },
        spec: { resources: [{ group, resource, permissionClaims }] },
      },
    ],
  };
  const url = new URL(redirect);
  url.searchParams.set('response', Buffer.from(JSON.stringify(response)).toString('base64'));
  return url;
}
