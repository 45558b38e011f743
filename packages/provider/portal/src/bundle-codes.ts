import { createHash } from 'node:crypto';
import { type Client, type KubeObject, getIfExists } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { compareResourceVersions } from '@hawser/informer';
import { resources } from '@hawser/kube-bind';
import { Refusal } from './answer.js';
import type { Wish } from './binder.js';
import { PORTAL_LABEL, deleteExpired, deleteLease, expiringLease, hasExpired } from './expiring-leases.js';
import { type Person, identityOf } from './person.js';
import type { Sealer } from './seal.js';

/** What a code is worth: a binding of a person, with the claims that they have accepted. */
export interface BundleGrant {
  readonly person: Person;
  readonly wish: Wish;
  readonly acceptedClaims: readonly string[];
  /** What was bound, as `requestHash` has it. */
  readonly asked: string;
}

/** A grant that was found by its code and not used yet. */
export interface FoundGrant {
  readonly grant: BundleGrant;
  /** Uses it up. Of any number that race, one is told true. @throws {ApiError} */
  use(signal: AbortSignal): Promise<boolean>;
}

export interface BundleCodesOptions {
  readonly client: Pick<Client, 'get' | 'list' | 'create' | 'delete'>;
  readonly clock: Clock;
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
  readonly namespace: string;
  readonly randomBytes: (size: number) => Uint8Array;
}

const CODE_MS = 600_000;
/** Of one person, unused. */
const MOST_CODES = 10;
const PURPOSE = 'bundle-code';
const PERSON_LABEL = 'hawser.dev/portal-person';
const GRANT = 'hawser.dev/bundle-grant';

/**
 * One-time codes, each worth one bundle within ten minutes. A code is a Lease in the portal's namespace, named by a hash of the code, so any replica takes it and deleting the Lease uses it up.
 * What it is worth is sealed for that code: readers of Leases learn nothing, and writers of Leases can neither make a code nor exchange what it is worth.
 */
export class BundleCodes {
  readonly #options: BundleCodesOptions;

  constructor(options: BundleCodesOptions) {
    this.#options = options;
  }

  /** @throws {Refusal} for a person who has ten that are not used @throws {ApiError} */
  async issue(grant: BundleGrant, signal: AbortSignal): Promise<{ readonly code: string; readonly expires: number }> {
    const { client, clock, sealer, namespace, randomBytes } = this.#options;
    const owner = hashOf(identityOf(grant.person));
    await this.#mayHaveAnother(owner, signal);
    const code = Buffer.from(randomBytes(16)).toString('base64url');
    // Whole seconds, as seals have them.
    const expires = Math.floor((clock.now() + CODE_MS) / 1_000) * 1_000;
    const sealed = await sealer.seal('bundle', { ...grant, code: hashOf(code) }, expires);
    const lease = expiringLease({
      namespace,
      name: nameOf(code),
      purpose: PURPOSE,
      expires,
      labels: { [PERSON_LABEL]: owner },
      annotations: { [GRANT]: sealed },
    });
    const made = await client.create(resources.leases, lease, { signal });
    await this.#isOneOfFew(owner, made, signal);
    return { code, expires };
  }

  /** Undefined for a code that is not known, has been used, or is too old. @throws {ApiError} */
  async find(code: string, signal: AbortSignal): Promise<FoundGrant | undefined> {
    const { client, sealer, namespace } = this.#options;
    const lease = await getIfExists<KubeObject>(
      client,
      resources.leases,
      { namespace, name: nameOf(code) },
      { signal },
    );
    const sealed = lease?.metadata.annotations?.[GRANT];
    if (lease === undefined || sealed === undefined) return undefined;
    const claims = await sealer.open('bundle', sealed);
    if (claims?.['code'] !== hashOf(code)) return undefined;
    // Ours: nobody else can seal.
    const grant = claims as unknown as BundleGrant;
    return { grant, use: (until) => deleteLease(client, lease, until) };
  }

  /** Deletes codes that nobody has used in time. @throws {ApiError} */
  async sweep(signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    await deleteExpired(client, await this.#leases('', signal), clock.now(), signal);
  }

  async #mayHaveAnother(owner: string, signal: AbortSignal): Promise<void> {
    const now = this.#options.clock.now();
    const open = (await this.#leases(`,${PERSON_LABEL}=${owner}`, signal)).filter((lease) => !hasExpired(lease, now));
    if (open.length >= MOST_CODES) throw tooMany();
  }

  /** Several that came at once have each found room: those that are too many go, the youngest first. @throws {Refusal} */
  async #isOneOfFew(owner: string, made: KubeObject, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    const now = clock.now();
    const open = (await this.#leases(`,${PERSON_LABEL}=${owner}`, signal)).filter((lease) => !hasExpired(lease, now));
    // Nothing writes to one again, so its version is the order in which they were made: each sees all that were made before it.
    const before = open.filter(
      ({ metadata }) => (compareResourceVersions(metadata.resourceVersion, made.metadata.resourceVersion) ?? -1) < 0,
    );
    if (before.length < MOST_CODES) return;
    await deleteLease(client, made, signal);
    throw tooMany();
  }

  async #leases(further: string, signal: AbortSignal): Promise<readonly KubeObject[]> {
    const { client, namespace } = this.#options;
    const labelSelector = `${PORTAL_LABEL}=${PURPOSE}${further}`;
    return (await client.list<KubeObject>(resources.leases, { namespace, labelSelector, signal })).items;
  }
}

function tooMany(): Refusal {
  return new Refusal(
    429,
    'BAD_REQUEST',
    `You have ${MOST_CODES} codes that are not used. Use one of them, or wait ten minutes.`,
    { 'retry-after': '600' },
  );
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

function nameOf(code: string): string {
  return `hawser-portal-code-${hashOf(code)}`;
}
