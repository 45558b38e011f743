import type { JsonObject } from '@hawser/json';
import { objectField, stringField } from '../object/json.js';
import { metaOf, withMeta } from '../object/meta.js';
import { objectController } from '../controllers/object-controller.js';
import { isResource, keyOfText, textOfKey } from '../controllers/resources.js';
import type { Controller, ObjectKey, ServerHost } from '../parts.js';
import { StatusError } from '../status.js';
import { type ServiceAccountTokens, accountOfTokenSecret, secrets, serviceAccounts } from './service-account-tokens.js';

const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';

/** Fills Secrets of type `kubernetes.io/service-account-token`, and deletes those whose ServiceAccount is missing. */
export function tokenSecrets(host: ServerHost, tokens: ServiceAccountTokens): Controller {
  const keysOf = (objects: readonly JsonObject[]): string[] =>
    objects.filter((secret) => accountOfTokenSecret(secret) !== undefined).map((secret) => textOfKey(keyOf(secret)));
  return objectController(host, {
    name: 'serviceaccount-token-controller',
    all: () => keysOf(host.objects.list(secrets)),
    concerned: ({ type, resource, key, object }) => {
      if (isResource(resource, secrets))
        return type === 'DELETED' || accountOfTokenSecret(object) === undefined ? [] : [textOfKey(key)];
      if (!isResource(resource, serviceAccounts)) return [];
      return keysOf(
        host.objects.list(secrets, key.namespace).filter((secret) => accountOfTokenSecret(secret) === key.name),
      );
    },
    work: (key) => {
      sync(host, tokens, keyOfText(key));
    },
  });
}

function sync(host: ServerHost, tokens: ServiceAccountTokens, key: ObjectKey): void {
  const secret = host.objects.get(secrets, key);
  const accountName = secret === undefined ? undefined : accountOfTokenSecret(secret);
  if (secret === undefined || accountName === undefined) return;
  const account = host.objects.get(serviceAccounts, { namespace: key.namespace, name: accountName });
  const { [uidAnnotation]: boundTo } = metaOf(secret).annotations ?? {};
  if (account === undefined || (boundTo !== undefined && boundTo !== '' && metaOf(account).uid !== boundTo)) {
    remove(host, secret, key);
    return;
  }
  const filled = fill(host, tokens, secret, account);
  if (filled !== undefined) host.objects.update(secrets, filled);
}

function fill(
  host: ServerHost,
  tokens: ServiceAccountTokens,
  secret: JsonObject,
  account: JsonObject,
): JsonObject | undefined {
  const data = objectField(secret, 'data') ?? {};
  const authority = Buffer.from(host.authorityPem()).toString('base64');
  const missing: Record<string, string> = {};
  if (authority !== '' && stringField(data, 'ca.crt') !== authority) missing['ca.crt'] = authority;
  if (stringField(data, 'namespace') === '')
    missing['namespace'] = Buffer.from(metaOf(secret).namespace ?? '').toString('base64');
  if (stringField(data, 'token') === '')
    missing['token'] = Buffer.from(tokens.issueLegacy(account, metaOf(secret).name ?? '')).toString('base64');
  if (Object.keys(missing).length === 0) return undefined;
  const annotations = {
    ...metaOf(secret).annotations,
    [nameAnnotation]: metaOf(account).name ?? '',
    [uidAnnotation]: metaOf(account).uid ?? '',
  };
  return withMeta({ ...secret, data: { ...data, ...missing } }, { annotations });
}

function remove(host: ServerHost, secret: JsonObject, key: ObjectKey): void {
  const { uid } = metaOf(secret);
  try {
    host.objects.delete(secrets, key, uid === undefined ? {} : { uid });
  } catch (error) {
    if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 409)) throw error;
  }
}

function keyOf(object: JsonObject): ObjectKey {
  const { namespace = '', name = '' } = metaOf(object);
  return { namespace, name };
}
