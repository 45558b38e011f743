import { type FSWatcher, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Server } from 'node:tls';

/** PEM files of a server's certificate and its key. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Reads both files. @throws if one is unreadable */
export async function readCertificate({
  certFile,
  keyFile,
}: CertificateFiles): Promise<{ readonly cert: string; readonly key: string }> {
  const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
  return { cert, key };
}

/**
 * Follows a rotated certificate: new connections use it. Watches the folders, because a mounted Secret is swapped as a
 * folder. While the files are unreadable, calls `failed` and keeps the old certificate. Returns the function that ends
 * it.
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

/** Splits a listen address `host:port`; an IPv6 address stands in brackets. No host: all IPv4 addresses. */
export function hostAndPort(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/u, '$1');
  return { host: host === '' ? '0.0.0.0' : host, port: Number(address.slice(colon + 1)) };
}
