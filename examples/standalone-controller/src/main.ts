import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { systemClock } from '@hawser/clock';
import type { Isolation } from '@hawser/kube-bind';
import { loadKubeconfig } from '@hawser/kubeconfig';
import { TestenvError } from '@hawser/testenv';
import { runOnCluster } from './on-cluster.js';
import { runOnOwnControlPlane } from './on-own-control-plane.js';

const isolations: readonly Isolation[] = ['Prefixed', 'Namespaced', 'None'];
const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    context: { type: 'string' },
    isolation: { type: 'string', default: 'Prefixed' },
  },
});
const isolation = isolations.find((one) => one === values.isolation);
if (isolation === undefined) {
  console.error(`--isolation: not one of ${isolations.join(', ')}`);
  process.exit(2);
}

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    interrupted.abort();
  });

if (values.kubeconfig === undefined) {
  try {
    await runOnOwnControlPlane(interrupted.signal);
  } catch (error) {
    if (!(error instanceof TestenvError) || error.code !== 'binaries-unavailable') throw error;
    console.log(`skipped: ${error.message}`);
  }
} else {
  const connection = await loadKubeconfig({
    file: values.kubeconfig,
    context: values.context,
    env: process.env,
    clock: systemClock,
  });
  // A program may shut down in its own time, so the signal that ends the wait is not the controller's.
  await runOnCluster(
    connection,
    isolation,
    async () => {
      if (!interrupted.signal.aborted) await once(interrupted.signal, 'abort');
    },
    new AbortController().signal,
  );
}
