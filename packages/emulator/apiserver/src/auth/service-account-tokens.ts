import type { JsonObject } from '@hawser/json';
import { arrayField, field, numberField, objectField, stringField, stringMap } from '../object/json.js';
import { metaOf } from '../object/meta.js';
import type { ObjectKey, ServerHost, UserInfo } from '../parts.js';
import type { GroupResource } from '../status.js';
import type { SigningKey } from './signing-key.js';
import { parseServiceAccountUsername, serviceAccountGroups, serviceAccountUsername } from './users.js';

/** The server's identity, and the default audience of its tokens. */
export const issuer = 'https://kubernetes.default.svc';
const legacyIssuer = 'kubernetes/serviceaccount';

export const secrets: GroupResource = { group: '', resource: 'secrets' };
export const serviceAccounts: GroupResource = { group: '', resource: 'serviceaccounts' };

/** go-jose's leeway for clock differences. */
const leewayMs = 60_000;
const dayMs = 86_400_000;
const lastUsedLabel = 'kubernetes.io/legacy-token-last-used';
const invalidSinceLabel = 'kubernetes.io/legacy-token-invalid-since';

/** Contents of a token. */
export interface TokenGrant {
  readonly serviceAccount: JsonObject;
  /** The token is valid only with this object. */
  readonly secret?: JsonObject | undefined;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}

/** What a token proves, or why it is rejected; `undefined` for a foreign token. */
export type TokenProof =
  { readonly user: UserInfo; readonly audiences: readonly string[] } | { readonly problem: string } | undefined;

/** Tokens of ServiceAccounts: bound ones from TokenRequest, and those in Secrets of type `kubernetes.io/service-account-token`. */
export class ServiceAccountTokens {
  constructor(
    readonly host: ServerHost,
    readonly key: SigningKey,
  ) {}

  issue({ serviceAccount, secret, audiences, expirationSeconds }: TokenGrant): string {
    const { namespace = '', name = '', uid = '' } = metaOf(serviceAccount);
    const now = Math.floor(this.host.clock.now() / 1000);
    return this.key.sign({
      aud: [...audiences],
      exp: now + expirationSeconds,
      iat: now,
      iss: issuer,
      jti: this.host.newUid(),
      'kubernetes.io': {
        namespace,
        ...(secret === undefined ? {} : { secret: reference(secret) }),
        serviceaccount: { name, uid },
      },
      nbf: now,
      sub: serviceAccountUsername({ namespace, name }),
    });
  }

  /** The token of a Secret: it never expires, and is valid as long as the Secret holds it. */
  issueLegacy(serviceAccount: JsonObject, secretName: string): string {
    const { namespace = '', name = '', uid = '' } = metaOf(serviceAccount);
    const claim = (part: string): string => `kubernetes.io/serviceaccount/${part}`;
    return this.key.sign({
      iss: legacyIssuer,
      [claim('namespace')]: namespace,
      [claim('secret.name')]: secretName,
      [claim('service-account.name')]: name,
      [claim('service-account.uid')]: uid,
      sub: serviceAccountUsername({ namespace, name }),
    });
  }

  /** What a token proves to a server with one of these audiences. */
  check(token: string, audiences: readonly string[] = [issuer]): TokenProof {
    const claims = this.key.verify(token);
    if (claims === undefined) return undefined;
    const claimed = stringField(claims, 'iss');
    if (claimed !== issuer && claimed !== legacyIssuer) return undefined;
    return claimed === legacyIssuer ? this.#checkLegacy(token, claims, audiences) : this.#checkBound(claims, audiences);
  }

  #checkBound(claims: JsonObject, wanted: readonly string[]): TokenProof {
    const granted = arrayField(claims, 'aud').filter((audience) => typeof audience === 'string');
    const audiences = granted.filter((audience) => wanted.includes(audience));
    if (audiences.length === 0)
      return { problem: `token audiences ${goList(granted)} is invalid for the target audiences ${goList(wanted)}` };
    const now = this.host.clock.now();
    if (now - leewayMs > (numberField(claims, 'exp') ?? 0) * 1000)
      return { problem: 'service account token has expired' };
    if (now + leewayMs < (numberField(claims, 'nbf') ?? 0) * 1000)
      return { problem: 'service account token is not valid yet' };
    const bound = objectField(claims, 'kubernetes.io');
    const namespace = stringField(bound, 'namespace');
    const problem =
      this.#accountProblem(namespace, objectField(bound, 'serviceaccount')) ??
      this.#secretProblem(namespace, objectField(bound, 'secret'));
    if (problem !== undefined) return { problem };
    const { name, uid } = nameAndUid(objectField(bound, 'serviceaccount'));
    const id = stringField(claims, 'jti');
    const extra = id === '' ? {} : { extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${id}`] } };
    return {
      audiences,
      user: {
        name: serviceAccountUsername({ namespace, name }),
        uid,
        groups: serviceAccountGroups(namespace),
        ...extra,
      },
    };
  }

  #accountProblem(namespace: string, claimed: JsonObject | undefined): string | undefined {
    const { name, uid } = nameAndUid(claimed);
    const account = this.host.objects.get(serviceAccounts, { namespace, name });
    if (account === undefined) return `serviceaccounts "${name}" not found`;
    if (metaOf(account).uid !== uid)
      return `service account UID (${metaOf(account).uid ?? ''}) does not match claim (${uid})`;
    return this.#isGone(account) ? `service account ${namespace}/${name} has been deleted` : undefined;
  }

  #secretProblem(namespace: string, claimed: JsonObject | undefined): string | undefined {
    if (claimed === undefined) return undefined;
    const { name, uid } = nameAndUid(claimed);
    const secret = this.host.objects.get(secrets, { namespace, name });
    if (secret === undefined) return 'service account token has been invalidated';
    if (metaOf(secret).uid !== uid)
      return `secret UID (${metaOf(secret).uid ?? ''}) does not match service account secret ref claim (${uid})`;
    return this.#isGone(secret) ? 'service account token has been invalidated' : undefined;
  }

  /** An object that waits only for finalizers proves nothing a minute after its deletion. */
  #isGone(object: JsonObject): boolean {
    const { deletionTimestamp } = metaOf(object);
    return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < this.host.clock.now() - leewayMs;
  }

  #checkLegacy(token: string, claims: JsonObject, audiences: readonly string[]): TokenProof {
    const [namespace, secretName, name, uid] = [
      'namespace',
      'secret.name',
      'service-account.name',
      'service-account.uid',
    ].map((part) => stringField(claims, `kubernetes.io/serviceaccount/${part}`)) as [string, string, string, string];
    const subject = parseServiceAccountUsername(stringField(claims, 'sub'));
    if (subject?.namespace !== namespace || subject.name !== name) return { problem: 'sub claim is invalid' };
    if (!audiences.includes(issuer))
      return {
        problem: `token audiences ${goList([issuer])} is invalid for the target audiences ${goList(audiences)}`,
      };
    const key: ObjectKey = { namespace, name: secretName };
    const secret = this.host.objects.get(secrets, key);
    if (secret === undefined || metaOf(secret).deletionTimestamp !== undefined)
      return { problem: 'Token has been invalidated' };
    if (stringField(objectField(secret, 'data'), 'token') !== Buffer.from(token).toString('base64'))
      return { problem: "Token does not match server's copy" };
    const account = this.host.objects.get(serviceAccounts, { namespace, name });
    if (account === undefined) return { problem: `serviceaccounts "${name}" not found` };
    if (metaOf(account).deletionTimestamp !== undefined)
      return { problem: `ServiceAccount ${namespace}/${name} has been deleted` };
    if (metaOf(account).uid !== uid)
      return { problem: `ServiceAccount UID (${metaOf(account).uid ?? ''}) does not match claim (${uid})` };
    const labels = stringMap(metaOf(secret), 'labels');
    if (labels.get(invalidSinceLabel) !== undefined && labels.get(invalidSinceLabel) !== '')
      return { problem: invalidSince(namespace, secretName, name) };
    this.#markUsed(key, labels.get(lastUsedLabel));
    return {
      audiences: [issuer],
      user: { name: serviceAccountUsername({ namespace, name }), uid, groups: serviceAccountGroups(namespace) },
    };
  }

  /** A label holds the day of the last use; written once a day. */
  #markUsed(key: ObjectKey, lastUsed: string | undefined): void {
    const day = Math.floor(this.host.clock.now() / dayMs);
    // Called with every request of the token.
    const marked = lastUsed === undefined ? NaN : Date.parse(lastUsed) / dayMs;
    if (marked === day || marked === day + 1) return;
    const today = new Date(day * dayMs).toISOString().slice(0, 10);
    this.host.defer(() => {
      const secret = this.host.objects.get(secrets, key);
      if (secret === undefined || stringMap(metaOf(secret), 'labels').get(lastUsedLabel) === today) return;
      const metadata = {
        ...metaOf(secret),
        labels: { ...objectField(metaOf(secret), 'labels'), [lastUsedLabel]: today },
      };
      this.host.objects.update(secrets, { ...secret, metadata }, { fieldManager: 'kube-apiserver' });
    });
  }
}

function reference(object: JsonObject): JsonObject {
  const { name = '', uid = '' } = metaOf(object);
  return { name, uid };
}

function nameAndUid(object: JsonObject | undefined): { readonly name: string; readonly uid: string } {
  return { name: stringField(object, 'name'), uid: stringField(object, 'uid') };
}

function invalidSince(namespace: string, secret: string, account: string): string {
  return `the token in secret ${namespace}/${secret} for service account ${namespace}/${account} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${invalidSinceLabel}' label from the secret to temporarily allow use of this token`;
}

/** Go's `%q` of a list of strings. */
function goList(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
}

/** The ServiceAccount that a Secret names, if the Secret holds its token. */
export function accountOfTokenSecret(secret: JsonObject): string | undefined {
  if (field(secret, 'type') !== 'kubernetes.io/service-account-token') return undefined;
  const name = stringMap(metaOf(secret), 'annotations').get('kubernetes.io/service-account.name');
  return name === '' ? undefined : name;
}
