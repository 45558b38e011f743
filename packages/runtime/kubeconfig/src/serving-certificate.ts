import { type FSWatcher, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Server } from 'node:tls';

/** PEM files of a server's certificate and its key. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** @throws if one cannot be read */
export async function readCertificate({
  certFile,
  keyFile,
}: CertificateFiles): Promise<{ readonly cert: string; readonly key: string }> {
  const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
  return { cert, key };
}

/**
 * New connections get a certificate that was rotated. A mounted Secret is swapped as a folder, so the folders are watched. While the files cannot be read, `failed` is told and the former certificate
 * stays. What is returned ends it.
 */
export function followCertificate(
  server: Pick<Server, 'setSecureContext'>,
  files: CertificateFiles,
  failed: (error: unknown) => void,
): () => void {
  const reload = (): void => {
    readCertificate(files)
      .then((certificate) => {
        server.setSecureContext(certificate);
      })
      .catch(failed);
  };
  const folders = new Set([dirname(files.certFile), dirname(files.keyFile)]);
  const watches: readonly FSWatcher[] = [...folders].map((folder) => watch(folder, reload).on('error', failed));
  return () => {
    for (const one of watches) one.close();
  };
}

/** Of a `host:port` to listen on; an IPv6 address stands in brackets. No host: all IPv4 addresses. */
export function hostAndPort(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/u, '$1');
  return { host: host === '' ? '0.0.0.0' : host, port: Number(address.slice(colon + 1)) };
}
