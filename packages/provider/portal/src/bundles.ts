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
  /** Whose tokens prove a cluster. */
  readonly proofs: Pick<ClusterProofs, 'serviceAccountOf'>;
  readonly publicUrl: URL;
  /** Whether the portal serves the manifests of a konnector. */
  readonly servesKonnector: boolean;
}

/** What every offer of a bundle has. */
interface AnyOffer {
  readonly binding: string;
  /** Worth one bundle. */
  readonly code: string;
  /** RFC 3339. */
  readonly expires: string;
  /** For a shell with a kubeconfig of the consumer cluster. It asks for the code, so neither its history nor the list of processes has it. */
  readonly command: string;
  /** For the same shell, where no konnector runs yet. Absent: the provider names no image. */
  readonly konnectorCommand?: string | undefined;
}

/** What is answered to one who binds by a bundle. */
export interface BundleOffer extends AnyOffer {
  readonly providerNamespace: string;
  /** The same without the credential, for review. */
  readonly pullRequest: PullRequest;
  /** Brings the credential alone, for the code. */
  readonly credentialCommand: string;
}

/** For a cluster that proves itself when it presents the code. Nothing is done for it before. */
export interface AwaitedBundle extends AnyOffer {
  /** Whose token the command sends along, as `<namespace>/<name>`. */
  readonly serviceAccount: string;
}

/** What a code is exchanged for: the whole bundle, or the namespace and the Secret of it. */
export type BundlePart = 'whole' | 'credential';

/** Objects with a credential among them, and the binding that they are for. */
export interface HandedOut {
  readonly binding: string;
  readonly objects: readonly KubeObject[];
}

/** Whose code it has to be, and for what. */
export interface ExpectedBundle {
  readonly person: Person;
  readonly binding: string;
  /** Of the cluster in which it is applied. */
  readonly identity: string;
  /** Asked where the cluster has to prove itself: the identity that a token of this ServiceAccount of it (`<namespace>/<name>`) proves. @throws {Refusal} */
  prove(serviceAccount: string): Promise<string>;
}

/** Where the konnector is had. */
export const KONNECTOR_PATH = '/api/konnector-manifests';
/** Where a code is exchanged. */
export const BUNDLE_PATH = '/api/bundle';
/** Where a code is exchanged for the credential alone. */
export const CREDENTIAL_PATH = `${BUNDLE_PATH}/credential`;

/** Binding without `kubectl bind`: a person binds in a browser and carries a one-time code to the cluster, where it is exchanged for a bundle. */
export class Bundles {
  readonly #options: BundlesOptions;

  constructor(options: BundlesOptions) {
    this.#options = options;
  }

  /** Binds, and gives a code for what has to be applied in the cluster. @throws {Refusal | ApiError} */
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

  /** Gives a code by which a cluster that has to prove itself is bound as soon as it presents it with a token of its own. Undefined: this one need not. @throws {Refusal | ApiError} */
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
   * `proven`: the cluster whose token came with the code.
   * @throws {Refusal} for a code that is not worth anything (any more), or a person who may not bind this any more @throws {ApiError}
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
      // Asked again: what was taken from the person since is not handed out. A code that comes to nothing here can be tried again.
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
    // First, so that a name that stands for something else grants nothing.
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

/** What a person has agreed to. */
interface Agreed {
  readonly person: Person;
  readonly wish: Wish;
  readonly acceptedClaims: readonly string[];
  readonly template: APIServiceExportTemplate;
  readonly awaitsProof?: boolean;
}

/** Somebody may have read an older catalogue: what they have not read they do not accept. */
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
  // The code of another person is none of theirs.
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

/** Server-side, so that kubectl keeps no second copy of the Secret in an annotation. */
function commandFor(publicUrl: URL, path: string): string {
  const url = new URL(path, publicUrl).href;
  return `(read -r code && printf %s "$code") | curl -fsS -H 'Content-Type: text/plain' --data-binary @- ${url} | kubectl apply --server-side -f -`;
}

/** The token goes by a file descriptor, so that no list of processes has it. */
function provingCommandFor(publicUrl: URL, serviceAccount: string): string {
  const [namespace = '', name = ''] = serviceAccount.split('/');
  const url = new URL(BUNDLE_PATH, publicUrl).href;
  return [
    `(read -r code && printf %s "$code") | curl -fsS -H @/dev/fd/3 -H 'Content-Type: text/plain' --data-binary @- ${url} 3<<HEADER | kubectl apply --server-side -f -`,
    `Hawser-Cluster-Token: $(kubectl create token ${name} -n ${namespace} --audience ${publicUrl.origin} --duration 10m)`,
    'HEADER',
  ].join('\n');
}
