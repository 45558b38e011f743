import { type KeyObject, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { bits, context, element, integer, objectIdentifier, octets, sequence, set, time, truth, utf8 } from './der.js';

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/**
 * The identity of a client certificate: Kubernetes reads the common name as the user and the organizations as groups.
 */
export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

const YEAR_MS = 365 * 24 * 3_600_000;
const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const ECDSA_SHA256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

/**
 * A P-256 authority that is ready in a millisecond, for loopback servers and their clients in tests. Written out here:
 * loading an X.509 library takes longer than the whole server's start.
 */
export class CertificateAuthority {
  readonly #subject: Subject;
  readonly #key: KeyObject;
  readonly #pair: KeyPair;

  private constructor(subject: Subject, pair: KeyPair) {
    this.#subject = subject;
    this.#pair = pair;
    this.#key = createPrivateKey(pair.key);
  }

  static create(commonName: string): CertificateAuthority {
    const subject = { commonName };
    const key = newKey();
    return new CertificateAuthority(subject, {
      cert: certificate(subject, key, subject, createPrivateKey(key), authorityExtensions()),
      key,
    });
  }

  /** Restores the authority of a {@link pair}. */
  static load(commonName: string, pair: KeyPair): CertificateAuthority {
    return new CertificateAuthority({ commonName }, pair);
  }

  /** For storage. The key is secret. */
  get pair(): KeyPair {
    return this.#pair;
  }

  /** PEM. */
  get cert(): string {
    return this.#pair.cert;
  }

  issueClient(subject: Subject): KeyPair {
    return this.#issue(subject, leafExtensions(CLIENT_AUTH));
  }

  /** For DNS names and IP addresses. */
  issueServer(commonName: string, hosts: readonly string[]): KeyPair {
    return this.#issue({ commonName }, [...leafExtensions(SERVER_AUTH), alternativeNames(hosts)]);
  }

  #issue(subject: Subject, extensions: readonly Buffer[]): KeyPair {
    const key = newKey();
    return { cert: certificate(subject, key, this.#subject, this.#key, extensions), key };
  }
}

function newKey(): string {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
}

function certificate(
  subject: Subject,
  key: string,
  issuer: Subject,
  issuerKey: KeyObject,
  extensions: readonly Buffer[],
): string {
  const now = Date.now();
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const body = sequence(
    context(0, integer(Buffer.from([2]))),
    integer(randomBytes(15)),
    ECDSA_SHA256,
    nameOf(issuer),
    // Tolerates container clocks that are off.
    sequence(time(now - 3_600_000), time(now + 10 * YEAR_MS)),
    nameOf(subject),
    publicKey,
    context(3, sequence(...extensions)),
  );
  const signed = sequence(body, ECDSA_SHA256, bits(sign('sha256', body, issuerKey)));
  return `-----BEGIN CERTIFICATE-----\n${(signed.toString('base64').match(/.{1,64}/gu) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`;
}

function nameOf({ organizations = [], commonName }: Subject): Buffer {
  const attribute = (type: string, value: string): Buffer => set(sequence(objectIdentifier(type), utf8(value)));
  return sequence(
    ...organizations.map((organization) => attribute(ORGANIZATION, organization)),
    attribute(COMMON_NAME, commonName),
  );
}

function extension(type: string, value: Buffer, critical = false): Buffer {
  return sequence(objectIdentifier(type), ...(critical ? [truth()] : []), octets(value));
}

const authorityExtensions = (): readonly Buffer[] => [
  extension('2.5.29.19', sequence(truth()), true),
  // keyCertSign, cRLSign, digitalSignature
  extension('2.5.29.15', bits(Buffer.from([0b1000_0110]), 1), true),
];

const leafExtensions = (usage: string): readonly Buffer[] => [
  extension('2.5.29.19', sequence(), true),
  extension('2.5.29.15', bits(Buffer.from([0b1000_0000]), 7), true),
  extension('2.5.29.37', sequence(objectIdentifier(usage))),
];

function alternativeNames(hosts: readonly string[]): Buffer {
  return extension(
    '2.5.29.17',
    sequence(
      ...hosts.map((host) =>
        isIP(host) === 4
          ? element(0x87, Buffer.from(host.split('.').map(Number)))
          : isIP(host) === 6
            ? element(0x87, ipv6(host))
            : element(0x82, Buffer.from(host)),
      ),
    ),
  );
}

function ipv6(address: string): Buffer {
  const [head = '', tail] = address.split('::');
  const groups = (text: string): readonly number[] =>
    text === '' ? [] : text.split(':').map((group) => parseInt(group, 16));
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const all = [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
