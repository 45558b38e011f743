import type { FieldError } from '@hawser/schema';
import type { JsonObject } from '@hawser/json';
import { invalid, invalidObject } from '../object/invalid.js';
import { field, numberField, objectField, stringField, stringsField } from '../object/json.js';
import { metaOf, timestampOf } from '../object/meta.js';
import type { ServerHost, VirtualRequest, VirtualResource } from '../parts.js';
import { badRequest, conflict, notFound, notImplemented } from '../status.js';
import { type ServiceAccountTokens, issuer, secrets, serviceAccounts } from './service-account-tokens.js';

const kind = { group: 'authentication.k8s.io', kind: 'TokenRequest' };
const defaultSeconds = 3600;
const shortestSeconds = 600;

/** `serviceaccounts/token`: a token for a ServiceAccount (kubernetes `registry/core/serviceaccount/storage`). */
export function tokenRequests(host: ServerHost, tokens: ServiceAccountTokens): VirtualResource {
  return {
    group: '',
    version: 'v1',
    resource: 'serviceaccounts/token',
    kind: 'TokenRequest',
    namespaced: true,
    create: (request) => createToken(host, tokens, request),
  };
}

function createToken(host: ServerHost, tokens: ServiceAccountTokens, { info, body }: VirtualRequest): JsonObject {
  const { namespace, name } = info;
  const metadata = metaOf(body);
  checkMetadata(metadata, namespace, name);
  const account = host.objects.get(serviceAccounts, { namespace, name });
  if (account === undefined) throw notFound(serviceAccounts, name);
  const { uid = '' } = metaOf(account);
  if (stringField(metadata, 'uid') !== '' && stringField(metadata, 'uid') !== uid) {
    throw conflict(
      { group: kind.group, resource: kind.kind },
      name,
      `the UID in the token request (${stringField(metadata, 'uid')}) does not match the UID of the service account (${uid})`,
    );
  }
  const spec = objectField(body, 'spec');
  const expirationSeconds = numberField(spec, 'expirationSeconds') ?? defaultSeconds;
  checkExpiration(expirationSeconds);
  const audiences = stringsField(spec, 'audiences').length === 0 ? [issuer] : stringsField(spec, 'audiences');
  const reference = objectField(spec, 'boundObjectRef');
  const token = tokens.issue({
    serviceAccount: account,
    secret: boundSecret(host, namespace, reference),
    audiences,
    expirationSeconds,
  });
  const now = host.clock.now();
  return {
    kind: kind.kind,
    apiVersion: `${kind.group}/v1`,
    metadata: {
      name,
      namespace,
      uid,
      creationTimestamp: host.timestamp(),
      ...(metadata.managedFields === undefined ? {} : { managedFields: metadata.managedFields }),
    },
    spec: { audiences, expirationSeconds, boundObjectRef: reference ?? null },
    status: { token, expirationTimestamp: timestampOf(now + expirationSeconds * 1000) },
  };
}

function checkMetadata(metadata: JsonObject, namespace: string, name: string): void {
  const given = (key: string): string => stringField(metadata, key);
  if (given('name') !== '' && given('name') !== name)
    throw invalidObject(kind, name, [
      invalid('metadata.name', given('name'), 'must match the service account name if specified'),
    ]);
  if (given('namespace') !== '' && given('namespace') !== namespace)
    throw invalidObject(kind, name, [
      invalid('metadata.namespace', given('namespace'), 'must match the service account namespace if specified'),
    ]);
}

function checkExpiration(seconds: number): void {
  const errors: FieldError[] = [];
  if (seconds < shortestSeconds)
    errors.push(invalid('spec.expirationSeconds', seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds > 2 ** 32)
    errors.push(invalid('spec.expirationSeconds', seconds, 'may not specify a duration larger than 2^32 seconds'));
  if (errors.length > 0) throw invalidObject(kind, '', errors);
}

function boundSecret(host: ServerHost, namespace: string, reference: JsonObject | undefined): JsonObject | undefined {
  if (reference === undefined) return undefined;
  const [apiVersion, boundKind, name, uid] = [
    stringField(reference, 'apiVersion'),
    stringField(reference, 'kind'),
    stringField(reference, 'name'),
    field(reference, 'uid'),
  ];
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  if (group === '' && (boundKind === 'Pod' || boundKind === 'Node'))
    throw notImplemented(`a token bound to a ${boundKind}`);
  if (group !== '' || boundKind !== 'Secret')
    throw badRequest(
      `cannot bind token to object of type ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${boundKind}`,
    );
  const secret = host.objects.get(secrets, { namespace, name });
  if (secret === undefined) throw notFound(secrets, name);
  if (typeof uid === 'string' && uid !== '' && metaOf(secret).uid !== uid) {
    throw conflict(
      { group: '', resource: boundKind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  return secret;
}
