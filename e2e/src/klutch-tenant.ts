import { systemClock } from '@hawser/clock';
import type { SampleApi } from '@hawser/installation';
import { type APIServiceBinding, consumerCRDs, installCRDs, klutchDialect } from '@hawser/klutch';
import { bindKlutch, type KlutchConsumer } from './klutch-fixtures.js';
import type { KlutchWorld } from './klutch-world.js';
import { type Plane, openPlane } from './plane.js';
import { startProgram, working } from './program.js';
import { executables } from './roles.js';

/** An app cluster: its own cluster, with a Hawser konnector that speaks Klutch. */
export interface KlutchTenant {
  readonly plane: Plane;
  /** Log of the konnector. */
  log(): string;
  close(): Promise<void>;
}

/**
 * Starts a consumer's app cluster and its konnector. `apis`: APIs to bind; absent: none, and no kubeconfig of the
 * provider.
 */
export async function openKlutchTenant(
  { folder, watchdog }: KlutchWorld,
  consumer: KlutchConsumer,
  apis?: readonly SampleApi[],
  claims: APIServiceBinding['spec']['permissionClaims'] = [],
): Promise<KlutchTenant> {
  const plane = await openPlane('consumer');
  if (apis === undefined)
    await plane.apply({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: klutchDialect.names.konnectorNamespace },
    });
  else {
    await installCRDs(plane.client, consumerCRDs, { clock: systemClock });
    await bindKlutch(plane, consumer, apis, claims);
  }
  const konnector = await startProgram({
    name: `konnector-${consumer.clusterNamespace}`,
    folder,
    watchdog,
    command: executables.hawser,
    env: { POD_NAME: 'konnector', POD_NAMESPACE: klutchDialect.names.konnectorNamespace },
    args: ['run', '--roles=konnector', '--dialect=klutch', `--kubeconfig=${plane.kubeconfigFile}`],
  });
  await working(konnector, 'konnector works');
  return {
    plane,
    log: () => konnector.log(),
    async close() {
      await konnector.stop();
      await plane.stop();
    },
  };
}
