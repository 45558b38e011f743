import type { ControlPlaneHost } from './host.js';

/** jest's `globalTeardown`: runs in the process of the setup. */
export default async function teardown(): Promise<void> {
  await (globalThis as { hawserTestenvHost?: ControlPlaneHost }).hawserTestenvHost?.stop();
}
