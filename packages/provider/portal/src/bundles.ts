import type { Client, KubeObject } from '@hawser/client';
import { type APIServiceExportTemplate, claimId, claimInWords } from '@hawser/kube-bind';
import { Refusal } from './answer.js';
import { type Asked, type Binder, type Opened, type Wish, ofAnotherCluster } from './binder.js';
import type { BundleCodes } from './bundle-codes.js';
import { bundleOf, isCredential } from './bundle.js';
import type { ClusterProofs } from './clusters/cluster-proofs.js';
import { ensureRequest, requestHash, requestOf } from './export-requests.js';
import { type Person, identityOf } from './person.js';
import { type PullRequest, pullRequestOf } from './pull-request.js';

export interface BundlesOptions {
  readonly client: Pick<Client, 'get' | 'create'>;
  readonly binder: Binder;
  readonly codes: BundleCodes;
  /** ServiceAccounts whose tokens prove a cluster. */
  readonly proofs: Pick<ClusterProofs, 'serviceAccountOf'>;
  readonly publicUrl: URL;
  /** Whether the portal serves the manifests of a konnector. */
  readonly servesKonnector: boolean;
}

/** Fields of every offer of a bundle. */
interface AnyOffer {
  readonly binding: string;
  /** Valid for one bundle. */
  readonly code: string;
  /** RFC 3339. */
  readonly expires: string;
  /**
   * For a shell with a kubeconfig of the consumer cluster. It prompts for the code, so neither shell history nor
   * process list has it.
   */
  readonly command: string;
  /** For the same shell, while no konnector runs there. Absent: the provider names no image. */
  readonly konnectorCommand?: string | undefined;
}

/** Offer for a binding by a bundle. */
export interface BundleOffer extends AnyOffer {
  readonly providerNamespace: string;
  /** The same without the credential, for review. */
  readonly pullRequest: PullRequest;
  /** Brings the credential alone, for the code. */
  readonly credentialCommand: string;
}

/** Offer for a cluster that proves itself when it presents the code. Nothing is done before that. */
export interface AwaitedBundle extends AnyOffer {
  /** ServiceAccount whose token the command sends, as `<namespace>/<name>`. */
  readonly serviceAccount: string;
}

/** Result of a code: the whole bundle, or its namespace and Secret. */
export type BundlePart = 'whole' | 'credential';

/** Objects including a credential, and their binding. */
export interface HandedOut {
  readonly binding: string;
  readonly objects: readonly KubeObject[];
}

/** Expected owner and content of a code. */
export interface ExpectedBundle {
  readonly person: Person;
  readonly binding: string;
  /** Identity of the target cluster. */
  readonly identity: string;
  /**
   * For a cluster that must prove itself: the identity proven by its ServiceAccount's token (`<namespace>/<name>`).
   * @throws {Refusal}
   */
  prove(serviceAccount: string): Promise<string>;
}

/** Path of the konnector's manifests. */
export const KONNECTOR_PATH = '/api/konnector-manifests';
/** Path for exchanging a code. */
export const BUNDLE_PATH = '/api/bundle';
/** Path for exchanging a code for the credential alone. */
export const CREDENTIAL_PATH = `${BUNDLE_PATH}/credential`;

/**
 * Binding without `kubectl bind`: a person binds in a browser and carries a one-time code to the cluster, which
 * exchanges it for a bundle.
 */
export class Bundles {
  readonly #options: BundlesOptions;

  constructor(options: BundlesOptions) {
    this.#options = options;
  }

  /** Binds, and returns a code for the bundle to apply in the cluster. @throws {Refusal | ApiError} */
  offer(person: Person, wish: Wish, acceptedClaims: readonly string[], asked: Asked): Promise<BundleOffer> {
    const { binder, publicUrl } = this.#options;
    return binder.audited('gave a code for a bundle', person, wish, asked, async () => {
      const opened = await binder.open(person, wish, asked, (found) => {
        requireClaimsOf(found, acceptedClaims);
      });
      const { template, consumer } = opened;
      await this.#do(wish, opened, asked);
      const answer: BundleOffer = {
        ...(await this.#code({ person, wish, acceptedClaims, template }, asked)),
        providerNamespace: consumer.namespace,
        command: commandFor(publicUrl, BUNDLE_PATH),
        credentialCommand: commandFor(publicUrl, CREDENTIAL_PATH),
        pullRequest: pullRequestOf({
          name: wish.name,
          namespace: consumer.namespace,
          acceptedClaims,
          template,
          provider: publicUrl.origin,
        }),
      };
      return { answer, consumer };
    });
  }

  /**
   * Returns a code that binds a cluster once it presents the code with its own token. Undefined: no proof needed.
   * @throws {Refusal | ApiError}
   */
  async offerAwaitingProof(
    person: Person,
    wish: Wish,
    acceptedClaims: readonly string[],
    asked: Asked,
  ): Promise<AwaitedBundle | undefined> {
    const { binder, proofs, publicUrl } = this.#options;
    const serviceAccount = proofs.serviceAccountOf(wish.cluster.identity);
    const template = serviceAccount === undefined ? undefined : await binder.awaitingProof(person, wish, asked);
    if (serviceAccount === undefined || template === undefined) return undefined;
    return binder.audited(
      'gave a code for a bundle of a cluster that has to prove itself',
      person,
      wish,
      asked,
      async () => {
        requireClaimsOf(template, acceptedClaims);
        const code = await this.#code({ person, wish, acceptedClaims, template, awaitsProof: true }, asked);
        return { answer: { ...code, serviceAccount, command: provingCommandFor(publicUrl, serviceAccount) } };
      },
    );
  }

  /**
   * Exchanges a code. `proven`: the cluster whose token came with the code.
   * @throws {Refusal} for an invalid code, or a person who may no longer bind this
   * @throws {ApiError}
   */
  async exchange(
    code: string,
    asked: Asked,
    {
      part = 'whole',
      proven: shown,
      expected,
    }: {
      readonly part?: BundlePart;
      readonly proven?: string | undefined;
      readonly expected?: ExpectedBundle | undefined;
    } = {},
  ): Promise<HandedOut> {
    const { binder, codes, proofs, publicUrl } = this.#options;
    const found = await codes.find(code.trim(), asked.signal);
    if (found === undefined) throw unknownCode();
    const { person, wish: agreedWish, acceptedClaims, asked: agreed, awaitsProof = false } = found.grant;
    if (expected !== undefined) requireExpected(person, agreedWish, expected);
    const serviceAccount = awaitsProof ? proofs.serviceAccountOf(agreedWish.cluster.identity) : undefined;
    const proven = shown ?? (serviceAccount === undefined ? undefined : await expected?.prove(serviceAccount));
    if (proven !== undefined && proven !== agreedWish.cluster.identity) throw ofAnotherCluster();
    const cluster = { ...agreedWish.cluster, ...(proven === undefined ? {} : { isProven: true }) };
    const wish = { ...agreedWish, cluster };
    return binder.audited('handed out a bundle', person, wish, asked, async () => {
      // Checked again: rights withdrawn since take effect. A code that fails here can be tried again.
      const opened = await binder.open(person, wish, asked, (offered) => {
        if (requestHash(requestOf(wish.name, offered)) !== agreed) throw changedTemplate();
      });
      if (awaitsProof) await this.#do(wish, opened, asked);
      if (!(await found.use(asked.signal))) throw unknownCode();
      const { template, consumer } = opened;
      const objects = bundleOf({ name: wish.name, consumer, acceptedClaims, template, provider: publicUrl.origin });
      const wanted =
        part === 'whole' ? objects : objects.filter((object) => object.kind === 'Namespace' || isCredential(object));
      return { answer: { binding: wish.name, objects: wanted }, consumer };
    });
  }

  async #do(wish: Wish, opened: Opened, asked: Asked): Promise<void> {
    const { client, binder } = this.#options;
    const document = requestOf(wish.name, opened.template);
    // First: a name taken by another request grants nothing.
    await ensureRequest(client, opened.consumer.namespace, document, asked.signal);
    await binder.grant(opened, asked);
  }

  async #code(
    { person, wish, acceptedClaims, template, awaitsProof }: Agreed,
    { signal }: Asked,
  ): Promise<Omit<AnyOffer, 'command'>> {
    const { codes, publicUrl, servesKonnector } = this.#options;
    const hash = requestHash(requestOf(wish.name, template));
    const { code, expires } = await codes.issue({ person, wish, acceptedClaims, asked: hash, awaitsProof }, signal);
    return {
      binding: wish.name,
      code,
      expires: new Date(expires).toISOString(),
      ...(servesKonnector ? { konnectorCommand: konnectorCommandFor(publicUrl) } : {}),
    };
  }
}

/** The person's agreement. */
interface Agreed {
  readonly person: Person;
  readonly wish: Wish;
  readonly acceptedClaims: readonly string[];
  readonly template: APIServiceExportTemplate;
  readonly awaitsProof?: boolean;
}

/** A person may have read an older catalogue: unread claims are not accepted. */
function requireClaimsOf({ spec }: APIServiceExportTemplate, accepted: readonly string[]): void {
  const claims = new Map((spec.permissionClaims ?? []).map((claim) => [claimId(claim), claim]));
  if (accepted.every((id) => claims.has(id))) return;
  const known = [...claims].map(([id, claim]) => `${id} (${claimInWords(claim)})`);
  throw new Refusal(
    400,
    'BAD_REQUEST',
    `spec.acceptedClaims names a claim that this template does not have. It has ${known.length === 0 ? 'none' : known.join('; ')}.`,
  );
}

/** @throws {Refusal} */
function requireExpected(person: Person, { name, cluster }: Wish, expected: ExpectedBundle): void {
  // Another person's code is unknown to this one.
  if (identityOf(person) !== identityOf(expected.person)) throw unknownCode();
  if (name !== expected.binding) throw new Refusal(400, 'BAD_REQUEST', 'This code is for another binding.');
  if (cluster.identity !== expected.identity)
    throw new Refusal(
      409,
      'BAD_REQUEST',
      'This kubeconfig leads to another cluster than the one that you have bound. Nothing was written there.',
    );
}

function changedTemplate(): Refusal {
  return new Refusal(
    409,
    'BAD_REQUEST',
    'This template has changed since you read it. Read it again, and bind it again.',
  );
}

function unknownCode(): Refusal {
  return new Refusal(
    404,
    'RESOURCE_NOT_FOUND',
    'This code is not known, has been used, or is older than ten minutes. Bind again to get another one.',
  );
}

function konnectorCommandFor(publicUrl: URL): string {
  return `kubectl apply --server-side -f ${new URL(KONNECTOR_PATH, publicUrl).href}`;
}

/** Server-side apply: kubectl then keeps no second copy of the Secret in an annotation. */
function commandFor(publicUrl: URL, path: string): string {
  const url = new URL(path, publicUrl).href;
  return `(read -r code && printf %s "$code") | curl -fsS -H 'Content-Type: text/plain' --data-binary @- ${url} | kubectl apply --server-side -f -`;
}

/** The token goes through a file descriptor: no process list shows it. */
function provingCommandFor(publicUrl: URL, serviceAccount: string): string {
  const [namespace = '', name = ''] = serviceAccount.split('/');
  const url = new URL(BUNDLE_PATH, publicUrl).href;
  return [
    `(read -r code && printf %s "$code") | curl -fsS -H @/dev/fd/3 -H 'Content-Type: text/plain' --data-binary @- ${url} 3<<HEADER | kubectl apply --server-side -f -`,
    `Hawser-Cluster-Token: $(kubectl create token ${name} -n ${namespace} --audience ${publicUrl.origin} --duration 10m)`,
    'HEADER',
  ].join('\n');
}
