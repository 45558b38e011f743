import { startControlPlane } from '@hawser/testenv';
import { httpsServer } from './https-server.js';
import type { ServerUnderTest } from './server.js';

export interface RealServerOptions {
  /** With the controllers that collect garbage and end namespaces. */
  readonly controllers: boolean;
}

/** A real kube-apiserver with its etcd. Throws where there are no binaries. */
export async function startRealServer({ controllers }: RealServerOptions): Promise<ServerUnderTest> {
  const controlPlane = await startControlPlane({
    name: 'conformance',
    controllerManager: controllers,
    featureGates: gates(controllers),
  });
  return httpsServer({
    name: `kube-apiserver ${controlPlane.kubernetesVersion}`,
    connection: controlPlane.connection,
    compact: () => controlPlane.compact(),
    stop: () => controlPlane.stop(),
  });
}

/** Lists of old versions come from etcd where versions are compacted: the API server's own snapshots would outlive them for minutes. */
function gates(controllers: boolean): Readonly<Record<string, boolean>> {
  return controllers ? { ListFromCacheSnapshot: false } : {};
}
