import { generateKeyPairSync } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './run-command.js';

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** Who a client certificate stands for: Kubernetes reads the common name as the user and the organizations as groups. */
export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

/**
 * A certificate authority that lives in a folder, so that another process can issue from it too.
 * Keys are P-256; certificates are written by the `openssl` program, which must be on the PATH.
 */
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

const validityDays = '10';

/** Makes a new authority in `folder`, which must exist and be readable by its owner only. */
export async function createCertificateAuthority(folder: string, commonName: string): Promise<CertificateAuthority> {
  const files = authorityFiles(folder);
  await writeSecret(files.key, newKey());
  await writeFile(files.config, requestConfig({ commonName }));
  await runCommand('openssl', [
    'req',
    '-x509',
    '-new',
    '-sha256',
    '-days',
    validityDays,
    '-key',
    files.key,
    '-config',
    files.config,
    '-extensions',
    'authority',
    '-out',
    files.cert,
  ]);
  return openCertificateAuthority(folder);
}

/** The authority that {@link createCertificateAuthority} made in `folder`. */
export async function openCertificateAuthority(folder: string): Promise<CertificateAuthority> {
  const files = authorityFiles(folder);
  const issue = async (subject: Subject, extensions: string): Promise<KeyPair> => {
    const prefix = join(folder, `issued-${crypto.randomUUID()}`);
    const key = newKey();
    await writeSecret(`${prefix}.key`, key);
    await writeFile(`${prefix}.conf`, requestConfig(subject, extensions));
    await runCommand('openssl', [
      'req',
      '-new',
      '-sha256',
      '-key',
      `${prefix}.key`,
      '-config',
      `${prefix}.conf`,
      '-out',
      `${prefix}.csr`,
    ]);
    const serial = `0x${crypto.randomUUID().replaceAll('-', '').slice(0, 30)}`;
    const cert = await runCommand('openssl', [
      'x509',
      '-req',
      '-sha256',
      '-days',
      validityDays,
      '-in',
      `${prefix}.csr`,
      '-CA',
      files.cert,
      '-CAkey',
      files.key,
      '-set_serial',
      serial,
      '-extfile',
      `${prefix}.conf`,
      '-extensions',
      'leaf',
    ]);
    return { cert, key };
  };
  return {
    cert: await readFile(files.cert, 'utf8'),
    certFile: files.cert,
    issueClient: (subject) => issue(subject, 'extendedKeyUsage = clientAuth'),
    issueServer: (commonName, names, addresses) => {
      const alternatives = [...names.map((name) => `DNS:${name}`), ...addresses.map((address) => `IP:${address}`)];
      return issue({ commonName }, `extendedKeyUsage = serverAuth\nsubjectAltName = ${alternatives.join(',')}`);
    },
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

function authorityFiles(folder: string): { cert: string; key: string; config: string } {
  return { cert: join(folder, 'ca.crt'), key: join(folder, 'ca.key'), config: join(folder, 'ca.conf') };
}

function requestConfig(subject: Subject, leafExtensions = ''): string {
  const organizations = (subject.organizations ?? []).map((name, index) => `${index}.O = ${escapeValue(name)}`);
  return `[req]
prompt = no
string_mask = utf8only
utf8 = yes
distinguished_name = subject
[subject]
${[...organizations, `CN = ${escapeValue(subject.commonName)}`].join('\n')}
[authority]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign,digitalSignature
subjectKeyIdentifier = hash
[leaf]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
authorityKeyIdentifier = keyid
${leafExtensions}
`;
}

/** In openssl's configuration files `$` starts a variable, `#` a comment, and quotes and backslashes are special. */
function escapeValue(value: string): string {
  if (/[\r\n\0]/u.test(value)) throw new RangeError('a name in a certificate cannot contain a line break');
  return value.replaceAll(/[\\$#"'`]/gu, (character) => `\\${character}`);
}
