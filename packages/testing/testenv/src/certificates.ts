import 'reflect-metadata';
import { createPrivateKey, createPublicKey, generateKeyPairSync, webcrypto } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  type X509CertificateCreateWithKeyParams,
  X509CertificateGenerator,
} from '@peculiar/x509';

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

/** A certificate authority stored in a folder, for use by other processes too. Keys are P-256. */
export interface CertificateAuthority {
  /** PEM. */
  readonly cert: string;
  /** PEM file of {@link cert}. */
  readonly certFile: string;
  /** A certificate that proves `subject` to a server. Valid for ten days. */
  issueClient(subject: Subject): Promise<KeyPair>;
  /** A certificate for a server at these DNS names and IP addresses. Valid for ten days. */
  issueServer(commonName: string, names: readonly string[], addresses: readonly string[]): Promise<KeyPair>;
}

/** The library's own type, which knows no Node. */
type CryptoKey = X509CertificateCreateWithKeyParams['signingKey'];

const VALID_MS = 10 * 86_400_000;
/** Allows for small clock differences between machines. */
const BEFORE_MS = 60_000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Makes a new authority in `folder`, which must exist and be readable by its owner only. */
export async function createCertificateAuthority(folder: string, commonName: string): Promise<CertificateAuthority> {
  const files = authorityFiles(folder);
  const key = newKey();
  const { publicKey, privateKey } = await keysOf(key);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: nameOf({ commonName }),
    keys: { publicKey, privateKey },
    signingAlgorithm: algorithm,
    ...validity(),
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature, true),
      await SubjectKeyIdentifierExtension.create(publicKey),
    ],
  });
  await writeSecret(files.key, key);
  await writeFile(files.cert, pem(certificate));
  return openCertificateAuthority(folder);
}

/** The authority that {@link createCertificateAuthority} made in `folder`. */
export async function openCertificateAuthority(folder: string): Promise<CertificateAuthority> {
  const files = authorityFiles(folder);
  const cert = await readFile(files.cert, 'utf8');
  const authority = new X509Certificate(cert);
  const { privateKey: signingKey } = await keysOf(await readFile(files.key, 'utf8'));
  const issue = async (subject: Subject, ...extensions: readonly Extension[]): Promise<KeyPair> => {
    const key = newKey();
    const { publicKey } = await keysOf(key);
    const certificate = await X509CertificateGenerator.create({
      subject: nameOf(subject),
      issuer: authority.subjectName,
      publicKey,
      signingKey,
      signingAlgorithm: algorithm,
      ...validity(),
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        // Without it, a leaf with its authority's name counts as its own issuer.
        await SubjectKeyIdentifierExtension.create(publicKey),
        await AuthorityKeyIdentifierExtension.create(authority),
        ...extensions,
      ],
    });
    return { cert: pem(certificate), key };
  };
  return {
    cert,
    certFile: files.cert,
    issueClient: (subject) => issue(subject, new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth])),
    issueServer: (commonName, names, addresses) =>
      issue(
        { commonName },
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension([
          ...names.map((value) => ({ type: 'dns' as const, value })),
          ...addresses.map((value) => ({ type: 'ip' as const, value })),
        ]),
      ),
  };
}

/** A new P-256 private key, PEM (SEC 1, which kube-apiserver also takes for signing tokens). */
export function newKey(): string {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
}

/** Writes a file that only its owner can read. */
export async function writeSecret(file: string, content: string): Promise<void> {
  await writeFile(file, content, { mode: 0o600 });
  await chmod(file, 0o600);
}

function authorityFiles(folder: string): { cert: string; key: string } {
  return { cert: join(folder, 'ca.crt'), key: join(folder, 'ca.key') };
}

function validity(): { readonly notBefore: Date; readonly notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - BEFORE_MS), notAfter: new Date(now + VALID_MS) };
}

/** Verbatim: a textual name would have its quotes and escapes interpreted. */
function nameOf({ commonName, organizations = [] }: Subject): Name {
  if ([commonName, ...organizations].some((name) => /[\r\n\0]/u.test(name)))
    throw new RangeError('a name in a certificate cannot contain a line break');
  const attributes = [...organizations.map((name) => ['O', name] as const), ['CN', commonName] as const];
  return new Name(attributes.map(([type, utf8String]) => ({ [type]: [{ utf8String }] })));
}

async function keysOf(key: string): Promise<{ readonly publicKey: CryptoKey; readonly privateKey: CryptoKey }> {
  const { subtle } = webcrypto;
  const secret = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
  const open = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return {
    privateKey: (await subtle.importKey('pkcs8', secret, algorithm, false, ['sign'])) as CryptoKey,
    publicKey: (await subtle.importKey('spki', open, algorithm, true, ['verify'])) as CryptoKey,
  };
}

function pem(certificate: X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}
