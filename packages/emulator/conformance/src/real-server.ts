import { startControlPlane } from '@hawser/testenv';
import { httpsServer } from './https-server.js';
import type { ServerUnderTest } from './server.js';

export interface RealServerOptions {
  /** Run the controllers for garbage collection and namespace deletion. */
  readonly controllers: boolean;
}

/** Starts a real kube-apiserver with its etcd. Throws without binaries. */
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

/**
 * Reads lists of old versions from etcd, where versions are compacted: the API server's own snapshots would outlive
 * them for minutes.
 */
function gates(controllers: boolean): Readonly<Record<string, boolean>> {
  return controllers ? { ListFromCacheSnapshot: false } : {};
}
