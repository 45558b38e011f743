import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

it('in a checkout that is not built the launcher says what to run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'launcher-'));
  try {
    mkdirSync(join(folder, 'bin'));
    for (const name of ['hawser', 'hawser-backend'])
      copyFileSync(join(import.meta.dirname, '../bin', name), join(folder, 'bin', name));
    for (const name of ['hawser', 'hawser-backend']) {
      const { status, stdout, stderr } = spawnSync('sh', [join(folder, 'bin', name), 'why'], { encoding: 'utf8' });
      expect({ status, stdout, stderr }).toEqual({
        status: 127,
        stdout: '',
        stderr: 'hawser is not built in this checkout. Run in its root folder: npm ci && npm run build\n',
      });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
