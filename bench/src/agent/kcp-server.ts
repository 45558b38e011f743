import { writeFileSync } from 'node:fs';

import { startKcp } from '@hawser/kcp';
import type { ConnectionConfig } from '@hawser/kubeconfig';

// Runs the embedded kcp in its own process, to keep its CPU and memory out of the bench's. Writes its administrator's
// connection into the given file.

const [file = ''] = process.argv.slice(2);
const kcp = await startKcp({ history: 200_000 });
const connection: ConnectionConfig = kcp.connection('root');
writeFileSync(file, JSON.stringify(connection), { mode: 0o600 });
process.once('SIGTERM', () => {
  void kcp.stop().then(() => {
    process.exit(0);
  });
});
