import {
  type Client,
  type KubeObject,
  type Resource,
  type ServerTime,
  type UnstructuredObject,
  getIfExists,
} from '@hawser/client';
import { StaleError } from '@hawser/controller';
import type { Informer } from '@hawser/informer';
import { fixedNames, parseTime, resources, type Secret } from '@hawser/kube-bind';
import type { Action } from './decision.js';
import type { Endpoint } from './endpoint.js';
import { writeKubeconfig } from './kubeconfig-text.js';
import { type Ledger, ledgerAnnotations, readLedger } from './ledger.js';
import type { Settings } from './observed.js';
import { newSlot } from './slot.js';

/** Field manager of everything that this controller writes. */
export const fieldManager = 'hawser-credentials';

export interface ActOptions {
  readonly client: Client;
  readonly settings: Settings;
  readonly endpoint: () => Endpoint;
  readonly kubeconfigs: Informer<Secret>;
  /** Receives the API server's time from its answers. */
  readonly serverTime: ServerTime;
  /** Called when the API server has made a token for a consumer, or a Secret for one. */
  readonly onMade: (type: 'createSlot' | 'issueToken', namespace: string) => void;
}

/** The only place that writes. The watch delivers what it creates. Failures are the client's ApiErrors. */
export async function act(options: ActOptions, action: Action, signal: AbortSignal): Promise<void> {
  const { client, settings } = options;
  const { binder } = settings.dialect.names;
  switch (action.type) {
    case 'createAccount': {
      const account: KubeObject = {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: binder, namespace: action.namespace },
      };
      learnServerTime(options, await client.create(resources.serviceAccounts, account, { fieldManager, signal }));
      return;
    }
    case 'deleteAccount': {
      const { namespace, name, uid } = action.account.metadata;
      await client.delete(resources.serviceAccounts, { namespace, name }, { preconditions: { uid }, signal });
      return;
    }
    case 'createSlot': {
      const { namespace = '' } = action.account.metadata;
      await assertCurrent(client, resources.serviceAccounts, action.account, () => true, signal);
      const slot = newSlot(binder, namespace, action.slot, action.mode, action.madeFor);
      learnServerTime(options, await client.create(resources.secrets, slot, { fieldManager, signal }));
      options.onMade(action.type, namespace);
      return;
    }
    case 'deleteSlot': {
      const { namespace, name, uid } = action.secret.metadata;
      if (action.because === 'replaced') await assertReplaced(options, action, signal);
      await client.delete(resources.secrets, { namespace, name }, { preconditions: { uid }, signal });
      return;
    }
    case 'writeToken':
      if (action.from !== undefined) {
        const { data } = action.from;
        await assertCurrent(
          client,
          resources.secrets,
          action.from,
          (live) => live.data?.['token'] === data?.['token'],
          signal,
        );
      }
      await writeSecret(options, action, action.token, action.ledger, signal);
      return;
    case 'issueToken': {
      const { token, issued, expires } = await requestToken(client, settings, action.slot, signal);
      options.onMade(action.type, action.binding.metadata.namespace ?? '');
      options.serverTime.learn(issued);
      await writeSecret(options, action, token, { ...action.ledger, issued, expires }, signal);
    }
  }
}

/** Reads the server's time from an object that was created just now. */
function learnServerTime({ serverTime }: ActOptions, { metadata }: KubeObject): void {
  serverTime.learn(parseTime(metadata.creationTimestamp));
}

interface TokenRequest extends UnstructuredObject {
  /** In an answer: the granted life of the token, whatever was requested. */
  readonly spec?: { readonly expirationSeconds?: number | undefined } | undefined;
  readonly status?:
    { readonly token?: string | undefined; readonly expirationTimestamp?: string | undefined } | undefined;
}

interface IssuedToken {
  readonly token: string;
  /** Both by the clock of the API server, which sends the expiry and the life. */
  readonly issued: number;
  readonly expires: number;
}

/** Requests a token that ends with the slot at the latest. */
async function requestToken(
  client: Client,
  { dialect, tokenLifeMs }: Settings,
  { metadata: { namespace, name, uid } }: Secret,
  signal: AbortSignal,
): Promise<IssuedToken> {
  const asked = Math.round(tokenLifeMs / 1_000);
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name: dialect.names.binder, namespace },
    spec: { expirationSeconds: asked, boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name, uid } },
  };
  const { spec, status } = await client.create<TokenRequest>(resources.serviceAccounts, request, {
    subresource: 'token',
    signal,
  });
  const expires = parseTime(status?.expirationTimestamp);
  if (status?.token === undefined || status.token === '' || expires === undefined) throw new TokenAnswerError();
  return { token: status.token, issued: expires - (spec?.expirationSeconds ?? asked) * 1_000, expires };
}

/** The API server answered a token request without a token. A retry can help. */
class TokenAnswerError extends Error {
  override readonly name = 'TokenAnswerError';
  readonly code = 'NoTokenInAnswer';

  constructor() {
    super('the API server answered a request for a token, but the answer has no token or no expiry');
  }
}

/**
 * Reads an object live before a token Secret is made for an account, or its token goes to a consumer. With a stale
 * cache, the cluster would delete each Secret of a deleted account as soon as it is made. And after a restored backup,
 * the cache may still have a token that ended with its Secret; a consumer with that token could not receive the next
 * one.
 */
async function assertCurrent<T extends KubeObject>(
  client: Client,
  resource: Resource,
  cached: T,
  isSame: (live: T) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name, uid } = cached.metadata;
  const live = await getIfExists<T>(client, resource, { namespace, name }, { signal });
  if (live === undefined || live.metadata.uid !== uid || !isSame(live)) throw stale(resource, name);
}

/** Reads the kubeconfig live: a restored backup may have brought back the token that a replaced one follows. */
async function assertReplaced(
  { client, settings }: ActOptions,
  { secret, kubeconfig }: Extract<Action, { because: 'replaced' }>,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name } = secret.metadata;
  const live = await getIfExists<Secret>(client, resources.secrets, { namespace, name: kubeconfig }, { signal });
  if (live === undefined || readLedger(settings.dialect.names.binder, live).slot === name)
    throw stale(resources.secrets, kubeconfig);
}

/** A kubeconfig, a token Secret or its account differs from the cache; its next event brings the consumer back. */
function stale(resource: Resource, name: string): StaleError {
  return new StaleError(
    resource === resources.serviceAccounts ? 'StaleAccount' : 'StaleSlot',
    `${resource.resource} "${name}" has changed, and no token of it is made, handed out or deleted`,
  );
}

/** Writes only our key and our annotations. */
async function writeSecret(
  { client, settings, endpoint, kubeconfigs }: ActOptions,
  { binding, secret, caData }: Extract<Action, { type: 'writeToken' | 'issueToken' }>,
  token: string,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<void> {
  const current = endpoint();
  const namespace = binding.metadata.namespace ?? '';
  const { name, key } = binding.spec.kubeconfigSecretRef;
  const data = {
    [key]: Buffer.from(
      writeKubeconfig(caData === undefined ? current : { ...current, caData }, namespace, token),
    ).toString('base64'),
  };
  const annotations = ledgerAnnotations(settings.dialect.names.binder, ledger);
  if (secret === undefined) {
    const notes = Object.fromEntries(
      Object.entries(annotations).filter((entry): entry is [string, string] => entry[1] !== null),
    );
    const object: Secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace, ...(Object.keys(notes).length === 0 ? {} : { annotations: notes }) },
      data,
    };
    await client.create(resources.secrets, object, { fieldManager, signal });
    return;
  }
  const { uid, resourceVersion } = secret.metadata;
  const written = await client.patch<Secret>(
    resources.secrets,
    { namespace, name },
    { type: 'merge', patch: { metadata: { uid, resourceVersion, annotations }, data } },
    { fieldManager, signal },
  );
  if (name === fixedNames.providerKubeconfigSecret) kubeconfigs.observe(written);
}
