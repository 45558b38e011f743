import { kubeBindDialect, type Isolation } from '@hawser/kube-bind';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { createServiceNamespaceController } from '@hawser/servicenamespace';
import { createProviderContext } from './provider-context.js';

/** Runs the controller until `work` has ended, then stops it, even if the work failed. */
export async function runOnCluster(
  connection: ConnectionConfig,
  isolation: Isolation,
  work: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const context = createProviderContext(connection, signal);
  const controller = createServiceNamespaceController({ dialect: kubeBindDialect, isolation });
  try {
    await controller.start(context.ctx);
    console.log(`${controller.name} is running on ${connection.server}`);
    await work();
  } finally {
    await controller.stop();
    await context.close();
    console.log(`${controller.name} has stopped`);
  }
}
