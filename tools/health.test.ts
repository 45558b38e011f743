import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@hawser/client';
import { healthOf } from '../e2e/src/kstatus.ts';
import { runLua } from './health/run-lua.ts';
import { root } from './workspace.ts';

/** An object as Hawser left it, and what the libraries of Flux (kstatus) and Argo CD (the script of docs/how-to/wait-for-health.md, by gopher-lua) say of it; `argo` is absent where Argo CD asks no script. */
interface Vector {
  readonly made: string;
  readonly kstatus: string;
  readonly argo?: string;
  readonly object: KubeObject;
}

const { objects } = JSON.parse(readFileSync(join(root, 'e2e/src/health-vectors.json'), 'utf8')) as {
  readonly objects: readonly Vector[];
};
const script =
  /```lua\n(?<lua>[\s\S]*?)```/u.exec(readFileSync(join(root, 'docs/how-to/wait-for-health.md'), 'utf8'))?.groups?.[
    'lua'
  ] ?? '';

describe('the health of', () => {
  it.each(objects)('$made: $kstatus', ({ kstatus, object }) => {
    expect(healthOf(object)).toBe(kstatus);
  });
});

describe('the health script for Argo CD says of', () => {
  it.each(objects.flatMap(({ made, argo, object }) => (argo === undefined ? [] : [{ made, argo, object }])))(
    '$made: $argo',
    ({ argo, object }) => {
      expect(runLua(script, { obj: object })).toMatchObject({ status: argo, message: expect.any(String) });
    },
  );
});
