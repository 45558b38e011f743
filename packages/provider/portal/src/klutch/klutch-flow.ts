import { type APIServiceExportTemplate, klutchDialect } from '@hawser/klutch';
import { resourceGroupName } from '@hawser/kube-bind';
import { Refusal } from '../answer.js';
import { decideRedirect } from '../redirects.js';
import { type Person, identityOf } from '../person.js';

/** A `kubectl bind` of Klutch that waits in a terminal (spec/klutch.md §8, §9). */
export interface KlutchFlow {
  /** A loopback address of the person's own machine. */
  readonly redirect: URL;
  /** Of the terminal, to recognise its answer. */
  readonly sessionId: string;
  /** Of the app cluster: base62, from the UID of its namespace `klutch-bind`. Not a secret. */
  readonly clusterId: string;
}

export type KlutchQuery = Readonly<Partial<Record<'u' | 'p' | 's' | 'c', string>>>;

/** Without `#`: it separates cluster id and subject in a consumer's identity. */
const CLUSTER_ID = /^[\dA-Za-z]{1,64}$/u;

/** @throws {Refusal} for a forbidden address, or parameters that `kubectl bind` does not send */
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

/** Query that carries the flow from page to page. Holds no secret. */
export function queryOfKlutchFlow({ redirect, sessionId, clusterId }: KlutchFlow): string {
  return `?${new URLSearchParams({ u: redirect.href, s: sessionId, c: clusterId }).toString()}`;
}

export interface KlutchAnswer {
  readonly person: Person;
  readonly template: APIServiceExportTemplate;
  /** Base64. A credential. */
  readonly kubeconfig: string;
}

/**
 * URL with the terminal's answer. The terminal reads standard base64, not the URL-safe alphabet, hence the escaping.
 */
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
