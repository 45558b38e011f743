import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TestAuthority {
  readonly ca: string;
  issue(commonName: string, alternatives?: readonly string[]): { readonly cert: string; readonly key: string };
  remove(): void;
}

/** A certificate authority for one test, made with the `openssl` program. */
export function testAuthority(name: string): TestAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-client-'));
  const file = (suffix: string): string => join(folder, suffix);
  const openssl = (...args: readonly string[]): void => {
    execFileSync('openssl', args, { stdio: 'pipe', cwd: folder });
  };
  const newKey = (path: string): void => {
    openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', path);
  };
  newKey('ca.key');
  openssl('req', '-x509', '-new', '-key', 'ca.key', '-subj', `/CN=${name}`, '-days', '2', '-out', 'ca.crt');
  let issued = 0;
  return {
    ca: readFileSync(file('ca.crt'), 'utf8'),
    issue(commonName, alternatives = []) {
      const id = `leaf-${++issued}`;
      newKey(`${id}.key`);
      openssl('req', '-new', '-key', `${id}.key`, '-subj', `/CN=${commonName}`, '-out', `${id}.csr`);
      writeFileSync(
        file(`${id}.ext`),
        alternatives.length === 0 ? 'extendedKeyUsage=clientAuth\n' : `subjectAltName=${alternatives.join(',')}\n`,
      );
      openssl(
        'x509',
        '-req',
        '-in',
        `${id}.csr`,
        '-CA',
        'ca.crt',
        '-CAkey',
        'ca.key',
        '-CAcreateserial',
        '-days',
        '2',
        '-extfile',
        `${id}.ext`,
        '-out',
        `${id}.crt`,
      );
      return { cert: readFileSync(file(`${id}.crt`), 'utf8'), key: readFileSync(file(`${id}.key`), 'utf8') };
    },
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
