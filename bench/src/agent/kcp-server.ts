import { writeFileSync } from 'node:fs';

import { startKcp } from '@hawser/kcp';
import type { ConnectionConfig } from '@hawser/kubeconfig';

// The embedded kcp in a process of its own, so that its CPU and memory are not those of the bench. Its administrator's connection goes into the file that is named.

const [file = ''] = process.argv.slice(2);
const kcp = await startKcp({ history: 200_000 });
const connection: ConnectionConfig = kcp.connection('root');
writeFileSync(file, JSON.stringify(connection), { mode: 0o600 });
process.once('SIGTERM', () => {
  void kcp.stop().then(() => {
    process.exit(0);
  });
});
