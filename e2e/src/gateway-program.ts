import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { createCertificateAuthority, freePort } from '@hawser/testenv';
import type { Plane } from './plane.js';
import { type Program, startProgram, working } from './program.js';
import { executables } from './roles.js';
import type { Watchdog } from './watchdog.js';

export const gatewayUser = 'system:serviceaccount:hawser:hawser-provider-gateway';

/** One gateway as a process, with exactly the chart's rights. */
export interface RunningGateway {
  readonly program: Program;
  /** The same credential, at the address of the gateway. */
  through(connection: ConnectionConfig): ConnectionConfig;
}

/** Address of a future gateway: the provider role can hand it out before the gateway runs. */
export interface PreparedGateway {
  readonly address: string;
  readonly caFile: string;
  /** Call after the provider role has created the CRDs that the gateway reads. */
  start(dialects?: readonly string[]): Promise<RunningGateway>;
}

export async function prepareGateway(plane: Plane, folder: string, watchdog: Watchdog): Promise<PreparedGateway> {
  const authority = await createCertificateAuthority(folder, 'gateway authority');
  const { cert, key } = await authority.issueServer('gateway', ['localhost'], ['127.0.0.1']);
  const tls = { certFile: join(folder, 'gateway.crt'), keyFile: join(folder, 'gateway.key') };
  writeFileSync(tls.keyFile, key, { mode: 0o600 });
  writeFileSync(tls.certFile, cert);
  const address = `127.0.0.1:${await freePort()}`;
  return {
    address,
    caFile: authority.certFile,
    start: async (dialects = ['kube-bind']) => {
      const account = await plane.controlPlane?.serviceAccountAccess('hawser', 'hawser-provider-gateway');
      const kubeconfig = join(folder, 'gateway.kubeconfig');
      writeFileSync(kubeconfig, account?.kubeconfig ?? '', { mode: 0o600 });
      const config = join(folder, 'gateway.json');
      writeFileSync(config, JSON.stringify({ roles: ['gateway'], provider: { dialects, gateway: { address, tls } } }));
      const program = await startProgram({
        name: 'gateway',
        command: executables.hawser,
        args: ['run', `--config=${config}`, `--provider-kubeconfig=${kubeconfig}`],
        env: { POD_NAME: 'gateway', POD_NAMESPACE: 'hawser' },
        folder,
        watchdog,
      });
      await working(program, 'gateway works', 120_000);
      const { cert: caData } = authority;
      return { program, through: ({ credentials }) => ({ server: `https://${address}`, caData, credentials }) };
    },
  };
}
