#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createApiServer } from './create-api-server.js';
import type { KeyPair } from './http/certificates.js';
import { listen } from './http/listen.js';
import { FileLog } from './store/file-log.js';
import { Store } from './store/store.js';

const usage = `Usage: hawser-apiserver [options]

A Kubernetes API server for tests of controllers. Prints a kubeconfig when it is ready, and runs until SIGTERM or SIGINT.

  --port NUMBER       port on 127.0.0.1; default: a free one
  --data FOLDER       keeps objects and certificates in this folder; default: in memory
  --kubeconfig FILE   writes the kubeconfig there and prints the name of the file instead
  --allow-all         everybody may do everything; default: RBAC
  --version, --help
`;

interface Identity {
  readonly authority: KeyPair;
  readonly adminToken: string;
  readonly signingKey: string;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      data: { type: 'string' },
      kubeconfig: { type: 'string' },
      'allow-all': { type: 'boolean' },
      help: { type: 'boolean' },
      version: { type: 'boolean' },
    },
  });
  if (values.help === true) {
    process.stdout.write(usage);
    return;
  }
  if (values.version === true) {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      readonly version: string;
    };
    process.stdout.write(`${version}\n`);
    return;
  }
  const port = Number(values.port ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new RangeError(`--port ${values.port ?? ''} is not a port`);
  const identity = values.data === undefined ? undefined : readIdentity(values.data);
  const store = new Store();
  const log = values.data === undefined ? undefined : new FileLog(values.data, store);
  const signingKey = identity === undefined ? randomBytes(32) : Buffer.from(identity.signingKey, 'base64');
  const adminToken = identity?.adminToken ?? randomBytes(24).toString('base64url');
  const server = createApiServer({
    store,
    adminToken,
    signingKey,
    authorization: values['allow-all'] === true ? 'allow-all' : 'rbac',
  });
  const listener = await listen(server, { port, ...(identity === undefined ? {} : { authority: identity.authority }) });
  if (values.data !== undefined && identity === undefined) {
    writeIdentity(values.data, {
      authority: listener.authorityPair,
      adminToken,
      signingKey: signingKey.toString('base64'),
    });
  }
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    server.stop();
    void listener.close().then(() => {
      log?.close();
      process.exit(0);
    });
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  if (values.kubeconfig === undefined) {
    process.stdout.write(listener.kubeconfig);
  } else {
    writeFileSync(values.kubeconfig, listener.kubeconfig, { mode: 0o600 });
    process.stdout.write(`${values.kubeconfig}\n`);
  }
}

const identityFile = (folder: string): string => join(folder, 'identity.json');

function readIdentity(folder: string): Identity | undefined {
  const file = identityFile(folder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Identity) : undefined;
}

function writeIdentity(folder: string, identity: Identity): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(identityFile(folder), JSON.stringify(identity), { mode: 0o600 });
}

main().catch((error: unknown) => {
  process.stderr.write(`hawser-apiserver: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
